"""Figure 5.9: the size of a block with fixed redundancy, 100 flows (Section 5.4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import blocks, fig5_8, panels, tables5
from penstock.papers.alemu_2004.fig5_8 import crossing
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """As Figure 5.8, beside which it is put."""
    return fig5_8.study(effort, (50, 100))


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against the REDs."""
    for red, reading in tables5.reds(table):
        yield Claim(
            id="fig5.9/c1",
            says="with 100 flows the trends are the same, and RED is better for smaller blocks only or never",
            expected="rank correlations as in Figure 5.8; crossing at no larger k for each h",
            holds=all_of(
                *fig5_8.trends(table.where(flows=100), 100, red),
                *(
                    (crossing(table, h, 100, red) <= crossing(table, h, 50, red)).at(f"h {h}")
                    for h in dict.fromkeys(numbers(code)[1] for code in table.axis("code"))
                ),
            ),
            reading=reading,
        )


def draw(shown: SummaryTable) -> Figure:
    """For each redundancy."""
    return panels.draw(blocks.by_size(shown), blocks.panels([100], "h", [1, 2, 4]))
