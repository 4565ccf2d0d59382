"""Why c03, c05 and c25 fail: the long flows of two round trips with NewReno instead of Reno."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

from penstock.claims import Claim
from penstock.papers.kantawala_turner_2005 import fig4a
from penstock.papers.kantawala_turner_2005.setup import COMPARED, best, measure, queue, times, two_round_trips
from penstock.plots.curves import curves
from penstock.reproduce import Effort
from penstock.shown import Shown
from penstock.study import Study, Table

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Every scheme, RED and Blue with what is best for Reno."""
    tuned, span = best(effort, "two round trips", "long"), times(effort, "two round trips")
    return Study(
        lambda scheme, buffer: two_round_trips("long", queue(scheme, buffer, tuned), span, "newreno"),
        {
            "scheme": effort.choose(["DTDRR", "DSDRR"], COMPARED),
            "buffer": effort.choose([400], [100, 200, 400, 1000, 5000]),
        },
        seeds=5,
    )


def claims(table: Table) -> Iterator[Claim]:
    """The claims of figure 4 (a), as other readings."""
    if not table.has(buffer=5000):
        return
    for claim in fig4a.claims(table):
        reading = "; ".join(part for part in ("NewReno", claim.reading) if part)
        yield replace(claim, reading=reading, because="", must_hold=False)


def draw(shown: Shown) -> Figure:
    """Goodput of the flows of 200 ms."""
    return curves(
        shown, "buffer", "g_slow", "scheme", labels=("buffer (packets)", "goodput with NewReno, 200 ms (%)"), log="x"
    )
