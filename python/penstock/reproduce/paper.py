"""Published works, one folder each: `paper.toml`, `setup.py`, a module for each figure or table, and the record.

The module of an experiment begins with a docstring whose first line is the title of the experiment, and has

* `study`, a `Sweep` or another function of the effort that gives a `Study`, and `measure(run) -> dict`, by default that
  of `setup.py`; or `rows(effort)` for a table of formulas; or `table(effort) -> Table` for several studies together,
* `CLAIMS`, the claims of the work,
* `draw`, `CurveFigure` or another function of the recorded points, where there is a figure. Curves show the printed
  points in `expected/ID.csv`, if there is one.

Experiments with the same runs may share a module, which `[modules]` in `paper.toml` names with their ids; each is an
`Exhibit` in it, named like its module would be.

`claims.toml` has the sentences of the claims (`penstock.reproduce.claim.claim_factory`) and `why.toml` the reasons why
claims are not confirmed in the author's set-up (`penstock.reproduce.why`). The record of the full runs is in
`results.json` (claims) and `points.parquet` (points of the figures). `paper.toml` may also have

* `messages`: the claims of the abstract, and `also`: further names of experiments,
* `[reconstructed]`: the author's set-up, and the experiments that are `without` it or to which it was `fitted`; the
  function `reconstructed` of `setup.py` changes a scenario to this set-up,
* `[chapters]`: the title of each chapter by its first experiment; each chapter has its own page,
* `[terms]`: terms of the paper, explained next to the figures that use them,
* `[ranges]`: the printed ranges of the axes of figures, outside which no claim is decided.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from matplotlib.figure import Figure

from penstock.errors import PenstockError, did_you_mean
from penstock.files import read_json, read_toml
from penstock.plots.curves import CurveFigure, read_printed_points
from penstock.reproduce import why
from penstock.reproduce.claim import Claim, claims_on_table
from penstock.reproduce.effort import Change, ReproductionEffort
from penstock.reproduce.exhibit import Exhibit
from penstock.reproduce.why import Reason
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Measure

__all__ = ["Experiment", "Paper", "find_experiments", "included_papers"]

_PAPERS = Path(__file__).parents[1] / "papers"
_KEYS = ("alias", "authors", "title", "venue", "year", "experiments")
# The part of a panel's id after the id of its figure: `a` in `fig5a`, `-top` in `fig5-top`.
_PANEL_OF = re.compile(r"[a-z](-[a-z]+)?|-[a-z]+")
# The panels in the name of a figure: `a` in `fig2-9a`, `a,b` in `fig5-5a,b`.
_FIGURE_WORD = re.compile(r"^(fig|tab)(?:ure|le)?\.?[\s_-]*(?=\d)", re.IGNORECASE)
"""The beginning of the name of a figure or table, as in "Figure 4" and "tab. 2.1"."""

_PANELS = re.compile(r"(?<=\d)[a-z][a-z,–-]*$")


@dataclass(frozen=True)
class Experiment:
    """A figure, table or worked example of a paper."""

    paper: Paper
    id: str

    @cached_property
    def module(self) -> ModuleType | Exhibit:
        """The module with the experiment's claims, or its `Exhibit` in a shared one (`[modules]` in `paper.toml`)."""
        name = self.id.replace("-", "_")
        shared = next(
            (module for module, ids in self.paper.metadata.get("modules", {}).items() if self.id in ids), None
        )
        module = importlib.import_module(f"{_package(self.paper.folder)}.{shared or name}")
        return module if shared is None else cast(Exhibit, getattr(module, name))

    @property
    def title(self) -> str:
        """The title in one line."""
        return (self.module.__doc__ or "").strip().split("\n", 1)[0].rstrip(".")

    def table(self, effort: ReproductionEffort) -> Table:
        """Run the experiment for this effort: the table of its numbers, from formulas or studies."""
        module = self.module
        if hasattr(module, "rows"):
            return Table.from_formulas(module.rows(effort))
        if hasattr(module, "table"):
            table: Table = module.table(effort)
            return table
        return effort.table(module.study(effort), self.measure)

    @property
    def measure(self) -> Measure:
        """The function that measures a run, from its module or else from the paper's `setup.py`."""
        has_own = hasattr(self.module, "measure")
        module = self.module if has_own else importlib.import_module(f"{_package(self.paper.folder)}.setup")
        measure: Measure = module.measure
        return measure

    @property
    def reconstruction(self) -> Change | None:
        """The change of every scenario to the author's set-up as reconstructed; None if it does not apply here."""
        settings = self.paper.reconstructed_setup
        if not settings or self.id in settings.get("without", ()) or hasattr(self.module, "rows"):
            return None
        change: Change = importlib.import_module(f"{_package(self.paper.folder)}.setup").reconstructed
        return change

    def claims(self, table: Table) -> list[Claim]:
        """Its claims with conditions on a table, one for each reading."""
        return claims_on_table(self.module.CLAIMS, table)

    @property
    def claim_ids(self) -> list[str]:
        """The ids of all its claims, including those that a quick reproduction leaves out."""
        return list(dict.fromkeys(claim.id for claim in self.module.CLAIMS))

    @property
    def draw(self) -> Callable[[SummaryTable], Figure] | None:
        """The function that draws its figure; curves include the printed points of `expected/ID.csv`, if any."""
        draw = getattr(self.module, "draw", None)
        if not isinstance(draw, CurveFigure):
            return draw
        file = self.paper.folder / "expected" / f"{self.id}.csv"
        return partial(draw, expected=read_printed_points(file) if file.exists() else ())

    @property
    def name(self) -> str:
        """The name, e.g. `cc/fig4`."""
        return f"{self.paper.alias}/{self.id}"

    @property
    def argument(self) -> str:
        """The argument of `penstock reproduce`: its name, or its path if the paper is outside penstock."""
        return self.name if self.paper.folder.parent == _PAPERS else f"{self.paper.folder.name}/{self.id}"


