"""Schemes side by side on one scenario: paired run by run, with confidence intervals."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock import _native
from penstock.engine.run import cores, run_batch
from penstock.errors import PenstockError
from penstock.laws import python_law
from penstock.results.comparison import Comparison
from penstock.scenario.budget import Limits
from penstock.scenario.scenario import ScenarioLike
from penstock.studies.candidate import Precision, SchemeLike
from penstock.studies.collected import Collected
from penstock.studies.executor import Progress
from penstock.studies.looks import Looks
from penstock.studies.plan import Plan
from penstock.studies.store import Results

__all__ = ["compare", "run_plan"]


def compare(
    scenario: ScenarioLike,
    schemes: SchemeLike | Iterable[SchemeLike],
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    runs: int = 30,
    precision: Precision | None = None,
    at: str | Sequence[str] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: Results | None = None,
    max_events: float | None = None,
    max_memory: str | None = None,
) -> Comparison:
    """Compare schemes on a scenario, paired run by run on the seeds seed, seed + 1, ..., seed + runs - 1.

    Args:
        scenario: a scenario, or the path of its file.
        schemes: one or several schemes, as queues or as texts after `--scheme`.
        vary: paths with their values; all combinations are run.
        runs: number of runs of each scheme at each combination, from 1.
        precision: add runs until a metric reaches this precision. It is checked after `runs`, twice, four times as many
        and so on, and the intervals are corrected for all of these looks (`penstock.studies.looks`).
        at: links whose queue is replaced; by default the watched ones.
        jobs: number of threads; by default all cores.
        progress: called with the numbers of finished and planned runs.
        store: where finished runs are kept and looked up, so that an interrupted comparison resumes.
        max_events: refuse runs estimated to have more events than this; 1e12 by default.
        max_memory: refuse runs estimated to need more memory than this, such as "64GiB"; by default 80 % of the
        available memory.

    Raises `ScenarioError` with the errors of all cases before anything is run.
    """
    if runs < 1:
        raise PenstockError("at least one run is needed")
    plan = Plan.make(scenario, schemes, vary, at)
    for note in plan.check_budget(runs, jobs or cores(), Limits.parse(max_events, max_memory)):
        warnings.warn(note, stacklevel=2)
    return run_plan(plan, runs, precision, jobs, progress, store)


def run_plan(
    plan: Plan,
    runs: int,
    precision: Precision | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: Results | None = None,
) -> Comparison:
    """Make the runs of a plan: see `compare`."""
    seed = int(plan.base.shown["seed"])
    looks = Looks((runs,)) if precision is None else Looks.plan(runs, precision.max_runs)
    found = Collected(plan, jobs or cores(), progress, store, looks.alpha)
    for look in looks.runs:
        found.add(range(seed + found.runs, seed + look))
        if precision is None or found.precise(precision):
            break
    laws = python_law.sources({scheme.name for scheme in plan.schemes} | {*python_law.schemes_in(plan.base.shown)})
    result: dict[str, Any] = {
        "penstock": _native.version,
        "scenario": {**plan.base.shown, "seed": seed},
        **({"laws": laws} if laws else {}),
        **({} if precision is None else {"precision": _planned(precision, looks)}),
        "rows": list(found.rows()),
        "differences": list(found.differences()),
    }

    def series(wanted: int | None, jobs: int | None) -> list[dict[str, Any]]:
        return _series(plan, seed if wanted is None else wanted, jobs)

    return Comparison(result, at=plan.at, run_rows=found.run_rows, run_series=series)


def _planned(precision: Precision, looks: Looks) -> dict[str, Any]:
    """The goal, the looks, and the level of the interval at each of them, at which all of them cover with 95 %."""
    goal = {"metric": precision.metric, "rel_error": precision.rel_error}
    return {**goal, "looks": list(looks.runs), "level": 1 - looks.alpha}


def _series(plan: Plan, seed: int, jobs: int | None) -> list[dict[str, Any]]:
    """Queue and law over time, for one run of each case."""
    texts = [case.resolved.for_engine(flows=False, series=True) for case in plan.cases]
    results = run_batch(texts, [seed] * len(texts), jobs=jobs)
    return [
        {
            "scheme": case.candidate.name,
            "params": dict(case.candidate.params),
            "vary": dict(case.vary),
            "links": json.loads(result)["series"],
        }
        for case, result in zip(plan.cases, results, strict=True)
    ]
