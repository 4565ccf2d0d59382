"""Figure 1.5: RIO's two drop functions (Section 1.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import functions
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "rows"]


def rows(_: Effort) -> functions.Rows:
    """RED's function with the thresholds that RIO has by default for In and for Out packets (the thesis has none)."""
    inside = functions.rows("In", "red:min_th=15,max_th=30,max_p=0.02", 40)
    return inside + functions.rows("Out", "red:min_th=5,max_th=15,max_p=0.2", 40)


def claims(table: Table) -> Iterator[Claim]:
    """One above the other."""
    yield Claim(
        id="fig1.5/c1",
        says="Out packets are never less likely to be dropped",
        expected="d_out(a) >= d_in(a) at every average, with the same queue for both",
        holds=all_of(
            (table("d", curve="Out", x=x) - table("d", curve="In", x=x) >= 0.0).at(f"{x:g} packets")
            for x in table.axis("x")
        ),
        must_hold=True,
    )


def draw(shown: Shown) -> Figure:
    """Both."""
    return curves(shown, "x", "d", "curve", labels=("average queue (packets)", "drop probability"))
