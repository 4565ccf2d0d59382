"""Sections 8.3, 11 and 12 of RFC 7928: sensitivity to parameters, cost of the implementation, operator control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from penstock.aqms.catalog import Param, find_scheme
from penstock.errors import ScenarioError
from penstock.evaluation.extent import EvaluationExtent
from penstock.evaluation.network import MILD
from penstock.scenario.document import Document
from penstock.studies.candidate import Candidate
from penstock.studies.compare import run_plan
from penstock.studies.plan import ComparisonPlan
from penstock.studies.runs import Runs
from penstock.studies.store import RunResults

__all__ = ["Discussion", "discuss_schemes"]

FACTORS = (0.5, 2.0)
"""Factors by which each parameter with a numeric default is changed."""

Change = tuple[str, float, Candidate]
"""A changed parameter, its factor, and the scheme with it."""

SENSITIVITY_METRICS = ("delay_mean_s", "utilization")
"""The metrics whose change is reported."""


@dataclass(frozen=True)
class Discussion:
    """The discussion of a scheme that RFC 7928 asks for (sections 8.3, 11 and 12).

    Attributes:
        scheme: its label.
        sensitivity: section 8.3: for each changed parameter the changes of mean delay and utilization behind mild
            congestion, as factors.
        implementation_needs: section 11: the parameters that must be given, and whether it marks.
        knobs: section 12: the parameters with their defaults.

    """

    scheme: str
    sensitivity: list[dict[str, Any]]
    implementation_needs: dict[str, Any]
    knobs: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The discussion as in the JSON of an evaluation."""
        return {
            "scheme": self.scheme,
            "8.3": {"sensitivity": self.sensitivity},
            "11": self.implementation_needs,
            "12": {"knobs": self.knobs},
        }


def discuss_schemes(
    extent: EvaluationExtent, schemes: Sequence[Candidate], threads: int, store: RunResults | None
) -> tuple[tuple[Discussion, ...], Runs]:
    """The points that the RFC asks to be discussed, as far as the catalogue and runs answer them, and these runs."""
    scenario = extent.dumbbell.scenario("sensitivity", {"bulk": extent.dumbbell.tcp(extent.dumbbell.flows(MILD))})
    changes = [_changes(scenario, candidate) for candidate in schemes]
    compared = {each.label: each for each in (*schemes, *(other for changed in changes for _, _, other in changed))}
    plan = ComparisonPlan.resolve_cases(scenario, list(compared.values()))
    runs = run_plan(plan, extent.runs, jobs=threads, store=store)
    discussions = []
    for candidate, changed in zip(schemes, changes, strict=True):
        scheme = find_scheme(candidate.name)
        knobs = [
            {"name": param.name, "default": param.default, "unit": param.unit, "doc": param.doc}
            for param in scheme.params
            if param.name != "limit"
        ]
        required = [param.name for param in scheme.params if param.required]
        marks = any(param.name == "ecn" for param in scheme.params)
        needs = {"must_be_given": required, "marks": marks}
        discussions.append(Discussion(candidate.label, _sensitivity(runs, candidate, changed), needs, knobs))
    return tuple(discussions), runs


def _changes(scenario: Document, candidate: Candidate) -> list[Change]:
    """The scheme with one parameter halved or doubled; parameters that are given stay."""
    changed = []
    for param in find_scheme(candidate.name).params:
        for factor in FACTORS:
            value = _scaled(param, factor)
            if value is None or param.name in candidate.params:
                continue
            other = Candidate(candidate.name, {**candidate.params, param.name: value})
            if _is_valid(scenario, other):
                changed.append((param.name, factor, other))
    return changed


def _sensitivity(runs: Runs, candidate: Candidate, changed: Sequence[Change]) -> list[dict[str, Any]]:
    """Mean delay and utilization with each change, relative to the scheme as given."""

    def ratio(other: Candidate, metric: str) -> float | None:
        mean, given = (runs.estimate(metric, "bottleneck", scheme=each.label).mean for each in (other, candidate))
        return mean / given if given else None

    return [
        {"parameter": name, "factor": factor, **{metric: ratio(other, metric) for metric in SENSITIVITY_METRICS}}
        for name, factor, other in changed
    ]


def _scaled(param: Param, factor: float) -> Any:
    """The default times a factor, for numbers, lengths and times; None for any other value."""
    default = param.default
    if param.kind == "time" and isinstance(default, dict):
        return f"{default['ns'] * factor / 1e6:g}ms"
    plain = isinstance(default, (int, float)) and not isinstance(default, bool) and default > 0
    if not plain or param.kind not in ("number", "integer", "length", "length_or_time"):
        return None
    return max(1, round(default * factor)) if param.kind == "integer" else default * factor


def _is_valid(scenario: Document, candidate: Candidate) -> bool:
    try:
        ComparisonPlan.resolve_cases(scenario, [candidate])
    except ScenarioError:
        return False
    return True
