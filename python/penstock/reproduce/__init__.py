"""Reproductions of publications: claims, verdicts, records and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.reproduce.effort import Mode
    from penstock.reproduce.experiment_run import Outcome
    from penstock.studies.store import RunResults


def run(name: str, mode: Mode = "normal", *, store: RunResults | None = None, jobs: int | None = None) -> Outcome:
    """Reproduce an experiment of a paper, as `penstock reproduce`: its runs, its figure, and a verdict on each claim.

    Args:
        name: the paper and the experiment, such as "cc/fig4".
        mode: "quick", "normal" (at most 10 seeds) or "full" (the seeds and run lengths of the paper).
        store: keeps finished runs, so that an interrupted reproduction resumes.
        jobs: number of threads; by default all cores.

    Raises `PenstockError` for an unknown name, or one that stands for several experiments.
    """
    from penstock.engine.run import thread_count
    from penstock.errors import PenstockError
    from penstock.reproduce import effort, experiment_run, paper
    from penstock.studies.store import RunResults

    experiment, *others = paper.find_experiments([name])
    if others:
        raise PenstockError(f"name={name!r}: stands for {len(others) + 1} experiments; name one, as {experiment.name}")
    results = RunResults() if store is None else store
    return experiment_run.run_experiment(experiment, effort.ReproductionEffort(mode, results, thread_count(jobs)))
