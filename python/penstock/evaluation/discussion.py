"""Sections 8.3, 11 and 12 of RFC 7928: sensitivity to parameters, cost of the implementation, operator control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.aqms.catalog import Param, find_scheme
from penstock.errors import ScenarioError
from penstock.evaluation.extent import EvaluationExtent
from penstock.evaluation.network import MILD
from penstock.studies.candidate import Candidate
from penstock.studies.compare import run_plan
from penstock.studies.plan import ComparisonPlan
from penstock.studies.store import RunResults

__all__ = ["Discussion", "discuss_schemes"]

FACTORS = (0.5, 2.0)
"""Factors by which each parameter with a numeric default is changed."""


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
) -> Iterator[Discussion]:
    """The points that the RFC asks to be discussed, as far as the catalogue and runs answer them."""
    for candidate in schemes:
        scheme = find_scheme(candidate.name)
        knobs = [
            {"name": param.name, "default": param.default, "unit": param.unit, "doc": param.doc}
            for param in scheme.params
            if param.name != "limit"
        ]
        required = [param.name for param in scheme.params if param.required]
        marks = any(param.name == "ecn" for param in scheme.params)
        needs = {"must_be_given": required, "marks": marks}
        yield Discussion(candidate.label, _sensitivity(extent, candidate, scheme.params, threads, store), needs, knobs)


def _sensitivity(
    extent: EvaluationExtent, candidate: Candidate, params: Sequence[Param], threads: int, store: RunResults | None
) -> list[dict[str, Any]]:
    """Mean delay and utilization with one parameter halved or doubled, relative to the scheme as given."""
    scenario = extent.dumbbell.scenario("sensitivity", {"bulk": extent.dumbbell.tcp(extent.dumbbell.flows(MILD))})
    changed: list[tuple[str, float, Candidate]] = []
    for param in params:
        for factor in FACTORS:
            value = _scaled(param, factor)
            if value is None or param.name in candidate.params:
                continue
            other = Candidate(candidate.name, {**candidate.params, param.name: value})
            if _is_valid(scenario, other):
                changed.append((param.name, factor, other))
    if not changed:
        return []
    runs = run_plan(
        ComparisonPlan.resolve_cases(
            scenario, [candidate, *(changed_candidate for _, _, changed_candidate in changed)]
        ),
        extent.runs,
        jobs=threads,
        store=store,
    )

    def metric_mean(compared: Candidate, metric: str) -> float:
        return runs.estimate(metric, "bottleneck", scheme=compared.label).mean

    return [
        {
            "parameter": name,
            "factor": factor,
            **{
                metric: metric_mean(other, metric) / metric_mean(candidate, metric)
                if metric_mean(candidate, metric)
                else None
                for metric in ("delay_mean_s", "utilization")
            },
        }
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


def _is_valid(scenario: Any, candidate: Candidate) -> bool:
    try:
        ComparisonPlan.resolve_cases(scenario, [candidate])
    except ScenarioError:
        return False
    return True
