"""A chunk as it travels to a process that shares nothing with this one, and its results on the way back."""

from __future__ import annotations

import json
import os
import pickle
import socket
import sys
import sysconfig
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

from penstock import _native
from penstock.engine.run import engine_errors
from penstock.errors import PenstockError
from penstock.laws import python_law
from penstock.scenario.resolve.files import content_of
from penstock.studies.chunk import Chunk, Keep, reduced

__all__ = ["Task", "Versions", "packed_chunk", "perform", "results"]


class Versions(NamedTuple):
    """The versions that both sides share: one meaning makes results equal, and functions travel within one Python."""

    penstock: str
    meaning: int
    python: str

    @classmethod
    def here(cls) -> Versions:
        """Those of this process."""
        return cls(_native.version, _native.meaning, "{}.{}".format(*sys.version_info))

    def check(self, found: object, place: str) -> None:
        """Raise `PenstockError` if the versions found at a place are others."""
        if found != self:
            raise PenstockError(f"{place} has {found}, but this study needs {self}: install the same on all workers")

    def __str__(self) -> str:
        return f"penstock {self.penstock} (meaning {self.meaning}) on Python {self.python}"


@dataclass(frozen=True)
class _Runs:
    """Runs of a scenario for the engine; `shown` is the resolved one, which only a `keep` function needs."""

    scenario: str
    seeds: tuple[int, ...]
    keep: Keep | None
    shown: Mapping[str, Any] | None


@dataclass(frozen=True)
class Task:
    """A chunk in a form that can be pickled.

    Attributes:
        runs: its runs.
        laws: constructors of the Python laws that take part, by name.

    """

    runs: tuple[_Runs, ...]
    laws: Mapping[str, Callable[[Any, Any], Any]]


def packed_chunk(chunk: Chunk) -> tuple[bytes, dict[str, str]]:
    """A chunk as bytes, and the replayed files that it needs: their paths by the hashes of their contents.

    Functions and laws of the user travel by value, with what they use of their modules and of those beside them; the
    other side needs penstock and installed packages only.
    """
    import cloudpickle

    files: dict[str, str] = {}

    def hashed(path: str) -> str:
        name = content_of(path)
        files[name] = path
        return name

    runs = tuple(
        _Runs(
            _renamed_files(cell.for_engine(), hashed),
            seeds,
            cell.keep,
            cell.resolved.shown if cell.keep else None,
        )
        for cell, seeds in chunk.runs
    )
    laws = python_law.used(entry.scenario for entry in runs)
    functions = [entry.keep for entry in runs if entry.keep] + [python_law.class_of(name) for name in laws]
    with _by_value({getattr(function, "__module__", "__main__") for function in functions}):
        return cloudpickle.dumps(Task(runs, laws)), files


def perform(versions: Versions, packed: bytes, paths: Mapping[str, str]) -> bytes:
    """Make the runs of a packed chunk in this process; `paths` has its files by hash. Its results, for `results`."""
    versions.check(Versions.here(), socket.gethostname())
    task: Task = pickle.loads(packed)
    scenarios: list[str] = []
    for entry in task.runs:
        scenarios += [_renamed_files(entry.scenario, paths.__getitem__)] * len(entry.seeds)
    seeds = [seed for entry in task.runs for seed in entry.seeds]
    with engine_errors():
        texts = iter(_native.run_many(scenarios, seeds, 1, None, dict(task.laws)))
    kept = [reduced(next(texts), entry.keep, entry.shown) for entry in task.runs for _ in entry.seeds]
    return zlib.compress("\n".join(kept).encode(), level=1)


def results(answer: bytes) -> list[str]:
    """The reduced results of the runs of a chunk."""
    return zlib.decompress(answer).decode().split("\n")


def _renamed_files(scenario: str, name: Callable[[str], str]) -> str:
    """A scenario for the engine with other names of the replayed files."""
    if '"replay":' not in scenario:
        return scenario
    tree = json.loads(scenario)
    for group in tree["traffic"]:
        if "replay" in group:
            group["replay"]["file"] = name(group["replay"]["file"])
    return json.dumps(tree, separators=(",", ":"))


@contextmanager
def _by_value(names: Iterable[str]) -> Iterator[None]:
    """Pickle what belongs to these modules by value, unless it belongs to penstock."""
    import cloudpickle

    added = [
        module for module in _own_modules(names) if module.__name__ not in cloudpickle.list_registry_pickle_by_value()
    ]
    try:
        for module in added:
            cloudpickle.register_pickle_by_value(module)
        yield
    finally:
        for module in added:
            cloudpickle.unregister_pickle_by_value(module)


def _own_modules(names: Iterable[str]) -> Iterator[ModuleType]:
    """The modules of the user among these, with their packages and the modules in the same folders."""
    wanted = {name for name in names if name.partition(".")[0] != "penstock"}
    if not wanted:
        return
    roots = {name.partition(".")[0] for name in wanted}
    folders = {_folder(sys.modules.get(name)) for name in wanted} - {"", *sysconfig.get_paths().values()}
    for name, module in list(sys.modules.items()):
        if name != "__main__" and (name in roots or _folder(module) in folders):
            yield module


def _folder(module: ModuleType | None) -> str:
    return os.path.dirname(getattr(module, "__file__", None) or "")  # noqa: PTH120 - of a thousand modules
