"""Scenarios and AQMs in Python as files that another machine can use: under names relative to one folder.

BASE.toml   the scenario
files/*     capacity traces, distributions and captures of the scenario
aqms/*.py   the source of the AQMs in Python, and loaded modules from the same folders
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import tomli_w

from penstock.aqms import python_aqm
from penstock.errors import PenstockError
from penstock.scenario.resolve.files import content_key, tables_with_files

__all__ = ["AQMS", "Files", "aqm_files", "scenario_files"]

FILES = "files"
AQMS = "aqms"

Files = dict[str, bytes]
"""The content of files by their names."""


def scenario_files(tree: Mapping[str, Any], name: str) -> Files:
    """A scenario as the file `name`, and the files that it names."""
    tree, files = deepcopy(dict(tree)), {}
    for table, key in tables_with_files(tree):
        path = Path(table[key])
        if path.is_file():
            place = f"{FILES}/{content_key(str(path))[:12]}-{path.name}"
            table[key], files[place] = place, path.read_bytes()
    return {**files, name: tomli_w.dumps(tree).encode()}


def aqm_files(trees: Iterable[Any], names: Iterable[str] = ()) -> tuple[list[str], Files]:
    """The files to load and all files of the AQMs in Python with these names, and of those that the trees name."""
    aqms = list(dict.fromkeys(_sources({*names}, json.dumps(list(trees), default=str))))
    files = [*aqms, *_modules_next_to(aqms)]
    return [f"{AQMS}/{path.name}" for path in aqms], {f"{AQMS}/{path.name}": path.read_bytes() for path in files}


def _sources(names: set[str], text: str) -> Iterator[Path]:
    for name in python_aqm.declared_names():
        if name in names or f'"{name}"' in text:
            source = inspect.getsourcefile(python_aqm.declared_class(name) or object)
            if source is None or not Path(source).is_file():
                raise PenstockError(f"{name}: has no source file; another machine needs it")
            yield Path(source)


def _modules_next_to(aqms: Iterable[Path]) -> Iterator[Path]:
    """The loaded modules from the folders of these files; the AQMs may import them."""
    files = {path.resolve() for path in aqms}
    folders = {path.parent for path in files}
    for module in list(sys.modules.values()):
        source = getattr(module, "__file__", None)
        if (
            source
            and source.endswith(".py")
            and (path := Path(source).resolve()).parent in folders
            and path not in files
        ):
            yield path
