"""One run of each scheme at each point of a comparison, over time: its queues, rates, windows, drops and marks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from penstock.engine.course import course_of
from penstock.engine.run import threads_of
from penstock.results.runs import Runs
from penstock.scenario.scenario import Document

__all__ = ["over_time"]


def over_time(runs: Runs, seed: int | None = None, jobs: int | None = None) -> list[dict[str, Any]]:
    """Run each scheme at each point once more, and record it over time.

    `seed` defaults to the seed of the scenario. Returns an entry per run: `scheme`, `params`, `vary`, `links` with the
    series of each watched link as in the JSON of `run`, and its `course` (`penstock.engine.course`).
    """
    labels, cases = [], []
    for point, scheme, address in runs.cases():
        name, params = runs.design.schemes[scheme]
        labels.append({"scheme": name, "params": dict(params), "vary": dict(runs.design.points[point])})
        cases.append(Document(dict(runs.design.scenarios[address]), {}).resolve())
    run_seed = int(runs.design.scenario["seed"]) if seed is None else seed
    pool = ThreadPoolExecutor(threads_of(jobs))
    try:
        courses = list(pool.map(lambda resolved: course_of(resolved, run_seed), cases))
    finally:
        pool.shutdown(cancel_futures=True)
    return [{**label, "links": links, "course": course} for label, (links, course) in zip(labels, courses, strict=True)]
