"""A study as a job array of SLURM: a script in which each job runs a shard of the study on one store."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from penstock.errors import PenstockError

__all__ = ["job_array"]

CPUS = 4
TIME = "24:00:00"
_TIME = re.compile(r"(\d+-)?\d+(:[0-5]\d){0,2}", re.ASCII)
_MEMORY = re.compile(r"[1-9]\d*[KMGT]?", re.ASCII)


def job_array(
    inputs: str | Path | Sequence[str | Path],
    store: str | Path,
    jobs: int,
    *,
    cpus: int = CPUS,
    time: str = TIME,
    memory: str | None = None,
    load: Sequence[str | Path] = (),
    options: str = "",
) -> str:
    """The script of a job array, for `sbatch`.

    The jobs need only the folder of the store and the study file, at the same paths on all nodes. A job that
    ends early loses the runs in progress; the same script, submitted again, executes the missing runs.

    Args:
        inputs: the study file, or scenario files.
        store: the folder of its store.
        jobs: number of jobs.
        cpus: threads of each job, `--cpus-per-task` of sbatch.
        time: limit of each job, `--time` of sbatch: "90" (minutes), "24:00:00", "2-12" or "2-12:00:00" (days-hours).
        memory: of each job, `--mem` of sbatch: "4G", or a number of megabytes; by default the cluster's default.
        load: files with AQMs in Python.
        options: further options of `penstock compare`, quoted for the shell.

    Raises `PenstockError` for a number below 1, or another form of time or memory.
    """
    if jobs < 1 or cpus < 1:
        raise PenstockError(f"a job array of {jobs} jobs with {cpus} threads: both must be at least 1")
    if not _TIME.fullmatch(time):
        raise PenstockError(f"--time {time}: is no time limit of SLURM, such as 90 (minutes), 24:00:00 or 2-12:00:00")
    if memory is not None and not _MEMORY.fullmatch(memory):
        raise PenstockError(f"--mem {memory}: is not a memory size of SLURM, such as 4G or 512M")
    memory_line = "" if memory is None else f"#SBATCH --mem={memory}\n"
    files = [inputs] if isinstance(inputs, (str, Path)) else list(inputs)
    name = Path(files[0]).name.partition(".")[0]
    options += "".join(f" --load {_path(file)}" for file in load)
    return f"""\
#!/bin/bash
#SBATCH --job-name={re.sub(r"[^A-Za-z0-9_.-]", "_", name)}
#SBATCH --array=0-{jobs - 1}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cpus}
{memory_line}#SBATCH --time={time}
#SBATCH --output=%x-%A_%a.out
#SBATCH --requeue
# Submit it again to resume after an interruption: finished runs are in the store.
exec penstock compare {" ".join(map(_path, files))} --store {_path(store)}{options} \\
    --shard $((SLURM_ARRAY_TASK_ID + 1))/{jobs} --jobs "$SLURM_CPUS_PER_TASK"
"""


def _path(file: str | Path) -> str:
    """An absolute path in the shell."""
    return shlex.quote(str(Path(file).absolute()))
