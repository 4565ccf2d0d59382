"""Figure 4 (b): goodput of the long flows of 40 ms against the buffer, two round trips (Section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.fig4a import study
from penstock.papers.kantawala_turner_2005.setup import READINGS, W_FALLS, at, measure, place, settled, sizes, upward
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claims c06 to c08."""
    if settled(table):
        yield from _levels(table)
    yield Claim(
        id="c07",
        says="tail-drop lets the flows of 40 ms have more than their share in small buffers",
        expected="> 100 % for B < 1000",
        must_hold=True,
        holds=all_of((at(table, "g_fast", "Tail-Drop", b) > 100).at(f"B = {b}") for b in sizes(table, 0, 999)),
    )


def _levels(table: Table) -> Iterator[Claim]:
    """What flows have that have settled."""
    yield Claim(
        id="c06",
        says="RED and Blue let the flows of 40 ms have almost half more than their fair share",
        expected="150 (135 to 160) % for every B <= 5000",
        holds=all_of(
            at(table, "g_fast", s, b).reads(150, low=135, high=160).at(place(s, b))
            for s in ("RED", "Blue")
            for b in sizes(table)
        ),
    )
    for dsdrr, reading in READINGS.items():
        yield Claim(
            id="c08",
            says="DTDRR and DSDRR let them have a tenth more",
            expected="<= 115 % for B >= 400",
            reading=reading,
            because="" if reading else W_FALLS,
            holds=all_of(
                (at(table, "g_fast", s, b) <= 115).at(place(s, b)) for s in ("DTDRR", dsdrr) for b in upward(table, 400)
            ),
        )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(shown, "buffer", "g_fast", "scheme", labels=("buffer (packets)", "goodput, 40 ms (%)"), log="x")
