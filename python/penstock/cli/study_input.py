"""The inputs of `compare`: one scenario, several, or a study file; and the options that change a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.studies.study_file import StudyFile

__all__ = ["StudyChanges", "is_study_file", "read_study", "study_from_scenarios"]


def is_study_file(path: str) -> bool:
    """Whether a file is a study: it has keys of studies, and no links. Raises `ScenarioError` if it is not TOML."""
    from penstock.scenario.document import read_toml_tree
    from penstock.studies.study_file import KEYS

    tree, _ = read_toml_tree(path)
    return "links" not in tree and any(key in tree for key in KEYS if key != "name")


@dataclass(frozen=True)
class StudyChanges:
    """The options of `compare` that override keys of a study; empty options override nothing.

    Attributes:
        schemes: texts of `--scheme`.
        replaced_links: names of the links whose queue the schemes replace (`--at`).
        sweep_options: texts of `--vary`, `PATH=VALUE,...`.
        runs: number of runs of each cell.
        seed: the first seed.
        path_value_settings: texts of `--set`, `PATH=VALUE`.

    """

    schemes: Sequence[str] = ()
    replaced_links: Sequence[str] = ()
    sweep_options: Sequence[str] = ()
    runs: int | None = None
    seed: int | None = None
    path_value_settings: Sequence[str] = ()

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of the study."""
        from penstock.studies.candidate import parse_sweep_options

        keys: dict[str, Any] = {
            "schemes": list(self.schemes),
            "at": list(self.replaced_links),
            "axes": parse_sweep_options(self.sweep_options),
        }
        keys = {key: value for key, value in keys.items() if value}
        return keys | ({} if self.runs is None else {"seeds": self.runs})

    @property
    def scenario_settings(self) -> list[str]:
        """The texts of `--set`, with the seed."""
        return [*self.path_value_settings, *([] if self.seed is None else [f"seed={self.seed}"])]


def read_study(path: str, changes: StudyChanges) -> StudyFile:
    """A study file with its keys overridden by the options."""
    from penstock.studies.study_file import StudyFile

    return StudyFile.read(path, changes.keys, changes.scenario_settings)


def study_from_scenarios(paths: Sequence[str], changes: StudyChanges, runs: int) -> StudyFile:
    """The study of one or several scenario files, as the options describe it."""
    from penstock.studies.study_file import StudyFile

    if not changes.schemes:
        raise PenstockError("--scheme is required; name at least one scheme, such as codel, or all")
    tree: Mapping[str, Any] = {
        "name": "-".join(Path(path).name.partition(".")[0] for path in paths)[:100],
        "base": list(paths) if len(paths) > 1 else paths[0],
        "seeds": runs,
        **changes.keys,
    }
    origins = {"": "compare", "schemes": "--scheme", "at": "--at", "axes": "--vary", "base": "compare"}
    return StudyFile.from_tree(tree, origins, settings=changes.scenario_settings)
