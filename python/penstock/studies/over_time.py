"""One run of each scheme at each point of a comparison, over time: its queues, rates, windows, drops and marks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from penstock.engine.course import has_course, run_course
from penstock.engine.run import thread_count
from penstock.engine.trace import record_run
from penstock.results.run_table import RunTable
from penstock.scenario.document import Document

__all__ = ["record_over_time"]


def record_over_time(runs: RunTable, seed: int | None = None, jobs: int | None = None) -> list[dict[str, Any]]:
    """Run each scheme at each point once more, and record it over time.

    `seed` defaults to the seed of the scenario. Returns an entry per run: `scheme`, `params`, `vary`, `links` with the
    series of each watched link as in the JSON of `run`, and its `course` (`penstock.engine.course`).
    """
    run_seed = int(runs.design.scenario["seed"]) if seed is None else seed

    def entry(point: int, scheme: int, address: str) -> dict[str, Any]:
        name, params = runs.design.schemes[scheme]
        resolved = Document(dict(runs.design.scenarios[address]), {}).resolve()
        recorded = record_run(resolved, run_seed, series=True, events=has_course(resolved))
        labels = {"scheme": name, "params": dict(params), "vary": dict(runs.design.points[point])}
        return {**labels, "links": recorded.run.series, "course": run_course(recorded)}

    pool = ThreadPoolExecutor(thread_count(jobs))
    try:
        return list(pool.map(lambda case: entry(*case), runs.cases()))
    finally:
        pool.shutdown(cancel_futures=True)
