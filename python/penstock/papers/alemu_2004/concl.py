"""The conclusions of the thesis on PSAND against the adaptive REDs, and on its thresholds (Conclusion)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from penstock.papers.alemu_2004 import judge, loads, tab3_3, traces
from penstock.papers.alemu_2004.setup import added
from penstock.papers.alemu_2004.traces import measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

AREDS = ("Feng", "Floyd")


def study(effort: Effort) -> Study:
    """The runs of Figures 2.3 and 2.9 and of Table 3.3."""
    step, against = traces.steps(added, [20])(effort), loads.study(effort)
    methods = tab3_3.study(effort)
    return replace(against, labels={"part": "loads"}) + replace(methods, labels={"part": "methods"}) + _whole(step)


def _whole(study: Study) -> Study:
    """The part of a study of traces that has the whole run."""
    (whole,) = study.others
    return replace(whole, labels={**whole.labels, "part": "step"})


def claims(table: Table) -> Iterator[Claim]:
    """All that the conclusions say of PSAND, at once."""
    against, methods, step = (table.where(part=part) for part in ("loads", "methods", "step"))
    flows = against.axis("flows")

    def of(metric: str, scheme: str, n: int) -> Sample:
        return against(metric, scheme=scheme, flows=n)

    yield Claim(
        id="concl/c1",
        says="against the adaptive REDs PSAND's queue is shorter, steadier, less often empty and sooner right",
        expected="AQS, VQS, P(X=0) below, PLR at most 0.5 points above for every N; recovery of Figure 2.3 shorter",
        holds=all_of(
            judge.sweep(
                (of(metric, "PSAND", n) < of(metric, s, n)).at(f"{metric}, {s}, {n}")
                for metric in ("AQS", "VQS", "empty")
                for s in AREDS
                for n in flows
            ),
            judge.sweep(
                (of("PLR", "PSAND", n) - of("PLR", s, n) <= 0.5).at(f"PLR, {s}, {n}") for s in AREDS for n in flows
            ),
            *((step("recovery", scheme="PSAND") < step("recovery", scheme=s)).at(f"recovery, {s}") for s in AREDS),
        ),
    )
    yield Claim(
        id="concl/c2",
        says="no way of moving the thresholds beats the fixed (0, 2 KT)",
        expected="no method has AQS, VQS and PLR all below the fixed one's, at 23 or at 103 flows",
        holds=all_of(
            (judge.worst([
                methods(metric, method=method, flows=n) - methods(metric, method="none", flows=n)
                for metric in ("AQS", "VQS", "PLR")
            ]) >= 0.0).at(f"{method}, {n}")
            for method in tab3_3.METHODS
            for n in (23, 103)
        ),
    )  # fmt: skip
