"""Published works, one folder each: `paper.toml`, `setup.py`, one module for each figure or table, what is recorded.

A module of an experiment begins with a docstring whose first line is its title, and has

* `study(effort) -> Study` and `measure(run) -> dict` for what is simulated, `rows(effort)` for a table of formulas, or
  `table(effort) -> Table` for what several studies give together,
* `claims(table) -> Iterator[Claim]`: what the work claims of it,
* `draw(shown) -> Figure`, where there is something to draw.

`reasons.csv`, if there is one, has in its columns `claim` and `because` why a claim is contradicted. Of the full runs
`results.json` has the claims, and `points.parquet` the points that the figures draw from.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import json
import sys
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
_KEYS = ("alias", "authors", "title", "venue", "year", "experiments")


@dataclass(frozen=True)
class Experiment:
    """A figure, table or worked example of a work."""

    paper: Paper
    id: str

    @cached_property
    def module(self) -> ModuleType:
        """The module that does it."""
        return importlib.import_module(f"{_package(self.paper.folder)}.{self.id.replace('-', '_')}")

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return (self.module.__doc__ or "").strip().split("\n", 1)[0].rstrip(".")

    @property
    def name(self) -> str:
        """As it is called: `cc/fig4`."""
        return f"{self.paper.alias}/{self.id}"

    @property
    def asked(self) -> str:
        """As `penstock reproduce` is asked for it: its name, or its place where the work stands elsewhere."""
        return self.name if self.paper.folder.parent == _HERE else f"{self.paper.folder.name}/{self.id}"


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
        """The claims as the full runs decide them."""
        return self.folder / "results.json"

    @property
    def points_file(self) -> Path:
        """The points of the full runs that figures draw from."""
        return self.folder / "points.parquet"

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Why claims are contradicted, by their ids, where the work has this in a table."""
        file = self.folder / "reasons.csv"
        if not file.exists():
            return {}
        with file.open(encoding="utf-8", newline="") as rows:
            return {row["claim"]: row["because"] for row in csv.DictReader(rows)}

    def recorded(self) -> Mapping[str, Any] | None:
        """What `results.json` has, where there is one."""
        if not self.results_file.exists():
            return None
        found: Mapping[str, Any] = json.loads(self.results_file.read_text(encoding="utf-8"))
        return found


def papers() -> list[Paper]:
    """All works that come with penstock, by name."""
    return [_read(file.parent) for file in sorted(_HERE.glob("*/paper.toml"))]


def _read(folder: Path) -> Paper:
    file = folder / "paper.toml"
    try:
        about = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise PenstockError(f"{file}: {error}") from None
    missing = [key for key in _KEYS if key not in about]
    if missing:
        raise PenstockError(f"{file}: lacks {', '.join(missing)}")
    return Paper(folder, about)


def _package(folder: Path) -> str:
    """The name of the package of a work; one that stands elsewhere is made known under a name of its own."""
    if folder.parent == _HERE:
        return f"{__name__}.{folder.name}"
    name = f"penstock_paper_{folder.name}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
    return name


def _folder_of(name: str) -> tuple[Path, str] | None:
    """The folder of a work that stands elsewhere, and what is asked of it."""
    path = Path(name).resolve()
    if (path / "paper.toml").is_file():
        return path, ""
    return (path.parent, path.name) if (path.parent / "paper.toml").is_file() else None


def find(wanted: Sequence[str]) -> list[Experiment]:
    """The experiments that are named: `cc`, `chung-claypool-2003`, `cc/fig4`; all of all works if nothing is named.

    A folder with a `paper.toml` is a work too: `./my_paper`, `./my_paper/fig1`.

    Raises `PenstockError` with every unknown name.
    """
    known = papers()
    by_name = {name: paper for paper in known for name in (paper.name, paper.alias)}
    found: list[Experiment] = []
    wrong: list[str] = []
    for name in wanted or [paper.name for paper in known]:
        first, _, second = name.partition("/")
        paper = by_name.get(first)
        if paper is None and (place := _folder_of(name)) is not None:
            paper, second = _read(place[0]), place[1]
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