@dataclass(frozen=True)
class Paper:
    """A published work.

    Attributes:
        folder: the folder of its modules.
        metadata: the content of its `paper.toml`: authors, title, venue, year, link, alias, experiments, also.

    """

    folder: Path
    metadata: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The long name, e.g. `chung-claypool-2003`."""
        return self.folder.name.replace("_", "-")

    @property
    def alias(self) -> str:
        """The short name in front of the ids of its claims, e.g. `cc`."""
        return str(self.metadata["alias"])

    @property
    def label(self) -> str:
        """Authors, year and title."""
        return f"{self.metadata['authors']} ({self.metadata['year']}), {self.metadata['title']}"

    @property
    def experiments(self) -> list[Experiment]:
        """All experiments, in the order of the paper."""
        return [Experiment(self, id_) for id_ in self.metadata["experiments"]]

    def chapter_of(self, experiment_id: str) -> str:
        """The title of the chapter of an experiment; empty if the paper is not divided into chapters."""
        ids, chapters = self.metadata["experiments"], self.metadata.get("chapters", {})
        before = ids[: ids.index(experiment_id) + 1]
        return next((str(chapters[id_]) for id_ in reversed(before) if id_ in chapters), "")

    def experiments_named(self, name: str) -> list[Experiment]:
        """The experiments that a name stands for; none if the name is unknown.

        A name is one of these:

        * the id of an experiment, also as the work writes it (`fig2.9a` for `fig2-9`, "Figure 4", "table 2.1");
        * a figure whose panels are experiments (`fig5` for `fig5a` to `fig5c`);
        * the id of a claim or its part before a slash (`c01`, `tab3.1/r1`, `tab3.1`), for the experiment that decides
          the claim according to the record.
        """
        own = {experiment.id: experiment for experiment in self.experiments}
        name = _short_name(name)
        plain = name.replace(".", "-")
        for id_ in (name, plain, _PANELS.sub("", plain), self.also.get(name)):
            if id_ in own:
                return [own[id_]]
        if panels := [id_ for id_ in own if _PANEL_OF.fullmatch(id_.removeprefix(plain)) and id_.startswith(plain)]:
            return [own[id_] for id_ in panels]
        meant = [(id_, main) for id_, claim, main in self.recorded_claims() if f"{claim}/".startswith(f"{name}/")]
        decided = [id_ for id_, main in meant if main] or [id_ for id_, _ in meant]
        return [own[id_] for id_ in dict.fromkeys(decided)]

    def names(self) -> list[str]:
        """The ids and further names of experiments, and the ids of recorded claims with their parts before a slash."""
        claims = [claim for _, claim, _ in self.recorded_claims()]
        return [*self.metadata["experiments"], *self.also, *(claim.partition("/")[0] for claim in claims), *claims]

    @property
    def also(self) -> Mapping[str, str]:
        """Further names of experiments, each with the experiment's id."""
        names: Mapping[str, str] = self.metadata.get("also", {})
        return names

    def recorded_claims(self) -> list[tuple[str, str, bool]]:
        """Experiment and id of each recorded claim, and whether it is the main reading."""
        return [
            (entry["id"], claim["id"], not claim.get("reading"))
            for entry in (self.recorded_results() or {}).get("experiments", [])
            for claim in entry["claims"]
            if entry["id"] in self.metadata["experiments"]
        ]

    @property
    def results_file(self) -> Path:
        """The file with the claims as decided by the full runs."""
        return self.folder / "results.json"

    @property
    def points_file(self) -> Path:
        """The file with the points of the full runs from which figures are drawn."""
        return self.folder / "points.parquet"

    @cached_property
    def reasons(self) -> Mapping[str, Reason]:
        """Why claims are not confirmed, by their ids: the reasons of `why.toml`."""
        return why.read_reasons(self.folder, self.recorded_results())

    @property
    def main_message_ids(self) -> list[str]:
        """The ids of the claims of its abstract, which head its page."""
        return list(self.metadata.get("messages", ()))

    @property
    def reconstructed_setup(self) -> Mapping[str, Any]:
        """The author's set-up as reconstructed: its text `says`, its `sources`, experiments `without`.

        Also the experiments to which it was `fitted`. Empty if none.
        """
        settings: Mapping[str, Any] = self.metadata.get("reconstructed", {})
        return settings

    @property
    def fitted(self) -> list[str]:
        """The ids of the experiments to whose printed numbers the author's set-up was fitted."""
        return list(self.reconstructed_setup.get("fitted", ()))

    def recorded_results(self) -> Mapping[str, Any] | None:
        """The content of `results.json`, if it exists."""
        if not self.results_file.exists():
            return None
        record: Mapping[str, Any] = read_json(self.results_file)
        return record


