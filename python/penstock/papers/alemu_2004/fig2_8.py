"""Figure 2.8: 50 flows leave three at 50 s (Section 2.4.2.1.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.traces import OTHERS, distance, measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FLOWS = 50


def study(effort: Effort) -> Study:
    """The four schemes before and after the step."""
    return traces.study(effort, traces.removed, [FLOWS])


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""

    def of(metric: str, scheme: str, window: str) -> Sample:
        return table(metric, scheme=scheme, window=window)

    yield Claim(
        id="fig2.8/c1",
        says="with 53 flows RED and the adaptive REDs are farther from the target and swing more than PSAND",
        expected="on [10, 50] s |mean WAQS - 10| and the variance of X larger than PSAND's",
        holds=all_of(
            *(
                (distance(table, "10-50", scheme=scheme) > distance(table, "10-50", scheme="PSAND")).at(
                    f"WAQS, {scheme}"
                )
                for scheme in OTHERS
            ),
            *((of("VQS", scheme, "10-50") > of("VQS", "PSAND", "10-50")).at(f"VQS, {scheme}") for scheme in OTHERS),
        ),
    )
    yield Claim(
        id="fig2.8/c2",
        says="after the flows have gone the others are often empty; PSAND swings as before",
        expected="P(X=0) on [50, 100] s above PSAND's; its variance on [60, 100] s within 40 % of that on [10, 50]",
        holds=all_of(
            *((of("empty", scheme, "50-100") > of("empty", "PSAND", "50-100")).at(scheme) for scheme in OTHERS),
            (of("VQS", "PSAND", "60-100") / of("VQS", "PSAND", "10-50")).reads(1, share=0.4).at("PSAND"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The four schemes over time."""
    return traces.draw(shown, FLOWS)
