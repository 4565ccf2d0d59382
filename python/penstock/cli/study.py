"""`penstock study`: a grid of scenarios, schemes and seeds from a file, in a store."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import Jobs, JsonTarget, Load, StoreFolder
from penstock.cli.output import load_laws, notify, output_file, print_result, write_json
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.studies.complete import Shard
    from penstock.studies.executor import Executor
    from penstock.studies.store import Store
    from penstock.studies.study import Batch
    from penstock.studies.study_file import StudyFile

EXAMPLE = "penstock study examples/buffers.study.toml --dry-run"
INCOMPLETE = 5
MAX_SUMMARIZED = 200_000
"""Maximum number of runs that are summarized at the end; a store of more is asked with `penstock query`."""

Target = Annotated[
    str,
    typer.Argument(
        metavar="STUDY.toml|status|resume",
        help="Study file; or status, for the state of the studies in a store; or resume, to complete them.",
        show_default=False,
    ),
]
Folder = Annotated[
    str | None, typer.Argument(metavar="[STORE]", help="Store of status and resume.", show_default=False)
]
ShardText = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Make only part I of N, for the jobs of an array on one store."),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Make the runs on a Dask cluster: its scheduler's address or file."
    ),
]
Slurm = Annotated[
    int | None,
    typer.Option("--slurm", metavar="N", min=1, help="Print the script of a SLURM job array with N jobs; run nothing."),
]
SlurmTime = Annotated[
    str | None,
    typer.Option("--time", metavar="TIME", help="With --slurm: time limit of a job, as for sbatch; default: 24:00:00."),
]
SlurmCpus = Annotated[
    int | None,
    typer.Option("--cpus-per-task", metavar="N", min=1, help="With --slurm: threads of a job; default: 4."),
]
SlurmMemory = Annotated[
    str | None,
    typer.Option("--mem", metavar="SIZE", help="With --slurm: memory of a job, such as 4G; default: the cluster's."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show cells, runs, and processor time and disk by a sample; keep nothing.")
]


def study(
    target: Target,
    folder: Folder = None,
    store: StoreFolder = None,
    jobs: Jobs = None,
    cluster: ClusterAddress = None,
    shard: ShardText = None,
    slurm: Slurm = None,
    time: SlurmTime = None,
    cpus: SlurmCpus = None,
    memory: SlurmMemory = None,
    dry_run: DryRun = False,
    load: Load = [],  # noqa: B006
    json_target: JsonTarget = None,
) -> None:
    """Run a study: a grid of scenarios, schemes and seeds.

    Each run is kept in the store once. Run the same command again to go on after an interruption, or after the file has
    got more values, schemes or seeds; several machines may work on one store at the same time.
    """
    from penstock.studies.complete import Shard
    from penstock.studies.study_file import StudyFile

    json_file = output_file(json_target, "--json")
    load_laws(load)
    part = Shard() if shard is None else Shard.parse(shard)
    where = _Where(jobs, cluster)
    array = _array_options(slurm, time, cpus, memory)
    if target in ("status", "resume"):
        _recorded(target, folder or store, where, part, (json_target, json_file))
        return
    if folder is not None:
        raise PenstockError(f"{folder}: a study file is followed by options only; name the store with --store")
    file = StudyFile.read(target)
    if dry_run:
        _estimate(file, jobs, (json_target, json_file))
        return
    if slurm is not None:
        from penstock.studies.slurm import job_array
        from penstock.studies.store import default_folder

        print_result(job_array(target, store or default_folder(), slurm, load=load, **array).rstrip())
        return
    _run(file, _open(store), where, part, (json_target, json_file))


def _array_options(slurm: int | None, time: str | None, cpus: int | None, memory: str | None) -> dict[str, Any]:
    """The options of a job array that are given. Raises `PenstockError` if there is no job array."""
    given = {"--time": ("time", time), "--cpus-per-task": ("cpus", cpus), "--mem": ("memory", memory)}
    given = {option: entry for option, entry in given.items() if entry[1] is not None}
    if given and slurm is None:
        raise PenstockError(f"{', '.join(given)}: only with --slurm N, which prints the script of a job array")
    return dict(given.values())


@dataclass(frozen=True)
class _Where:
    """Where runs are made."""

    jobs: int | None
    cluster: str | None

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """The executor, and its end."""
        if self.cluster is None:
            from penstock.studies.executor import Threads

            yield Threads(self.threads)
            return
        from penstock.studies.cluster import Cluster

        with Cluster(self.cluster) as executor:
            yield executor

    @property
    def threads(self) -> int:
        """Threads of this machine."""
        from penstock.engine.run import cores

        return self.jobs or cores()

    def __str__(self) -> str:
        plural = "s" if self.threads > 1 else ""
        return f"{self.threads} thread{plural}" if self.cluster is None else f"cluster {self.cluster}"


def _recorded(
    verb: str, folder: str | None, where: _Where, part: Shard, targets: tuple[str | None, Path | None]
) -> None:
    """Show or complete the studies that a store records."""
    from pathlib import Path

    from penstock.studies.recorded import recorded
    from penstock.studies.store import default_folder

    place = Path(folder) if folder is not None else default_folder()
    files = recorded(place)
    if not files:
        raise PenstockError(f"{place}: no store with a study from a file")
    store = _open(folder)
    if verb == "resume":
        for file in files:
            _run(file, store, where, part, targets)
        return
    states = [_state(file, store) for file in files]
    lines = [
        f"{state['study']}: {state['runs'] - state['missing']} of {state['runs']} runs, {state['cells']} cells"
        for state in states
    ]
    _show("\n".join(lines), {"studies": states}, targets)
    if any(state["missing"] for state in states):
        raise typer.Exit(INCOMPLETE)


def _state(file: StudyFile, store: Store) -> dict[str, Any]:
    from penstock.studies.study import Batch

    missing = cells = 0
    for cell in Batch(file.study, store).cells():
        cells += 1
        missing += len(store.missing(cell.content, cell.seeds))
    return {"study": file.study.name, "cells": cells, "runs": cells * file.study.seeds, "missing": missing}


def _open(folder: str | None) -> Store:
    from penstock.studies.store import Store

    return Store(folder)


def _run(file: StudyFile, store: Store, where: _Where, part: Shard, targets: tuple[str | None, Path | None]) -> None:
    """Make the missing runs; on Ctrl-C say how to go on."""
    from penstock.engine.progress import Watch
    from penstock.studies.recorded import record
    from penstock.studies.study import Batch

    cells = file.cells()
    runs = cells * file.study.seeds
    notify(f"{runs} runs: {cells} cells x {file.study.seeds} seeds, {where}")
    batch = Batch(file.study, store)
    record(store.folder, file)
    watch = Watch(runs)
    try:
        with _modules_kept(), watch, where.executor() as executor:
            batch.complete(executor, watch.update, part)
    except KeyboardInterrupt:
        notify(f"interrupted; finished runs are kept in {store.folder}; rerun the same command to go on")
        raise typer.Exit(130) from None
    notify(f"{watch.summary()}; store: {store.folder}")
    if store.problem:
        notify(store.problem)
    if part.count > 1:
        notify(f"shard {part.number}/{part.count} is complete; penstock study status {store.folder} shows the others")
        return
    _summarize(file, batch, targets)


@contextmanager
def _modules_kept() -> Iterator[None]:
    """Let the collector of garbage pass over what is there: it would look at all modules again and again."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _summarize(file: StudyFile, batch: Batch, targets: tuple[str | None, Path | None]) -> None:
    from penstock import _native
    from penstock.studies.summary import summary_rows

    rows: list[dict[str, Any]] = []
    if batch.runs <= MAX_SUMMARIZED:
        table = batch.table(file.measure, file.metric_names())
        rows = summary_rows(table)
        text = repr(table)
    else:
        text = "penstock query 'SELECT ...' asks the store for any number of these runs"
    head = {"penstock": _native.version, "study": file.study.name, "scenario": batch.scenario()}
    result = {**head, "runs": batch.runs, "rows": rows}
    _show(text, result, targets)


