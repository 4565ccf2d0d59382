"""The layout of the project: no circle of imports, and files and functions that can be read at one go."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

from .rust_modules import Crate, without_tests

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "penstock"
MAX_LINES_OF_FILE = 400
MAX_LINES_OF_FUNCTION = 50  # in Rust: too-many-lines-threshold in clippy.toml

SOURCES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}


def imported(module: str) -> Iterator[str]:
    """The modules of the package that `module` imports, at its head or in a function; not the package itself."""
    for node in ast.walk(ast.parse(SOURCES[module].read_text())):
        if isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:  # `from .setup import ...`, from a module that is no package
                origin = ".".join([*module.split(".")[: -node.level], *filter(None, [node.module])])
            for alias in node.names:
                name = f"{origin}.{alias.name}"
                imported_module = name if name in SOURCES else origin
                if imported_module in SOURCES and imported_module not in (module, "penstock"):
                    yield imported_module


def test_imports_make_no_circle() -> None:
    modules = {module: set(imported(module)) for module in SOURCES if module != "penstock"}
    list(graphlib.TopologicalSorter(modules).static_order())  # raises CycleError

    folders: dict[str, set[str]] = {}
    for module, others in modules.items():
        folder = module.split(".")[1]
        folders.setdefault(folder, set()).update(other.split(".")[1] for other in others)
        folders[folder].discard(folder)
    list(graphlib.TopologicalSorter(folders).static_order())


ORDER = (
    "errors", "files", "units", "code_key", "aqms", "results", "scenario", "engine", "model", "plots", "report",
    "dialects", "studies", "explain", "tuning", "challenges", "fitting", "evaluation", "live", "reproduce", "link",
    "schemas", "papers", "cli",
)  # fmt: skip
"""Folders and modules of the package, each importing only from those before it."""


def test_folders_import_downwards_only() -> None:
    upwards = {
        f"{module} imports {other}"
        for module in SOURCES
        if (folder := module.split(".")[1:2]) and folder[0] in ORDER
        for other in imported(module)
        if other.split(".")[1] in ORDER and ORDER.index(other.split(".")[1]) > ORDER.index(folder[0])
    }
    assert not upwards
    below = {module.split(".")[1] for module in SOURCES if "." in module}
    assert below - {*ORDER} == {"__main__", "testing"}  # the command, and what tests of AQMs use


def test_the_contributors_table_has_the_folders_in_their_order() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("and in `python/penstock/`") : text.index("Dependencies point one way")]
    assert tuple(re.findall(r"^\|[^|]+\| (?:its folder in )?`(\w+)(?:\.py|/)`", table, re.M)) == ORDER


def test_modules_of_rust_use_one_another_in_no_circle() -> None:
    circles = {src.parent.name: Crate(src).circles() for src in (ROOT / "crates").glob("*/src")}
    assert not {crate: some for crate, some in circles.items() if some}


def test_circles_of_modules_are_seen_however_they_are_written(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a; mod b; mod c; mod d; mod e; pub use b::{Thing, inner::Other};",
        "a.rs": "use crate::{Thing as Renamed, d::{self, Unit}};",  # from b, through the crate root
        "b.rs": "mod inner; fn f() { crate::c::g() }",
        "b/inner.rs": "use super::Thing; // use crate::e::In; in a comment",
        "c.rs": 'const TEXT: &str = "crate::e::In"; pub use super::a::Name;',
        "d.rs": "#[cfg(test)]\nmod tests {\n    use crate::a::Name;\n}",
        "e.rs": "use crate::b::inner::Other; use std::fmt; #[cfg(test)]\nmod harness;",
        "e/harness.rs": "use crate::e::In; use crate::a::Name;",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert Crate(tmp_path).circles() == {frozenset({"a", "b", "c"})}


def code_lines(source: str, tree: ast.AST) -> list[int]:
    """The numbers of the lines of Python that are neither blank nor comment nor docstring."""
    docstrings = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [
        number
        for number, line in enumerate(source.splitlines(), 1)
        if line.strip() and not line.strip().startswith("#") and number not in docstrings
    ]


def test_python_files_and_functions_are_short() -> None:
    long = []
    for folder in ("python", "tests", "validation", "peers", "docs", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.name == "_generated.py" or "_build" in path.parts:
                continue
            source = path.read_text()
            tree = ast.parse(source)
            code = code_lines(source, tree)
            if len(code) > MAX_LINES_OF_FILE:
                long.append(f"{path.relative_to(ROOT)}: {len(code)} lines of code")
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    lines = sum(node.lineno <= number <= (node.end_lineno or 0) for number in code)
                    if lines > MAX_LINES_OF_FUNCTION:
                        long.append(f"{path.relative_to(ROOT)}: {node.name} has {lines} lines of code")
    assert not long, "\n".join(long)


def test_rust_files_are_short() -> None:
    long = []
    for path in (ROOT / "crates").rglob("*.rs"):
        code = without_tests(path).splitlines()
        lines = sum(bool(line.strip()) and not line.strip().startswith("//") for line in code)
        if lines > MAX_LINES_OF_FILE:
            long.append(f"{path.relative_to(ROOT)}: {lines} lines of code")
    assert not long, "\n".join(long)


def test_no_page_has_marks_of_a_conflict() -> None:
    pages = [
        *ROOT.glob("*.md"),
        *(path for name in ("docs", "python", "tools") for path in (ROOT / name).rglob("*.md")),
    ]
    marked = [
        str(path.relative_to(ROOT)) for path in pages if re.search(r"^(<{7}|>{7}) ", path.read_text(), re.MULTILINE)
    ]
    assert len(pages) > 50
    assert not marked
