"""Figure 4 (c): completion times of bursts, 200 ms over 40 ms, against the buffer, two round trips (Section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import (
    COMPARED,
    FEW,
    READINGS,
    at,
    measure,
    place,
    settled,
    sizes,
    upward,
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


def study(effort: Effort) -> Study:
    """Every scheme and buffer."""
    return run_of(effort, "two round trips", "short", effort.choose(FEW, COMPARED))


def claims(table: Table) -> Iterator[Claim]:
    """Claims c09 to c11."""
    if not settled(table):
        return
    for dsdrr, reading in READINGS.items():
        new = ("DTDRR", dsdrr)
        yield Claim(
            id="c09",
            says="with DTDRR and DSDRR bursts of both kinds take about as long in buffers of more than 1000",
            expected="200 ms / 40 ms from 1.0 to 1.3 for B > 1000",
            reading=reading,
            because=""
            if reading
            else "without a receiver's window bursts over 200 ms take 1.4 times as long and more; with 20 packets "
            "DTDRR's take 1.0 to 1.1 times, DSDRR's 1.3 to 1.4, with W held 0.8 to 1.0 (why-window)",
            holds=all_of(
                at(table, "ratio", s, b).between(1.0, 1.3).at(place(s, b)) for s in new for b in upward(table, 1001)
            ),
        )
        yield Claim(
            id="c11",
            says="their ratio is 10 to 20 % worse than QSDRR's in small buffers, and the same with 5000",
            expected="ratio / QSDRR's <= 1.2 for B <= 400; from 0.95 to 1.05 at B = 5000",
            reading=reading,
            because="with NewReno and a W that stays they are as QSDRR with 5000 packets (why-settings)",
            holds=all_of(
                *(
                    (at(table, "ratio", s, b) / at(table, "ratio", "QSDRR", b) <= 1.2).at(place(s, b))
                    for s in new
                    for b in sizes(table, 100, 400)
                ),
                *(
                    (at(table, "ratio", s, 5000) / at(table, "ratio", "QSDRR", 5000))
                    .between(0.95, 1.05)
                    .at(place(s, 5000))
                    for s in new
                ),
            ),
        )
    yield Claim(
        id="c10",
        says="Blue is worst: bursts over 200 ms take three times as long, even with 5000 packets",
        expected="the largest ratio at every B; 3 (2.4 to 3.4) at B = 5000",
        because="the best RED keeps a long queue; as ns-2 sets it RED is below Blue (why-settings)",
        holds=all_of(
            at(table, "ratio", "Blue", 5000).reads(3, low=2.4, high=3.4).at("B = 5000"),
            *(
                (at(table, "ratio", "Blue", b) > at(table, "ratio", s, b)).at(place(s, b))
                for s in COMPARED
                if s not in ("Blue", "DSDRR-W")
                for b in sizes(table)
            ),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(
        shown,
        "buffer",
        "ratio",
        "scheme",
        labels=("buffer (packets)", "time, 200 ms / 40 ms"),
        log="x",
        expected=printed(__file__, "fig4c"),
    )
