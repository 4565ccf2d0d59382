"""Keys for code change with every edit of its file and of the user's modules that it imports, and with no other."""

from __future__ import annotations

import functools
import importlib
import linecache
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from penstock.code_key import code_key
from penstock.errors import PenstockError

ROOT = Path(__file__).resolve().parents[2]

STUDY = """
from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial, wraps

import numpy as np

import beside
from beside import share as part_of

LIMIT = 35
LEVELS = {"low": [1, 2], "high": (3.5, None)}
WEIGHTS = np.array([1.0, 2.0])
UNUSED = 7
Kind = Enum("Kind", ["A", "B"])


def counted(function):
    @wraps(function)
    def wrapper(*args):
        return function(*args) + OFFSET

    return wrapper


OFFSET = 0


@dataclass(frozen=True)
class Window:
    length: float = 5.0
    STEP = 2

    @property
    def half(self):
        return halved(self.length)

    @staticmethod
    def scaled(x):
        return x * SCALE


SCALE = 3
SHORT = Window(1.0)


def halved(x):
    return x / 2


def deep(x):
    return deeper(x)


def deeper(x):
    return x + LIMIT if x > 0 else deep(-x)


def unused(x):
    return UNUSED


@cache
def cached(x):
    return math.sqrt(x) + Kind.A.value


def fill(x, by=LEVELS, *, start=4):
    return [deep(y) + start for y in range(x)]


@counted
def keep(run):
    window = Window(run)
    inner = lambda y: part_of(y) + beside.twice(y)
    return fill(3) + [window.half, window.scaled(2), cached(4), inner(2), SHORT.length, WEIGHTS.sum()]


def late(run):
    from beside import lately

    return lately(run)


def multiplier(factor):
    def inner(run):
        return factor * run

    return inner


doubled = multiplier(2)
small = lambda run: deep(run)
of_two = partial(multiplier, 3)
"""

BESIDE = """
FACTOR = 4

def share(x):
    return x / FACTOR

def twice(x):
    return 2 * x

def lately(x):
    return x

def other(x):
    return x
"""

