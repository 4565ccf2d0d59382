"""A chunk in the form in which it is sent to a process that shares nothing with this one."""

from __future__ import annotations

import json
import os
import pickle
import socket
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NamedTuple

from penstock import _native
from penstock.aqms import python_aqm
from penstock.engine.run import engine_errors
from penstock.errors import PenstockError
from penstock.scenario.resolve.files import content_key
from penstock.studies.chunk import Chunk, EngineWork, execute_work
from penstock.studies.part import PartColumns, part_content

__all__ = ["ChunkTask", "Versions", "execute_packed_chunk", "pack_chunk"]


class Versions(NamedTuple):
    """The versions that both sides share: one meaning makes results equal, and functions travel within one Python."""

    penstock: str
    meaning: int
    python: str

    @classmethod
    def of_this_process(cls) -> Versions:
        """Those of this process."""
        return cls(_native.version, _native.meaning, "{}.{}".format(*sys.version_info))

    def check(self, other: object, place: str) -> None:
        """Raise `PenstockError` if the versions found at a place differ."""
        if other != self:
            raise PenstockError(f"{place} has {other}, but this study needs {self}: install the same on all workers")

    def __str__(self) -> str:
        return f"penstock {self.penstock} (meaning {self.meaning}) on Python {self.python}"


@dataclass(frozen=True)
class ChunkTask:
    """A chunk in a form that can be pickled.

    Attributes:
        work: its runs.
        head: the columns of its part that are known before.
        AQMs: constructors of the Python AQMs that take part, by name.

    """

    work: tuple[EngineWork, ...]
    head: PartColumns
    aqms: Mapping[str, Callable[[Any, Any], Any]]


def pack_chunk(chunk: Chunk) -> tuple[bytes, dict[str, str]]:
    """A chunk as bytes, and the replayed files that it needs: their paths by the hashes of their contents.

    Functions and AQMs of the user are sent by value, together with the parts of their modules and of neighbouring
    modules that they use; the other side needs only penstock and installed packages.
    """
    import cloudpickle

    files: dict[str, str] = {}

    def hashed(path: str) -> str:
        name = content_key(path)
        files[name] = path
        return name

    work = tuple(replace(entry, scenario=_renamed_files(entry.scenario, hashed)) for entry in chunk.work())
    aqms = python_aqm.aqm_constructors(entry.scenario for entry in work)
    functions = [entry.keep for entry in work if entry.keep] + [python_aqm.declared_class(name) for name in aqms]
    with _by_value({getattr(function, "__module__", "__main__") for function in functions}):
        return cloudpickle.dumps(ChunkTask(work, chunk.head(), aqms)), files


def execute_packed_chunk(versions: Versions, packed: bytes, paths: Mapping[str, str]) -> bytes:
    """Execute the runs of a packed chunk in this process; `paths` has its files by hash. The content of its part."""
    versions.check(Versions.of_this_process(), socket.gethostname())
    task: ChunkTask = pickle.loads(packed)
    work = [replace(entry, scenario=_renamed_files(entry.scenario, paths.__getitem__)) for entry in task.work]
    with engine_errors():
        results = execute_work(work, None, task.aqms)
    return part_content(task.head, results)


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
    user_names = {name for name in names if name.partition(".")[0] != "penstock"}
    if not user_names:
        return
    roots = {name.partition(".")[0] for name in user_names}
    folders = {_folder(sys.modules.get(name)) for name in user_names} - {"", *sysconfig.get_paths().values()}
    for name, module in list(sys.modules.items()):
        if name != "__main__" and (name in roots or _folder(module) in folders):
            yield module


def _folder(module: ModuleType | None) -> str:
    return os.path.dirname(getattr(module, "__file__", None) or "")  # noqa: PTH120 - of a thousand modules
