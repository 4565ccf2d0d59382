"""The modules of a Rust crate and their dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

Module = tuple[str, ...]
"""The path of a module below the root of its crate, which is ()."""

_FOR_TESTS = r"^#\[cfg\((?:all\()?test\b.*\)\]\n(?:pub(?:\(crate\))? )?mod "
_TESTS = re.compile(_FOR_TESTS + r"\w+ \{", re.MULTILINE)
_FILE_OF_TESTS = re.compile(_FOR_TESTS + r"(\w+);", re.MULTILINE)
_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', re.DOTALL)
_USE = re.compile(r"\buse\s+([^;]+);")
_PATH = re.compile(r"(?<![\w:$])(?:crate|super|self)(?:::\w+)+")


def without_tests(path: Path) -> str:
    """The text of a file up to its test module."""
    return _TESTS.split(path.read_text(encoding="utf-8"), maxsplit=1)[0]


def _paths(tree: str) -> Iterator[tuple[list[str], str]]:
    """The paths of a `use` tree, such as `crate::{a::B, c as d}`, with the name that each gets."""
    tree = tree.strip()
    if tree.endswith("}"):
        head, _, inside = tree[:-1].partition("{")
        depth, begin = 0, 0
        for place, char in enumerate(inside + ","):
            depth += (char == "{") - (char == "}")
            if char == "," and depth == 0:
                if part := inside[begin:place].strip():
                    yield from _paths(head + part)
                begin = place + 1
        return
    path, _, name = tree.partition(" as ")
    steps = [step.strip() for step in path.split("::")]
    if steps[-1] == "self":
        steps.pop()
    yield steps, name.strip() or steps[-1]


def _module(path: Path) -> Module:
    steps = path.with_suffix("").parts
    return steps[:-1] if steps[-1] in ("lib", "main", "mod") else steps


def _apart(first: Module, second: Module) -> bool:
    """Whether neither module is below the other."""
    shorter = min(len(first), len(second))
    return first[:shorter] != second[:shorter]


class Crate:
    """The modules below a folder `src`, without those of tests, and their dependencies."""

    def __init__(self, src: Path) -> None:
        texts = {_module(path.relative_to(src)): without_tests(path) for path in sorted(src.rglob("*.rs"))}
        tests = {(*module, name) for module, text in texts.items() for name in _FILE_OF_TESTS.findall(text)}
        self.code = {module: _COMMENT_OR_TEXT.sub(" ", text) for module, text in texts.items() if module not in tests}
        self._exports = {module: self._exports_of(module) for module in self.code}

    def circles(self) -> set[frozenset[str]]:
        """The groups of modules that depend on one another. A module and its submodules may do so."""
        uses = {module: {other for other in self.uses(module) if _apart(module, other)} for module in self.code}
        reached: dict[Module, set[Module]] = {}
        for module in uses:
            reachable, waiting = reached.setdefault(module, set()), list(uses[module])
            while waiting:
                if (other := waiting.pop()) not in reachable:
                    reachable.add(other)
                    waiting.extend(uses[other])
        return {
            frozenset("::".join(other) for other in reachable if module in reached[other])
            for module, reachable in reached.items()
            if module in reachable
        }

    def _exports_of(self, module: Module) -> dict[str, tuple[str, ...]]:
        """The absolute path of each name that a module imports or re-exports."""
        return {
            name: absolute
            for tree in _USE.findall(self.code[module])
            for steps, name in _paths(tree)
            if (absolute := self._absolute(module, steps)) is not None
        }

    def _absolute(self, module: Module, steps: list[str]) -> tuple[str, ...] | None:
        """The path from the crate root; `None` if it starts in another crate."""
        if steps[0] == "crate":
            return tuple(steps[1:])
        if steps[0] == "self":
            return (*module, *steps[1:])
        if steps[0] == "super":
            count = next(place for place, step in enumerate([*steps, ""]) if step != "super")
            return (*module[: len(module) - count], *steps[count:])
        return (*module, *steps) if (*module, steps[0]) in self.code else None

    def _home(self, path: tuple[str, ...]) -> Module:
        """The module that defines the item of a path, through any re-exports."""
        for _ in range(10):
            module = next(path[:n] for n in range(len(path), -1, -1) if path[:n] in self.code)
            rest = path[len(module) :]
            if not rest or (onward := self._exports[module].get(rest[0])) is None or onward == path:
                return module
            path = (*onward, *rest[1:])
        raise AssertionError(f"{'::'.join(path)} is re-exported in a cycle")

    def uses(self, module: Module) -> set[Module]:
        """The modules whose items a module uses."""
        code = self.code[module]
        trees = [steps for tree in _USE.findall(code) for steps, _ in _paths(tree)]
        inline = [path.split("::") for path in _PATH.findall(code)]
        absolute = (self._absolute(module, steps) for steps in [*trees, *inline])
        return {self._home(path) for path in absolute if path is not None}
