"""Figure 2.7: 20 flows leave three at 50 s (Section 2.4.2.1.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.traces import ADAPTIVE, OTHERS, measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FLOWS = 20


def study(effort: Effort) -> Study:
    """The four schemes before and after the step."""
    return traces.study(effort, traces.removed, [FLOWS])


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""

    def of(metric: str, scheme: str, window: str = "all") -> Sample:
        return table(metric, scheme=scheme, window=window)

    yield Claim(
        id="fig2.7/c1",
        says="after the flows have gone PSAND is stable within 3 s, the others in about 5",
        expected="within a quarter (2 packets at least) of its later level for 3 s: PSAND < 3 s, others 2.5 to 10",
        holds=all_of(
            (of("settling", "PSAND") < 3.0).at("PSAND"),
            *(of("settling", scheme).reads(5, low=2.5, high=10).at(scheme) for scheme in OTHERS),
        ),
    )
    yield Claim(
        id="fig2.7/c2",
        says="RED's queue falls most at 50 s",
        expected="mean WAQS of [45, 50] s less the least of [50, 55] s: RED > Feng, Floyd",
        holds=all_of((of("fall", "RED") > of("fall", scheme)).at(scheme) for scheme in ("Feng", "Floyd")),
    )
    yield Claim(
        id="fig2.7/c3",
        says="afterwards RED's queue is empty most often, the adaptive REDs' more often than PSAND's",
        expected="P(X=0) on [50, 100] s: RED > Feng, Floyd > PSAND",
        holds=all_of(
            *(
                (of("empty", "RED", "50-100") > of("empty", scheme, "50-100")).at(f"RED, {scheme}")
                for scheme in ADAPTIVE
            ),
            *(
                (of("empty", scheme, "50-100") > of("empty", "PSAND", "50-100")).at(scheme)
                for scheme in ("Feng", "Floyd")
            ),
        ),
    )

    def change(scheme: str) -> Sample:
        return of("WAQS", scheme, "20-50") - of("WAQS", scheme, "60-100")

    yield Claim(
        id="fig2.7/c4",
        says="PSAND's average changes least, the others' falls much",
        expected="|change of mean WAQS| from [20, 50] to [60, 100] s smallest for PSAND; the others' falls",
        holds=all_of(
            *((abs(change("PSAND")) < abs(change(scheme))).at(scheme) for scheme in OTHERS),
            *((change(scheme) > 0.0).at(scheme) for scheme in OTHERS),
        ),
    )
    yield Claim(
        id="fig2.7/c5",
        says="PSAND's queue swings least afterwards",
        expected="variance of X on [60, 100] s smallest for PSAND",
        holds=all_of((of("VQS", "PSAND", "60-100") < of("VQS", scheme, "60-100")).at(scheme) for scheme in OTHERS),
    )


def draw(shown: Shown) -> Figure:
    """The four schemes over time."""
    return traces.draw(shown, FLOWS)