def _estimate(file: StudyFile, jobs: int | None, targets: tuple[str | None, Path | None]) -> None:
    from penstock.engine.run import cores
    from penstock.studies.estimate import estimate
    from penstock.studies.study import Batch

    Batch(file.study, None)  # all errors that the check finds
    cells, threads = file.cells(), jobs or cores()
    runs = cells * file.study.seeds
    found = estimate(file.study, threads)
    cpu, error, disk = runs * found.cpu_s, runs * found.cpu_error_s, runs * found.store_bytes
    text = (
        f"{file.study.name}: {cells} cells x {file.study.seeds} seeds = {runs} runs\n"
        f"processor time: {_time(cpu)} +- {_time(error)}, by a sample of {found.runs} runs;"
        f" about {_time(cpu / threads)} on {threads} thread{'s' if threads > 1 else ''}\n"
        f"disk: {_size(disk)}"
    )
    result = {"study": file.study.name, "cells": cells, "runs": runs, "cpu_s": cpu, "cpu_error_s": error, "bytes": disk}
    _show(text, result, targets)


def _show(text: str, result: dict[str, Any], targets: tuple[str | None, Path | None]) -> None:
    import json

    json_target, json_file = targets
    if json_target != "-":
        print_result(text)
    if json_target is not None:
        write_json(json.dumps(result, indent=1) + "\n", json_file)


def _time(seconds: float) -> str:
    """Seconds in a unit for people."""
    for name, length in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds:.3g} s"


def _size(count: float) -> str:
    """Bytes in a unit for people."""
    for name, unit in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} B"
