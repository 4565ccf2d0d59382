"""Figure 5 (a): goodput of the long flows from end to end against the buffer, three hops (Section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import (
    COMPARED,
    FEW,
    READINGS,
    W_FALLS,
    at,
    measure,
    place,
    settled,
    sizes,
    upward,
)
from penstock.papers.kantawala_turner_2005.setup import study as run_of
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


IN_STEP = "behind one queue flows lose in step; with 5 ms of jitter before the link they come near it (why-in-step)"
WINDOWS = f"{W_FALLS}; held, they have 79 to 97 %, with windows of 100 packets 75 to 79 (why-window)"
QUITE_CLOSE = (
    f"{W_FALLS}; held, it is 5 to 15 points below QSDRR, with windows of 100 packets 0 to 4 (why-window); nothing "
    "tried makes DTDRR 10 % worse than DSDRR"
)


def study(effort: Effort) -> Study:
    """Every scheme and buffer."""
    return run_of(effort, "three hops", "long", effort.choose(FEW, COMPARED))


def claims(table: Table) -> Iterator[Claim]:
    """Claims c13 to c17."""
    if not settled(table):
        return
    for dsdrr, reading in READINGS.items():
        yield from of(table, dsdrr, reading)
    yield from one_queue(table, [5000], "")
    yield from one_queue(table, sizes(table), "at every B")


def one_queue(table: Table, buffers: list[int], reading: str) -> Iterator[Claim]:
    """What is said of RED and tail-drop."""
    yield Claim(
        id="c14",
        says="with RED and tail-drop flows from end to end have only 40 %, even with 5000 packets",
        expected="40 (30 to 50) % at B = 5000",
        reading=reading,
        because="" if reading else IN_STEP,
        holds=all_of(
            at(table, "g_slow", s, b).reads(40, low=30, high=50).at(place(s, b))
            for s in ("RED", "Tail-Drop")
            for b in buffers
        ),
    )


def of(table: Table, dsdrr: str, reading: str) -> Iterator[Claim]:
    """The claims on DTDRR and a reading of DSDRR."""
    yield shares(table, dsdrr, reading)
    for buffers, also in ((sizes(table), ""), (sizes(table, 400), "from 400 packets on")):
        yield _times(table, dsdrr, buffers, "; ".join(text for text in (reading, also) if text))
    yield _beside_qsdrr(table, dsdrr, reading)
    if table.has(buffer=100):
        yield Claim(
            id="c17",
            says="even in the smallest buffer flows from end to end have more than with RED",
            expected="g(DTDRR), g(DSDRR) > g(RED) at B = 100",
            reading=reading,
            holds=all_of(
                (at(table, "g_slow", s, 100) > at(table, "g_slow", "RED", 100)).at(s) for s in ("DTDRR", dsdrr)
            ),
        )


def shares(table: Table, dsdrr: str, reading: str) -> Claim:
    """Claim c13."""
    return Claim(
        id="c13",
        says="flows from end to end have nearly 80 % of their fair share with DSDRR, 70 % with DTDRR",
        expected="80 (70 to 90) % and 70 (60 to 80) % for B >= 400",
        reading=reading,
        because="" if reading else WINDOWS,
        holds=all_of(
            at(table, "g_slow", s, b).reads(asked, low=asked - 10, high=asked + 10).at(place(s, b))
            for s, asked in ((dsdrr, 80), ("DTDRR", 70))
            for b in upward(table, 400)
        ),
    )


def _times(table: Table, dsdrr: str, buffers: list[int], reading: str) -> Claim:
    return Claim(
        id="c15",
        says="that is almost twice what RED and tail-drop give, and four times what Blue gives",
        expected=">= 1.6 times RED and tail-drop, >= 3 times Blue",
        reading=reading,
        because="" if reading else f"{W_FALLS}; held, it is so from 400 packets on; below, they are to be better (c17)",
        holds=all_of(
            (at(table, "g_slow", s, b) / at(table, "g_slow", other, b) >= least).at(f"{place(s, b)}, over {other}")
            for other, least in (("RED", 1.6), ("Tail-Drop", 1.6), ("Blue", 3))
            for s in ("DTDRR", dsdrr)
            for b in buffers
        ),
    )


def _beside_qsdrr(table: Table, dsdrr: str, reading: str) -> Claim:
    """Claim c16."""
    return Claim(
        id="c16",
        says="DSDRR is very close to QSDRR; DTDRR is about 10 % worse, yet has 1.5 times as much as RED",
        expected="DSDRR within 5 points of QSDRR; DTDRR / each 0.9 (0.85 to 0.95), DTDRR >= 1.5 RED for B > 1000",
        reading=reading,
        because="" if reading else QUITE_CLOSE,
        holds=all_of(
            close(table, dsdrr, sizes(table)),
            *(
                (at(table, "g_slow", "DTDRR", b) / at(table, "g_slow", other, b))
                .reads(0.9, low=0.85, high=0.95)
                .at(f"DTDRR / {other}, B = {b}")
                for other in (dsdrr, "QSDRR")
                for b in upward(table, 1001)
            ),
            *(
                (at(table, "g_slow", "DTDRR", b) / at(table, "g_slow", "RED", b) >= 1.5).at(f"DTDRR / RED, B = {b}")
                for b in upward(table, 1001)
            ),
        ),
    )


def close(table: Table, dsdrr: str, buffers: list[int]) -> list[Condition]:
    """That DSDRR is within 5 points of QSDRR."""
    return [
        (at(table, "g_slow", dsdrr, b) - at(table, "g_slow", "QSDRR", b)).between(-5, 5).at(f"{dsdrr}, B = {b}")
        for b in buffers
    ]


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(
        shown,
        "buffer",
        "g_slow",
        "scheme",
        labels=("buffer (packets)", "goodput, three hops (%)"),
        log="x",
    )
