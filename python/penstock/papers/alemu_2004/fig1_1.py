"""Figure 1.1: RED's drop function, strict and gentle (Section 1.2.1.1)."""

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
    """Both modes with thresholds of 5 and 15 packets and max_p 0.1, up to 40 packets."""
    strict = functions.rows("strict", "red:max_p=0.1", 40)
    return strict + functions.rows("gentle", "red:max_p=0.1,gentle=true", 40)


def claims(table: Table) -> Iterator[Claim]:
    """Equations 1.2 and 1.3 at every tenth of a packet."""
    xs = table.axis("x")

    def strict(x: float) -> float:
        return 0.0 if x < 5 else 0.1 * (x - 5) / 10 if x < 15 else 1.0

    def gentle(x: float) -> float:
        return strict(x) if x < 15 else min(0.1 + 0.9 * (x - 15) / 15, 1.0)

    for panel, name, law, expected in (
        ("a", "strict", strict, "0 at Min, max_p just below Max, 1 from Max on, linear between"),
        ("b", "gentle", gentle, "max_p at Max, 1 from 2 Max on, no jump"),
    ):
        yield Claim(
            id=f"fig1.1{panel}/c1",
            says=f"the {name} drop function",
            expected=f"{expected}; to 1e-6",
            holds=all_of((abs(table("d", curve=name, x=x) - law(x)) <= 1e-6).at(f"{x:g} packets") for x in xs),
            must_hold=True,
        )


def draw(shown: Shown) -> Figure:
    """Both."""
    return curves(shown, "x", "d", "curve", labels=("average queue (packets)", "drop probability"))
