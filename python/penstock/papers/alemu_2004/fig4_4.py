"""Figure 4.4: LRED with 3 flows (Section 4.5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import BUFFER, SHARE, link, psand
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

BETAS = [0.001, 0.003, 0.01, 0.021, 0.05, 0.151, 0.4]


def study(effort: Effort) -> Study:
    """LRED with several gains, and PSAND, with the starts of chapter 4."""
    seeds = effort.choose(5, 20)

    def three(queue: ps.Queue) -> ps.Scenario:
        return link(queue, 0, base=("0s", "100ms", "200ms"))

    return Study(
        lambda beta: three(ps.Lred(beta=beta, limit=f"{BUFFER}p", share=SHARE)), {"beta": BETAS}, seeds=seeds
    ) + Study(lambda scheme: three(psand()), {"scheme": ["PSAND"]}, seeds=seeds)


def claims(table: Table) -> Iterator[Claim]:
    """Against PSAND."""
    own = table.where(scheme="PSAND")
    yield Claim(
        id="fig4.4/c1",
        says="LRED swings more than PSAND and is empty more often; no gain mends it",
        expected="VQS and P(X=0) above PSAND's at gain 0.151; one of them above at every gain",
        holds=all_of(
            *((table(metric, beta=0.151) > own(metric)).at(f"{metric}, 0.151") for metric in ("VQS", "empty")),
            *(
                any_of(table(metric, beta=beta) > own(metric) for metric in ("VQS", "empty")).at(f"{beta:g}")
                for beta in BETAS
            ),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Variance and empty queues against LRED's gain."""
    lines = Shown(({**labels, "scheme": "LRED"}, points) for labels, points in shown.cells if labels.get("beta"))
    return panels.draw(lines, [panels.Panel("beta", y, "scheme") for y in ("VQS", "empty")])