def included_papers() -> list[Paper]:
    """All papers that come with penstock, by name."""
    return [_read(file.parent) for file in sorted(_PAPERS.glob("*/paper.toml"))]


def _read(folder: Path) -> Paper:
    file = folder / "paper.toml"
    about = read_toml(file)
    missing = [key for key in _KEYS if key not in about]
    if missing:
        raise PenstockError(f"{file}: lacks {', '.join(missing)}")
    return Paper(folder, about)


def _package(folder: Path) -> str:
    """The name of the package of a paper; a paper outside penstock is registered under a generated name."""
    if folder.parent == _PAPERS:
        return f"penstock.papers.{folder.name}"
    name = f"penstock_paper_{folder.name}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
    return name


def _folder_of(name: str) -> tuple[Path, str] | None:
    """The folder of a paper outside penstock, and the rest of the name."""
    path = Path(name)
    for folder in (path, *path.parents):
        if (folder / "paper.toml").is_file():
            return folder.resolve(), "" if folder == path else path.relative_to(folder).as_posix()
    return None


def _work_of(name: str, works: Sequence[Paper]) -> tuple[Paper, str] | None:
    """The paper with this name, alias, folder or beginning of its name, and the rest of the name."""
    first, _, second = name.partition("/")
    for paper in works:
        if first in (paper.name, paper.alias):
            return paper, second
    if (place := _folder_of(name)) is not None:
        return _read(place[0]), place[1]
    begun = [paper for paper in works if paper.name.startswith(f"{first}-")]
    return (begun[0], second) if len(begun) == 1 else None


def _short_name(name: str) -> str:
    """The name of a figure or table as in ids: `fig4` for `Figure 4`."""
    return _FIGURE_WORD.sub(lambda found: found[1][:3].lower(), name)


def _nearest_experiment(name: str, names: Sequence[str]) -> str:
    """A suggestion for an unknown name: the first name that begins with it (`fig4-1` for `fig4`), else the nearest."""
    begun = [known for known in names if known.startswith(_short_name(name))]
    return did_you_mean(begun[0], begun) if begun else did_you_mean(name, names)


def find_experiments(names: Sequence[str]) -> list[Experiment]:
    """The named experiments: `cc`, `chung-claypool-2003`, `cc/fig4`; without names, all of all works.

    A claim names the experiment that decides it: `cc/c01`. A folder with a `paper.toml` is also a paper: `./my_paper`,
    `./my_paper/fig1`.

    Raises `PenstockError` with every unknown name.
    """
    works = included_papers()
    experiments: list[Experiment] = []
    wrong: list[str] = []
    for name in names or [paper.name for paper in works]:
        place = _work_of(name, works)
        if place is None:
            first = name.partition("/")[0]
            close = did_you_mean(first, [word for paper in works for word in (paper.name, paper.alias)])
            wrong.append(f'no paper "{first}"{close}; available: {", ".join(paper.name for paper in works)}')
            continue
        paper, experiment_name = place
        meant = paper.experiments_named(experiment_name) if experiment_name else paper.experiments
        if not meant:
            close = _nearest_experiment(experiment_name, paper.names())
            wrong.append(
                f'{paper.name} has no experiment or claim "{experiment_name}"{close}; '
                f"penstock reproduce --list {name.removesuffix(f'/{experiment_name}')} lists its experiments"
            )
        experiments += meant
    if wrong:
        raise PenstockError("\n".join(wrong))
    return list({experiment.name: experiment for experiment in experiments}.values())
