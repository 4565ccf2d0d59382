"""Figure 2.3: 20 flows join three at 50 s (Section 2.4.2.1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.traces import ADAPTIVE, distance, measure
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
    return traces.study(effort, traces.added, [FLOWS])


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure; what it says of Figures 2.3 to 2.6 together is in fig2-3-6."""

    def of(metric: str, scheme: str, window: str = "all") -> Sample:
        return table(metric, scheme=scheme, window=window)

    yield Claim(
        id="fig2.3/c1",
        says="PSAND recovers within 5 s of the step, Floyd's scheme in about 10, Feng's in about 15",
        expected="PSAND < 5 s, Floyd 5 to 20 s, Feng 7.5 to 30 s, PSAND < Floyd < Feng",
        holds=all_of(
            (of("recovery", "PSAND") < 5.0).at("PSAND"),
            of("recovery", "Floyd").reads(10, low=5, high=20).at("Floyd"),
            of("recovery", "Feng").reads(15, low=7.5, high=30).at("Feng"),
            (of("recovery", "PSAND") < of("recovery", "Floyd")).at("PSAND, Floyd"),
            (of("recovery", "Floyd") < of("recovery", "Feng")).at("Floyd, Feng"),
        ),
    )
    yield Claim(
        id="fig2.3/c2",
        says="the adaptive schemes end near the target, RED does not",
        expected="mean WAQS on [70, 100] s in 8 to 12; RED's is farther from 10",
        holds=all_of(
            *(of("WAQS", scheme, "70-100").between(8, 12).at(scheme) for scheme in ADAPTIVE),
            *(
                (distance(table, "70-100", scheme="RED") > distance(table, "70-100", scheme=scheme)).at(
                    f"RED, {scheme}"
                )
                for scheme in ADAPTIVE
            ),
        ),
    )
    yield Claim(
        id="fig2.3d/c1",
        says="PSAND's average swings after the step as before it",
        expected="sd of WAQS on [60, 100] s / [20, 50] s nearest to 1 among the adaptive schemes",
        holds=all_of(
            (abs(of("ratio of sd", "PSAND") - 1) < abs(of("ratio of sd", scheme) - 1)).at(scheme)
            for scheme in ("Feng", "Floyd")
        ),
    )


def draw(shown: Shown) -> Figure:
    """The four schemes over time."""
    return traces.draw(shown, FLOWS)
