"""RFC 7928's scenarios, run with schemes against drop-tail: a row for each scenario and scheme."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from penstock import _native
from penstock.engine.run import thread_count
from penstock.errors import OptionOrigin, PenstockError
from penstock.evaluation import congestion_levels, traffic_mixes, transport
from penstock.evaluation.case import Case
from penstock.evaluation.discussion import Discussion, discuss_schemes
from penstock.evaluation.extent import FULL, QUICK, EvaluationExtent
from penstock.results import estimates
from penstock.results.display import scheme_argument
from penstock.results.run_table import Array
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.compare import run_plan
from penstock.studies.executor import Progress
from penstock.studies.plan import ComparisonPlan
from penstock.studies.runs import Runs
from penstock.studies.store import RunResults

__all__ = ["FULL", "QUICK", "CaseResult", "Evaluation", "EvaluationExtent", "evaluate", "rfc_cases"]

LINKS = ("bottleneck", "bottleneck.reverse", "second")
LINK = ("utilization", "delay_mean_s", "delay_p99_s", "loss_rate", "jain")
GROUP = ("goodput_bps", "loss_rate", "completion_mean_s", "owd_mean_s", "jitter_mean_s")


@dataclass(frozen=True)
class CaseResult:
    """A scheme in a scenario.

    Attributes:
        case: the scenario.
        scheme: label in the notation of `--scheme`.
        metrics: by place and metric: mean and 95 % interval.
        differences_to_droptail: the same of the difference to drop-tail, paired by seed; empty for drop-tail.

    """

    case: Case
    scheme: str
    metrics: dict[str, dict[str, dict[str, Any]]]
    differences_to_droptail: dict[str, dict[str, dict[str, Any]]]

    def compared_with_droptail(self, metric: str, *, lower_is_better: bool) -> str:
        """Beside drop-tail: "better", "worse", "tie"; empty without a difference."""
        difference = self.differences_to_droptail.get("bottleneck", {}).get(metric)
        if difference is None or difference["ci95"] is None:
            return ""
        low, high = difference["ci95"]
        if low <= 0 <= high:
            return "tie"
        return "better" if (high < 0) == lower_is_better else "worse"


@dataclass(frozen=True)
class Evaluation:
    """The outcome of `evaluate`.

    Attributes:
        extent: quick or full, with the dumbbell and the runs of each scenario.
        runs: the runs of all scenarios; the swept key `case` is the id of the scenario, as in
            `runs.where(case="8.2.2")`. Drop-tail is the first scheme.
        discussion: sections 8.3, 11 and 12 for each scheme.
        sensitivity_runs: the runs of section 8.3, behind mild congestion: each scheme other than drop-tail as given,
            and with one parameter halved or doubled, as in `sensitivity_runs["codel:target=10ms"]`.

    """

    extent: EvaluationExtent
    runs: Runs
    discussion: tuple[Discussion, ...]
    sensitivity_runs: Runs

    @property
    def schemes(self) -> tuple[str, ...]:
        """The labels of the schemes; drop-tail is the first."""
        return tuple(scheme.argument for scheme in self.runs.schemes)

    @cached_property
    def cases(self) -> list[Case]:
        """The scenarios in the order of the RFC."""
        return rfc_cases(self.extent)

    @cached_property
    def rows(self) -> tuple[CaseResult, ...]:
        """A row for each scenario and scheme."""
        columns = [c for c in self.runs.columns if c.metric in (*LINK, *GROUP)]
        means, against = (
            estimates.mean_estimates(self.runs, columns),
            estimates.difference_estimates(self.runs, columns, 0),
        )
        rows = {(case.id, scheme): CaseResult(case, scheme, {}, {}) for case in self.cases for scheme in self.schemes}
        for each in (*means, *against):
            row = rows[each["vary"]["case"], scheme_argument(each["scheme"], each["params"])]
            place, metric = each["place"], each["metric"]
            if (place in LINKS and metric in LINK) or (place in row.case.groups and metric in GROUP):
                numbers = row.differences_to_droptail if "against" in each else row.metrics
                numbers.setdefault(place, {})[metric] = {"mean": each["mean"], "ci95": each["ci95"]}
        return tuple(rows.values())

    def points(self, case: Case, scheme: str) -> tuple[Array, Array]:
        """Queueing delay (s) and goodput of all groups (bit/s) of each run (section 2.7: one point per run)."""
        at = self.cases.index(case), self.schemes.index(scheme)
        columns = ["links.bottleneck.delay_mean_s", *(f"traffic.{name}.goodput_bps" for name in case.groups)]
        delay, *goodputs = (np.nan_to_num(self.runs.column_array(column)[at]) for column in columns)
        return delay, np.sum(goodputs, axis=0)

    def counts(self, scheme: str, metric: str, *, lower_is_better: bool) -> dict[str, int]:
        """The numbers of scenarios in which a scheme is better than drop-tail, ties with it, or is worse."""
        outcomes = [
            row.compared_with_droptail(metric, lower_is_better=lower_is_better)
            for row in self.rows
            if row.scheme == scheme
        ]
        return {word: outcomes.count(word) for word in ("better", "tie", "worse")}

    @property
    def conclusion(self) -> str:
        """A sentence for each scheme: delay and utilization compared with drop-tail."""
        sentences = []
        for scheme in self.schemes[1:]:
            delay = self.counts(scheme, "delay_mean_s", lower_is_better=True)
            used = self.counts(scheme, "utilization", lower_is_better=False)
            total = sum(delay.values())
            sentences.append(
                f"{scheme} has a shorter queueing delay than drop-tail in {delay['better'] or 'none'} of {total} "
                f"scenarios and a longer one in {delay['worse'] or 'none'}; it uses less of the link in "
                f"{used['worse'] or 'none'} and more in {used['better'] or 'none'}."
            )
        return " ".join(sentences)

    def to_dict(self) -> dict[str, Any]:
        """As `penstock evaluate --json` writes it."""
        dumbbell = self.extent.dumbbell
        return {
            "penstock": _native.version,
            "rfc": 7928,
            "quick": self.extent.quick,
            "bench": {"rate_bps": dumbbell.rate_bps, "rtt_s": dumbbell.rtt_ms / 1e3, "buffer_pkts": dumbbell.buffer()},
            "runs": self.extent.runs,
            "schemes": list(self.schemes),
            "conclusion": self.conclusion,
            "rows": [
                {
                    "id": row.case.id,
                    "section": row.case.section,
                    "title": row.case.title,
                    "requirement": row.case.requirement_level,
                    "scheme": row.scheme,
                    "metrics": row.metrics,
                    "against_droptail": row.differences_to_droptail,
                }
                for row in self.rows
            ],
            "discussion": [entry.to_dict() for entry in self.discussion],
        }


def rfc_cases(extent: EvaluationExtent) -> list[Case]:
    """The scenarios in the order of the RFC."""
    cases = [
        *transport.transport_cases(extent.quick),
        *congestion_levels.congestion_cases(),
        *traffic_mixes.mix_cases(),
    ]
    return sorted(cases, key=lambda case: [int(part) for part in case.section.split(".")])


def evaluate(
    schemes: Iterable[SchemeLike],
    extent: EvaluationExtent = FULL,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: RunResults | None = None,
) -> Evaluation:
    """Run every scenario of RFC 7928 with drop-tail and these schemes.

    Args:
        schemes: as after `--scheme`; AQMs in Python too.
        extent: `FULL`, or `QUICK` for a first look, as `penstock evaluate --quick`.
        jobs: number of threads; by default all cores.
        progress: called with the numbers of finished and planned runs of the scenarios.
        store: where finished runs are kept and looked up.

    Raises `ScenarioError` with all errors of the schemes.
    """
    named = [
        candidate
        for candidate in Candidate.from_schemes(schemes, OptionOrigin("SCHEME", "schemes"))
        if candidate.label != "droptail"
    ]
    if not named:
        raise PenstockError("name a scheme other than droptail, which is always there to compare with")
    candidates, threads = (Candidate("droptail"), *named), thread_count(jobs)
    runs = run_plan(_plan(extent, candidates), extent.runs, jobs=threads, progress=progress, store=store)
    runs = Runs(runs.table, replace(runs.design, written_scenario=None))  # no single scenario file has these scenarios
    return Evaluation(extent, runs, *discuss_schemes(extent, named, threads, store))


def _plan(extent: EvaluationExtent, candidates: tuple[Candidate, ...]) -> ComparisonPlan:
    """The plan of all scenarios, which are the points of the sweep."""
    cases = rfc_cases(extent)
    plans = [
        ComparisonPlan.resolve_cases(
            case.scenario(extent.dumbbell), [_changed(candidate, case) for candidate in candidates]
        )
        for case in cases
    ]
    return replace(
        plans[0],
        base=plans[0].document.set("name", "RFC 7928", "evaluate").resolve(),
        cases=tuple(
            replace(planned, candidate=candidate, vary={"case": case.id})
            for case, plan in zip(cases, plans, strict=True)
            for candidate, planned in zip(candidates, plan.cases, strict=True)
        ),
        schemes=candidates,
        points=tuple({"case": case.id} for case in cases),
    )


def _changed(candidate: Candidate, case: Case) -> Candidate:
    """The scheme with the changes of the case to parameters that it has."""
    from penstock.aqms.catalog import find_scheme

    names = {param.name for param in find_scheme(candidate.name).params}
    more = {name: value for name, value in case.changes.items() if name in names and name not in candidate.params}
    return replace(candidate, params={**candidate.params, **more})
