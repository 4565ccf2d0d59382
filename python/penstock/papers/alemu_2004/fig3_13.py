"""Figure 3.13: method 7, pseudo drop-tail, 23 flows (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import measure
from penstock.papers.alemu_2004.setup import KT
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METHODS = ["pseudo-drop-tail", "none"]


def study(effort: Effort) -> Study:
    """The method and, beside it, PSAND with fixed thresholds."""
    return adaptations.study(effort, METHODS, 23)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    own = table.where(method=METHODS[0])
    fixed = table.where(method="none")
    yield Claim(
        id="fig3.13/c1",
        says="the average is near the target, the queue between 0 and 20; less is used and more lost than with PSAND",
        expected="mean WAQS 10 +- 25 %, X <= 20 for 90 % of the time; LU below and PLR above PSAND's",
        holds=all_of(
            own("WAQS").reads(KT, share=0.25).at("WAQS"),
            (own("to 20") >= 90.0).at("X"),
            (own("LU") < fixed("LU")).at("LU"),
            (own("PLR") > fixed("PLR")).at("PLR"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Average and thresholds over time."""
    return adaptations.draw(shown, METHODS[0])
