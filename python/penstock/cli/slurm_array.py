"""The options of `compare` that print a job array for SLURM."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.cli.study_input import StudyChanges

__all__ = ["SlurmOptions"]


@dataclass(frozen=True)
class SlurmOptions:
    """The values of the SLURM options of `compare`; None or empty for options that are not given."""

    jobs: int | None = None
    time_limit: str | None = None
    cpus_per_task: int | None = None
    memory: str | None = None
    load: Sequence[str] = ()

    def check(self) -> None:
        """Raise `PenstockError` for options of a job array without `--slurm`."""
        options = {"--time": self.time_limit, "--cpus-per-task": self.cpus_per_task, "--mem": self.memory}
        if self.jobs is None and (options_set := [option for option, value in options.items() if value is not None]):
            raise PenstockError(f"{', '.join(options_set)}: requires --slurm N, which prints the script of a job array")

    def script(self, inputs: Sequence[str], changes: StudyChanges, store: str | Path) -> str:
        """The script of the array, whose jobs run this comparison."""
        from penstock.studies.slurm import job_array

        assert self.jobs is not None
        limits: dict[str, Any] = {"cpus": self.cpus_per_task, "time": self.time_limit, "memory": self.memory}
        limits = {name: value for name, value in limits.items() if value is not None}
        return job_array(inputs, store, self.jobs, load=self.load, options=_option_text(changes), **limits)


def _option_text(changes: StudyChanges) -> str:
    """The options that describe the comparison, quoted for the shell."""
    options = [
        *(("--scheme", scheme) for scheme in changes.schemes),
        *(("--at", link) for link in changes.replaced_links),
        *(("--vary", text) for text in changes.sweep_options),
        *(("--set", text) for text in changes.path_value_settings),
        *([("--runs", str(changes.runs))] if changes.runs is not None else []),
        *([("--seed", str(changes.seed))] if changes.seed is not None else []),
    ]
    return "".join(f" {option} {shlex.quote(value)}" for option, value in options)
