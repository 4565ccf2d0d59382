"""Figure 5 (b): goodput of the long cross traffic at the first router, three hops (Section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.fig5a import study
from penstock.papers.kantawala_turner_2005.setup import READINGS, W_FALLS, at, measure, place, settled, sizes
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]

BLUE_SOUGHT = (
    "with 5000 packets the best Blue uses more of the link; steps of 0.005 and 0.0005 each 500 ms use as much as "
    "printed (why-blue)"
)
SLACK = f"{W_FALLS}; held, it has 102 to 110 % from 400 packets on, with windows of 100 packets 107 to 122 (why-window)"
UNUSED = (
    "behind one queue flows lose in step; with 5 ms of jitter and 5000 packets all is so but RED's use of the link, "
    "98 % (why-in-step), for which nothing was found"
)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c18 to c21."""
    if not settled(table):
        return
    for dsdrr, reading in READINGS.items():
        yield slack(table, dsdrr, sizes(table), reading)
        yield slack(
            table, dsdrr, sizes(table, 400), "; ".join(text for text in (reading, "from 400 packets on") if text)
        )
    yield from one_queue(table, sizes(table), "")
    yield from one_queue(table, [5000], "at B = 5000")
    yield Claim(
        id="c21",
        says="utilization is the mean of the goodput of both halves of the flows",
        expected="within 2 points, for every scheme and B",
        because="what Reno repeats in vain after a timeout uses the link and is no goodput, most behind tail-drop",
        holds=all_of(
            (at(table, "utilization", s, b) - (at(table, "g_slow", s, b) + at(table, "g_fast", s, b)) / 2)
            .between(-2, 2)
            .at(place(s, b))
            for s in table.axis("scheme")
            for b in sizes(table)
        ),
    )


def slack(table: Table, dsdrr: str, buffers: list[int], reading: str) -> Claim:
    """Claim c18."""
    return Claim(
        id="c18",
        says="with DTDRR and DSDRR the cross traffic takes up the slack",
        expected=f"115 to 120 (110 to 125) %, {_where(buffers)}",
        reading=reading,
        because="" if reading else SLACK,
        holds=all_of(
            at(table, "g_fast", s, b).reads(117.5, low=110, high=125).at(place(s, b))
            for s in ("DTDRR", dsdrr)
            for b in buffers
        ),
    )


def one_queue(table: Table, buffers: list[int], reading: str) -> Iterator[Claim]:
    """What is said of RED, tail-drop and Blue."""
    yield Claim(
        id="c19",
        says="with RED and tail-drop it has 150 %, and 5 % of the link are unused",
        expected=f"150 (140 to 160) %, utilization 95 (93 to 97) %, {_where(buffers)}",
        reading=reading,
        because="" if reading else UNUSED,
        holds=all_of(
            condition.at(place(s, b))
            for s in ("RED", "Tail-Drop")
            for b in buffers
            for condition in (
                at(table, "g_fast", s, b).reads(150, low=140, high=160),
                at(table, "utilization", s, b).reads(95, low=93, high=97),
            )
        ),
    )
    yield from blue(table.where(scheme="Blue"), buffers, reading)


def _where(buffers: list[int]) -> str:
    return f"at B = {buffers[0]}" if len(buffers) == 1 else f"B from {min(buffers)} to {max(buffers)}"


def blue(table: Table, buffers: list[int], reading: str) -> Iterator[Claim]:
    """What is said of Blue."""
    yield Claim(
        id="c20",
        says="with Blue it has 120 to 140 %, and 20 to 30 % of the link are unused",
        expected=f"130 (120 to 140) %, utilization 75 (70 to 80) %, {_where(buffers)}",
        reading=reading,
        because="" if reading else BLUE_SOUGHT,
        holds=all_of(
            condition.at(f"B = {b}")
            for b in buffers
            for condition in (
                table("g_fast", buffer=b).reads(130, low=120, high=140),
                table("utilization", buffer=b).reads(75, low=70, high=80),
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(shown, "buffer", "g_fast", "scheme", labels=("buffer (packets)", "goodput, cross (%)"), log="x")
