"""Figure 1.3: the two slopes of DSRED (Section 1.2.1.5)."""

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
    """Kl 5, Kh 25, gamma 0.96."""
    return functions.rows("DSRED", "dsred:min_th=5,max_th=25,gamma=0.96", 40)


def claims(table: Table) -> Iterator[Claim]:
    """Equation 1.12."""
    yield Claim(
        id="fig1.3/c1",
        says="the slopes meet half-way and end at 1",
        expected="1 - gamma = 0.04 at Km = 15, 1 from Kh = 25 on, linear between; to 1e-6",
        holds=all_of((abs(table("d", x=x) - _law(x)) <= 1e-6).at(f"{x:g} packets") for x in table.axis("x")),
        must_hold=True,
    )


def _law(x: float) -> float:
    return 0.0 if x < 5 else 0.004 * (x - 5) if x < 15 else min(0.04 + 0.096 * (x - 15), 1.0)


def draw(shown: Shown) -> Figure:
    """The function."""
    return curves(shown, "x", "d", "curve", labels=("average queue (packets)", "drop probability"))