APART = """
def apart(x):
    return x
"""

Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Write the two modules with edits in a new folder, and import the first."""
    numbers = iter(range(100))

    def load(*edits: tuple[str, str]) -> Any:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        for name, text in (("study", STUDY), ("beside", BESIDE), ("apart", APART)):
            for old, new in edits:
                assert old in STUDY + BESIDE + APART
                text = text.replace(old, new)
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, "beside", raising=False)
        monkeypatch.delitem(sys.modules, "study", raising=False)
        monkeypatch.syspath_prepend(str(folder))
        return importlib.import_module("study")

    return load


USED = {
    "itself": ("Window(run)", "Window(run + 1)"),
    "a constant": ("LIMIT = 35", "LIMIT = 36"),
    "a constant in a container": ("(3.5, None)", "(3.5, 1)"),
    "an array": ("[1.0, 2.0]", "[1.0, 2.5]"),
    "a function that a function calls": ("x + LIMIT", "x - LIMIT"),
    "a default": ("start=4", "start=5"),
    "a method": ("x * SCALE", "x + SCALE"),
    "a constant of a method": ("SCALE = 3", "SCALE = 4"),
    "a function of a property": ("x / 2", "x / 3"),
    "a constant of a class": ("STEP = 2", "STEP = 3"),
    "a default of a dataclass": ("length: float = 5.0", "length: float = 6.0"),
    "an instance": ("Window(1.0)", "Window(1.5)"),
    "a decorator": ("function(*args) + OFFSET", "function(*args) - OFFSET"),
    "a constant of a decorator": ("OFFSET = 0", "OFFSET = 1"),
    "a cached function": ("math.sqrt(x)", "math.log(x)"),
    "an enumeration": ('["A", "B"]', '["B", "A"]'),
    "a function of another module in the folder": ("x / FACTOR", "x * FACTOR"),
    "a constant of another module": ("FACTOR = 4", "FACTOR = 5"),
    "an attribute of another module": ("return 2 * x", "return x + x"),
    "a comment": ("UNUSED = 7", "UNUSED = 7  # not used"),
    "a function of a module that only another function imports": ("def lately(x):\n    return x", "def lately(x): ..."),
    "the function behind a name": ("import share as part_of", "import other as part_of"),
}


@pytest.mark.parametrize("edit", USED.values(), ids=USED)
def test_an_edit_of_something_used_changes_the_key(load: Load, edit: tuple[str, str]) -> None:
    assert code_key(load().keep) != code_key(load(edit).keep)


def test_an_edit_of_a_module_that_is_not_imported_keeps_the_key(load: Load) -> None:
    assert code_key(load().keep) == code_key(load(("def apart(x):\n    return x", "def apart(x): ...")).keep)


def test_modules_are_followed_through_packages_and_relative_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []
    for number, factor in enumerate((1, 1, 2)):
        package = tmp_path / str(number) / f"lab{number}"
        (package / "parts").mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "parts" / "__init__.py").write_text("from . import deep\n", encoding="utf-8")
        (package / "parts" / "deep.py").write_text(f"FACTOR = {factor}\n", encoding="utf-8")
        text = "def keep(run):\n    from .parts import FACTOR\n    return FACTOR * run\n"
        (package / "study.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(package.parent))
        keys.append(code_key(importlib.import_module(f"lab{number}.study").keep))
    assert keys[0] == keys[1] != keys[2]


def test_two_functions_of_one_file_have_different_keys(load: Load) -> None:
    study = load()
    assert len({code_key(code) for code in (study.keep, study.late, study.small, study.deep, study.Window)}) == 5
    assert code_key(two[0]) != code_key(two[1])


def test_installed_modules_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = []
    for number in range(2):
        library = tmp_path / str(number) / "site-packages"
        library.mkdir(parents=True)
        (library / "installed.py").write_text(f"VERSION = {number}\n", encoding="utf-8")
        (library.parent / f"user{number}.py").write_text(
            "import installed\n\ndef keep(run):\n    return installed.VERSION\n", encoding="utf-8"
        )
        for folder in (library, library.parent):
            monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delitem(sys.modules, "installed", raising=False)
        keys.append(code_key(importlib.import_module(f"user{number}").keep))
    assert keys[0] == keys[1]


def test_in_a_notebook_the_functions_and_values_of_other_cells_count() -> None:
    def key(*cells: str) -> str:
        cell_names: dict[str, Any] = {"__name__": "__main__"}
        for number, text in enumerate(cells):
            name = f"<cell {number}>"
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
            exec(compile(text, name, "exec"), cell_names)
        return code_key(cell_names["keep"])

    helper, keep = "FACTOR = 2\ndef scaled(x):\n    return x * FACTOR\n", "def keep(run):\n    return scaled(run)\n"
    assert key(helper, keep) == key(helper, keep) == key(helper, "other = 1\n" * 3, keep)
    assert len({key(helper, keep), key(helper.replace("= 2", "= 3"), keep), key(helper.replace("*", "+"), keep)}) == 3


def test_the_values_of_a_closure_and_the_arguments_of_a_partial_function_count(load: Load) -> None:
    study = load()
    assert code_key(study.doubled) == code_key(study.multiplier(2)) != code_key(study.multiplier(3))
    again = functools.partial(study.multiplier, 3)
    assert code_key(study.of_two) == code_key(again) != code_key(functools.partial(study.multiplier, 4))


class Measure:
    def __call__(self, run: Any) -> dict[str, float]:
        return {}


def uses_a_stream(stream: Any, run: Any) -> Any:
    return run, stream


STREAM = object()
two = (lambda run: 1), (lambda run: 2)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (Measure(), "Measure is no function in Python; define one with def"),
        (len, "len is no function"),
        (3, "int is no function"),
        (functools.partial(uses_a_stream, STREAM), "uses_a_stream uses a object, which has no plain value"),
        (eval("lambda run: 1"), "<lambda> has no source; define it in a file"),
    ],
)
def test_code_that_cannot_be_followed_is_refused(code: Any, says: str) -> None:
    with pytest.raises(PenstockError, match=says):
        code_key(code)


def test_the_key_of_a_script_does_not_depend_on_folder_process_or_hash_seed(tmp_path: Path) -> None:
    script = STUDY + "\nNAMES = {'a', 'b', 'c'}\ndef named(x):\n    return NAMES\n"
    show = "\nfrom penstock.code_key import code_key\nprint(code_key(keep), code_key(named))\n"
    keys = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "beside.py").write_text(BESIDE, encoding="utf-8")
        (folder / "study.py").write_text(script + show, encoding="utf-8")
        process = subprocess.run(
            [sys.executable, "study.py"],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT / "python"), "PYTHONHASHSEED": str(number)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        keys.append(process.stdout)
    assert len(set(keys)) == 1
