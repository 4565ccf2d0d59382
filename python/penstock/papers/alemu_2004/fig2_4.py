"""Figure 2.4: 50 flows join three at 50 s (Section 2.4.2.1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, traces
from penstock.papers.alemu_2004.traces import OTHERS, measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FLOWS = 50


def study(effort: Effort) -> Study:
    """The four schemes before and after the step."""
    return traces.study(effort, traces.added, [FLOWS])


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure; what it says of Figures 2.3 to 2.6 together is in fig2-3-6."""

    def of(metric: str, scheme: str, window: str = "60-100") -> Sample:
        return table(metric, scheme=scheme, window=window)

    yield Claim(
        id="fig2.4/c1",
        says="Feng's scheme and RED never come back to the target range",
        expected="mean WAQS on [60, 100] s outside 9 to 11",
        holds=all_of(
            any_of(of("WAQS", scheme) < 9.0, of("WAQS", scheme) > 11.0).at(scheme) for scheme in ("Feng", "RED")
        ),
    )
    yield Claim(
        id="fig2.4c/c1",
        says="Floyd's scheme swings with a period of about 15 s",
        expected="largest component of WAQS on [50, 100] s at 10 to 20 s",
        holds=of("period", "Floyd", "all").reads(15, low=10, high=20),
    )
    yield Claim(
        id="fig2.4d/c1",
        says="PSAND is back near the target in less than 10 s, at about 10.7",
        expected="recovery < 10 s; mean WAQS on [60, 100] s 10.7 +- 25 %",
        holds=all_of(
            (of("recovery", "PSAND", "all") < 10.0).at("recovery"), judge.aqs(of("WAQS", "PSAND"), 10.7).at("WAQS")
        ),
    )
    yield Claim(
        id="fig2.4d/c2",
        says="PSAND's queue stays between 5 and 15 packets, the others' do not",
        expected="P(5<X<=15) on [60, 100] s largest for PSAND",
        holds=all_of((of("5 to 15", "PSAND") > of("5 to 15", scheme)).at(scheme) for scheme in OTHERS),
    )


def draw(shown: Shown) -> Figure:
    """The four schemes over time."""
    return traces.draw(shown, FLOWS)
