"""Figure 5.6: runs of losses of the datagrams (Section 5.4.1.4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """The code (16,1)."""
    return tables5.study(effort, ["16,1"])


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against both REDs."""
    flows = table.axis("flows")
    for red, reading in tables5.reds(table):
        yield Claim(
            id="fig5.6/c1",
            says="nine in ten of RED's runs are single losses, six in ten of drop-tail's",
            expected="P(LRL=1) 90 % and 60 %, each +- 30 % of it, for every n",
            holds=all_of(
                judge.probability(table("LRL1", scheme=s, flows=n), value).at(f"{s}, {n} flows")
                for s, value in ((red, 90), ("DT", 60))
                for n in flows
            ),
            reading=reading,
        )
        yield Claim(
            id="fig5.6/c2",
            says="this depends little on the number of flows",
            expected="P(LRL=1) within 10 % of its mean over n",
            holds=all_of(
                (judge.relative_spread([table("LRL1", scheme=s, flows=n) for n in flows]) <= 0.2).at(s)
                for s in ("DT", red)
            ),
            reading=reading,
        )


def draw(shown: SummaryTable) -> Figure:
    """Runs of one, two and three."""
    return panels.draw(shown, [panels.Panel("flows", y, "scheme") for y in ("LRL1", "LRL2", "LRL3")], columns=3)
