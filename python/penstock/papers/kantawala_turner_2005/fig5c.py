"""Figure 5 (c): completion times of bursts, end to end over cross traffic, three hops (Section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import (
    COMPARED,
    FEW,
    ONE_QUEUE,
    READINGS,
    W_FALLS,
    at,
    measure,
    place,
    settled,
    sizes,
)
from penstock.papers.kantawala_turner_2005.setup import study as run_of
from penstock.plots.curves import curves, printed
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

BESIDE = (
    f"{W_FALLS}; held, only DTDRR is off, up to 15 % above QSDRR; with windows of 20 packets within 10, but not "
    "twice as good as the others (why-window)"
)


def study(effort: Effort) -> Study:
    """Every scheme and buffer."""
    return run_of(effort, "three hops", "short", effort.choose(FEW, COMPARED))


def claims(table: Table) -> Iterator[Claim]:
    """Claims c22 and c23."""
    if not settled(table):
        return
    here = sizes(table)
    for dsdrr, reading in READINGS.items():
        yield Claim(
            id="c22",
            says="DTDRR is almost as good as QSDRR and twice as good as the others; DSDRR 1.5 times as good as those",
            expected="DTDRR / QSDRR from 0.9 to 1.1; DTDRR <= 1/2, DSDRR <= 1/1.5 of RED, Blue and tail-drop; every B",
            reading=reading,
            because="" if reading else BESIDE,
            holds=all_of(
                *(
                    (at(table, "ratio", "DTDRR", b) / at(table, "ratio", "QSDRR", b)).between(0.9, 1.1).at(f"B = {b}")
                    for b in here
                ),
                *(
                    (at(table, "ratio", s, b) / at(table, "ratio", other, b) <= bound).at(
                        f"{place(s, b)}, over {other}"
                    )
                    for s, bound in (("DTDRR", 1 / 2), (dsdrr, 1 / 1.5))
                    for other in ONE_QUEUE
                    for b in here
                ),
            ),
        )
        yield Claim(
            id="c23",
            says="with 5000 packets DTDRR and DSDRR come near two, the others have 3.5 to 4",
            expected="2 (1.6 to 2.4); 3.75 (3.0 to 4.5)",
            reading=reading,
            because="" if reading else f"{W_FALLS}; held, and with windows of 20 packets, all are so (why-window)",
            holds=all_of(
                *(at(table, "ratio", s, 5000).reads(2, low=1.6, high=2.4).at(s) for s in ("DTDRR", dsdrr)),
                *(at(table, "ratio", s, 5000).reads(3.75, low=3.0, high=4.5).at(s) for s in ONE_QUEUE),
            ),
        )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(
        shown,
        "buffer",
        "ratio",
        "scheme",
        labels=("buffer (packets)", "time, three hops / cross"),
        log="x",
        expected=printed(__file__, "fig5c"),
    )
