"""Figure 3 (a): settings by the number of flows, from the model of REDopt (Section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import FLOWS, SETTINGS, redopt
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Labels, Table

__all__ = ["claims", "draw", "rows"]


def rows(effort: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """REDopt's settings, and with delayed acknowledgements, as in the testbed."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for b, setting in enumerate(SETTINGS, start=1):
        for flows in FLOWS:
            at = redopt(flows, b)
            numbers = {"min_th": at.min_th, "max_th": at.max_th, "max_p": at.max_p, "w_q": at.w_q, "buffer": at.buffer}
            found.append(({"setting": setting, "flows": flows}, {name: float(x) for name, x in numbers.items()}))
    return found


def claims(table: Table) -> Iterator[Claim]:
    """None: the numbers of the figure are lost, and no claim is made of it."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """max_p, which follows the load."""
    return curves(shown, "flows", "max_p", "setting", labels=("flows", "max_p"), log="x")
