"""Published works, one folder each: `paper.toml`, `setup.py`, one module for each figure or table, `results.json`.

A module of an experiment begins with a docstring whose first line is its title, and has

* `study(effort) -> Study` and `measure(run) -> dict` for what is simulated, or `rows(effort)` for a table of formulas,
* `claims(table) -> Iterator[Claim]`: what the work claims of it,
* `draw(shown) -> Figure`, where there is something to draw.
"""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from penstock.faults import PenstockError, nearest

__all__ = ["Experiment", "Paper", "find", "papers"]

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Experiment:
    """A figure, table or worked example of a work."""

    paper: Paper
    id: str

    @cached_property
    def module(self) -> ModuleType:
        """The module that does it."""
        return importlib.import_module(f"penstock.papers.{self.paper.folder.name}.{self.id.replace('-', '_')}")

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return (self.module.__doc__ or "").strip().split("\n", 1)[0].rstrip(".")

    @property
    def name(self) -> str:
        """As it is asked for: `cc/fig4`."""
        return f"{self.paper.alias}/{self.id}"


@dataclass(frozen=True)
class Paper:
    """A published work.

    Attributes:
        folder: where its modules stand.
        about: what its `paper.toml` says: authors, title, venue, year, link, alias, experiments.

    """

    folder: Path
    about: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Such as `chung-claypool-2003`."""
        return self.folder.name.replace("_", "-")

    @property
    def alias(self) -> str:
        """The short name before the ids of its claims, such as `cc`."""
        return str(self.about["alias"])

    @property
    def label(self) -> str:
        """Authors, year and title."""
        return f"{self.about['authors']} ({self.about['year']}), {self.about['title']}"

    @property
    def experiments(self) -> list[Experiment]:
        """All of them, in the order of the work."""
        return [Experiment(self, id_) for id_ in self.about["experiments"]]

    @property
    def results_file(self) -> Path:
        """The summary of the full runs."""
        return self.folder / "results.json"

    def recorded(self) -> Mapping[str, Any] | None:
        """The summary of the full runs, where there is one."""
        if not self.results_file.exists():
            return None
        found: Mapping[str, Any] = json.loads(self.results_file.read_text(encoding="utf-8"))
        return found


def papers() -> list[Paper]:
    """All works, by name."""
    files = sorted(_HERE.glob("*/paper.toml"))
    return [Paper(file.parent, tomllib.loads(file.read_text(encoding="utf-8"))) for file in files]


def find(wanted: Sequence[str]) -> list[Experiment]:
    """The experiments that are named: `cc`, `chung-claypool-2003`, `cc/fig4`; all of all works if nothing is named.

    Raises `PenstockError` with every unknown name.
    """
    known = papers()
    by_name = {name: paper for paper in known for name in (paper.name, paper.alias)}
    found: list[Experiment] = []
    wrong: list[str] = []
    for name in wanted or [paper.name for paper in known]:
        first, _, second = name.partition("/")
        paper = by_name.get(first)
        if paper is None:
            names = ", ".join(paper.name for paper in known)
            wrong.append(f'there is no work "{first}"{nearest(first, by_name)}; there are: {names}')
            continue
        ids = {experiment.id: experiment for experiment in paper.experiments}
        if second and second not in ids:
            wrong.append(f'{paper.name} has no experiment "{second}"{nearest(second, ids)}; it has: {", ".join(ids)}')
            continue
        found += [ids[second]] if second else ids.values()
    if wrong:
        raise PenstockError("\n".join(wrong))
    return list({experiment.name: experiment for experiment in found}.values())
