"""Schemes side by side on one scenario: paired run by run, with confidence intervals."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock import _native
from penstock.engine.run import Run, cores, run_batch
from penstock.errors import Fault, PenstockError, ScenarioError, nearest
from penstock.laws import python_law
from penstock.laws.queue import Queue
from penstock.results.distribution import bin_width, binned, is_distribution
from penstock.results.summary import Summary, summarize
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.scenario import Document, Scenario, key_of
from penstock.studies.candidate import Contender, Precision
from penstock.studies.executor import Job, job_key, run_in_parts
from penstock.studies.store import Store

__all__ = ["Comparison", "Contender", "Plan", "Precision", "carry_out", "compare"]

Progress = Callable[[int, int], object]
"""Called with the runs that are finished and the runs that are planned."""


@dataclass(frozen=True)
class Cell:
    """One scheme at one point of the sweep."""

    contender: Contender
    vary: Mapping[str, Any]
    resolved: Resolved


@dataclass(frozen=True)
class Plan:
    """What a comparison will do: its cells, and where the schemes stand."""

    base: Resolved
    at: tuple[str, ...]
    cells: tuple[Cell, ...]
    schemes: tuple[Contender, ...]
    points: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]

    def cost(self, runs: int, jobs: int) -> str:
        """What it will take, in a line."""
        points = f"{len(self.points)} points x " if len(self.points) > 1 else ""
        schemes = f"{len(self.schemes)} scheme{'s' if len(self.schemes) > 1 else ''}"
        seed = self.base.shown["seed"]
        return (
            f"{len(self.cells) * runs} runs of {self.base.shown['duration']}: {schemes} x {points}{runs} runs "
            f"(seeds {seed} to {seed + runs - 1}), {jobs} thread{'s' if jobs > 1 else ''}"
        )

    def has_python_laws(self) -> bool:
        """Whether a law in Python takes part: what it imports is no part of the key of a result."""
        return any(python_law.sources(python_law.schemes_in(cell.resolved.shown)) for cell in self.cells)

    @classmethod
    def make(
        cls,
        scenario: Scenario | Document,
        schemes: Iterable[Contender | Queue | str],
        vary: Mapping[str, Sequence[Any]] | None = None,
        at: Sequence[str] | None = None,
    ) -> Plan:
        """Resolve every cell. Raises `ScenarioError` with the faults of all of them."""
        base = scenario.document() if isinstance(scenario, Scenario) else scenario
        contenders = _contenders(schemes)
        if not contenders:
            raise PenstockError("name at least one scheme to compare, such as --scheme red")
        resolved = base.resolve()
        places = tuple(at) if at else resolved.watched
        _check_places(base, places)
        points = [dict(zip(vary or {}, values, strict=True)) for values in itertools.product(*(vary or {}).values())]
        faults: list[Fault] = []
        cells = []
        for point in points:
            try:
                document = _varied(base, point)
            except ScenarioError as error:
                faults += error.faults
                continue
            for contender in contenders:
                placed = _placed(document, contender, places)
                found = resolve(placed.tree, placed.origins)
                faults += found.faults
                cells.append(Cell(contender, point, found))
        if faults:
            raise ScenarioError(dict.fromkeys(faults))
        return cls(resolved, places, tuple(cells), contenders, tuple(points), _left_out(base, contenders, places))


def _contenders(schemes: Iterable[Contender | Queue | str]) -> tuple[Contender, ...]:
    """Each once. Raises `ScenarioError` with the faults of all of them."""
    faults: list[Fault] = []
    found: dict[str, Contender] = {}
    for scheme in schemes:
        try:
            contender = Contender.of(scheme)
        except ScenarioError as error:
            faults += error.faults
        else:
            found[contender.label] = contender
    if faults:
        raise ScenarioError(faults)
    return tuple(found.values())


def _check_places(base: Document, places: Sequence[str]) -> None:
    if not places:
        raise PenstockError("no link is watched: name the bottleneck with --at LINK, or say watch = true in its table")
    links = base.tree["links"]
    for place in places:
        if place.removesuffix(".reverse") not in links:
            known = ", ".join(links)
            raise ScenarioError(
                [Fault("", f'no link "{place}"{nearest(place, links)}; there are: {known}', None, "--at")]
            )


def _varied(base: Document, point: Mapping[str, Any]) -> Document:
    document = base
    for path, value in point.items():
        document = document.set(path, value, "--vary")
    return document


def _queue_at(document: Document, place: str) -> Mapping[str, Any]:
    """The table of the queue that the scenario itself has there; empty if it has none."""
    table: Any = document.tree["links"][place.removesuffix(".reverse")]
    if place.endswith(".reverse") and table.get("reverse", {}).get("queue") != "same":
        table = table.get("reverse", {})
    queue = table.get("queue")
    return queue if isinstance(queue, Mapping) else {}


def _left_out(document: Document, contenders: Sequence[Contender], places: Sequence[str]) -> tuple[str, ...]:
    """For each scheme that stands in the scenario itself, the settings there that it does not take over."""
    notes = {}
    for contender in contenders:
        for place in places:
            queue = _queue_at(document, place)
            left = [key for key in queue if key not in ("scheme", "limit", "share") and key not in contender.params]
            if queue.get("scheme") == contender.name and left and not contender.params:
                settings = ",".join(f"{key}={_written(queue[key])}" for key in left)
                notes[contender.name] = (
                    f"{contender.name} runs with its own defaults, not with the settings of links.{place}.queue; "
                    f"for these: --scheme {contender.name}:{settings}"
                )
    return tuple(notes.values())


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _placed(document: Document, contender: Contender, places: Sequence[str]) -> Document:
    """The scenario with the contender's queue at these places, which are watched."""
    for place in places:
        name = place.removesuffix(".reverse")
        path = f"links.{name}.reverse" if place.endswith(".reverse") else f"links.{name}"
        queue = contender.table(_queue_at(document, place))
        kept = {key: origin for key, origin in document.origins.items() if not key.startswith(f"{path}.queue.")}
        document = Document(document.tree, kept).set(f"{path}.queue", queue, contender.origin)
        document = document.set(f"{path}.watch", True, contender.origin)
        if contender.origins:
            own = {f"{path}.queue.{key}": origin for key, origin in contender.origins.items() if key}
            document = Document(document.tree, {**document.origins, **own})
    return document


@dataclass(frozen=True)
class Comparison:
    """What a comparison has found: rows as in its JSON, each one number."""

    plan: Plan
    seed: int
    runs: int
    rows: tuple[Mapping[str, Any], ...]
    differences: tuple[Mapping[str, Any], ...]

    @property
    def scenario(self) -> Mapping[str, Any]:
        """The resolved scenario."""
        return self.plan.base.shown

    def to_dict(self) -> dict[str, Any]:
        """As `penstock compare --json` writes it."""
        used = {scheme.name for scheme in self.plan.schemes} | set(python_law.schemes_in(self.scenario))
        laws = python_law.sources(used)
        return {
            "penstock": _native.version,
            "scenario": {**self.scenario, "seed": self.seed},
            **({"laws": laws} if laws else {}),
            "rows": list(self.rows),
            "differences": list(self.differences),
        }

    def to_json(self) -> str:
        """The JSON text: the same bytes for the same scenario, seeds and version, on any number of threads."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    def value(self, scheme: str, metric: str, place: str | None = None, **vary: Any) -> Mapping[str, Any]:
        """The row of a scheme (its label), metric and place (the first by default) at a point of the sweep.

        `vary` names the swept keys by their last part: `count=25`.
        """
        for row in self.rows:
            at = {path.rsplit(".", 1)[-1]: value for path, value in row["vary"].items()}
            if (
                row_label(row) == scheme
                and row["metric"] == metric
                and place in (None, row["place"])
                and all(at.get(key) == value for key, value in vary.items())
            ):
                return row
        raise KeyError((scheme, metric, place, vary))

    def identical(self) -> list[str]:
        """The cells whose runs are all alike, because nothing in them is random: `droptail at extra.count = 0`."""
        varied = {_cell_of(row): False for row in self.rows} if self.runs > 1 else {}
        for row in self.rows:
            if row["sd"]:
                varied[_cell_of(row)] = True
        return [cell for cell, differs in varied.items() if not differs]

    def series(self, seed: int | None = None, jobs: int | None = None) -> list[dict[str, Any]]:
        """Queue and law over time, for one run of each cell."""
        cells = self.plan.cells
        texts = [cell.resolved.for_engine(flows=False, series=True) for cell in cells]
        results = run_batch(texts, [self.seed if seed is None else seed] * len(texts), jobs=jobs)
        return [
            {
                "scheme": cell.contender.name,
                "params": dict(cell.contender.params),
                "vary": dict(cell.vary),
                "links": json.loads(result)["series"],
            }
            for cell, result in zip(cells, results, strict=True)
        ]

    def __repr__(self) -> str:
        from penstock.studies.tables import plain_text

        return plain_text(self)

    def _repr_html_(self) -> str:
        from penstock.studies.tables import html_text

        return html_text(self)


def row_label(row: Mapping[str, Any]) -> str:
    """The label of the scheme of a row."""
    return Contender(row["scheme"], row["params"]).label


def _cell_of(row: Mapping[str, Any]) -> str:
    at = ", ".join(f"{path.split('.', 1)[-1]} = {value}" for path, value in row["vary"].items())
    return f"{row_label(row)} at {at}" if at else row_label(row)


def compare(
    scenario: Scenario | Document,
    schemes: Iterable[Contender | Queue | str],
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    runs: int = 30,
    precision: Precision | None = None,
    at: Sequence[str] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: Store | None = None,
) -> Comparison:
    """Compare schemes on a scenario, paired run by run on the seeds seed, seed + 1, ..., seed + runs - 1.

    `vary` sweeps paths over values (the grid of all combinations); `precision` adds runs until a metric is known well
    enough, in rounds of `runs`; `at` names the links whose queue is replaced (by default the watched ones). Runs that
    are in the `store` are not repeated, and finished ones are kept there, so that an interrupted comparison resumes.
    """
    if runs < 1:
        raise PenstockError("at least one run is needed")
    return carry_out(Plan.make(scenario, schemes, vary, at), runs, precision, jobs or cores(), progress, store)


def carry_out(
    plan: Plan,
    runs: int,
    precision: Precision | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: Store | None = None,
) -> Comparison:
    """Do what a plan says."""
    seed = int(plan.base.shown["seed"])
    table = Table(plan, jobs or cores(), progress, store)
    table.add(range(seed, seed + runs))
    while precision is not None and table.runs < precision.most and not table.precise(precision):
        more = min(max(runs, 2), precision.most - table.runs)
        table.add(range(seed + table.runs, seed + table.runs + more))
    return Comparison(plan, seed, table.runs, tuple(table.rows()), tuple(table.differences()))


Key = tuple[str, str, str]
"""Links or traffic, place, metric."""

Value = float | list[float] | None
"""A number, a distribution, or None for a run without it."""


class Table:
    """The numbers of all runs so far: for each cell and key one value a run."""

    def __init__(self, plan: Plan, threads: int, progress: Progress | None, store: Store | None) -> None:
        self.plan = plan
        self.runs = 0
        self.threads, self.progress, self.store = threads, progress, store
        self.values: list[dict[Key, list[Value]]] = [{} for _ in plan.cells]
        # Where each key stands in the first run that has it: the order of the rows, however runs arrive.
        self._places: list[dict[Key, tuple[int, int]]] = [{} for _ in plan.cells]
        self._contents = [key_of(cell.resolved) for cell in plan.cells]

    def add(self, seeds: range) -> None:
        """Take every cell's runs with these seeds from the store, or run them."""
        jobs = [
            Job(number, seed, job_key(content, seed)) for seed in seeds for number, content in enumerate(self._contents)
        ]
        waiting: dict[str, list[Job]] = {}
        for job in jobs:
            waiting.setdefault(job.key, []).append(job)
        before, planned = self.runs * len(self.plan.cells), (self.runs + len(seeds)) * len(self.plan.cells)
        for key, text in self.store.get(list(waiting)) if self.store else ():
            self._keep(waiting.pop(key), text)
        missing = [same[0] for same in waiting.values()]
        done = before + len(jobs) - len(missing)

        def report(finished: int) -> None:
            if self.progress is not None:
                self.progress(done + finished, planned)

        report(0)
        for part in run_in_parts(missing, self._scenario, self.threads, report):
            if self.store is not None:
                self.store.put((job.key, text) for job, text in part)
            for job, text in part:
                self._keep(waiting[job.key], text)
        self.runs += len(seeds)

    def _scenario(self, number: int) -> str:
        return self.plan.cells[number].resolved.for_engine(flows=False, series=False)

    def _keep(self, jobs: Iterable[Job], text: str) -> None:
        """Keep the numbers of a run for each job that it answers."""
        numbers = list(Run.from_json(text, {}).numbers())
        for job in jobs:
            index = job.seed - int(self.plan.base.shown["seed"])
            values, places = self.values[job.cell], self._places[job.cell]
            for position, (part, place, metric, value) in enumerate(numbers):
                key = part, place, metric
                column = values.setdefault(key, [])
                column.extend([None] * (index + 1 - len(column)))
                column[index] = value if value != [] else None
                places[key] = min(places.get(key, (index, position)), (index, position))

    def _keys(self, number: int) -> list[Key]:
        """The keys of a cell in the order of its rows."""
        return sorted(self._places[number], key=self._places[number].__getitem__)

    def _column(self, number: int, key: Key) -> list[Any]:
        """One value a run."""
        column = self.values[number].get(key, [])
        return column + [None] * (self.runs - len(column))

    def precise(self, precision: Precision) -> bool:
        """Whether the metric is known well enough in every cell where it stands at one of the plan's links."""
        found = False
        for number in range(len(self.plan.cells)):
            for key in self.values[number]:
                _, place, metric = key
                if metric == precision.metric and place in self.plan.at and not is_distribution(metric):
                    found = True
                    if self._summary(number, key).relative_half > precision.share:
                        return False
        if not found:
            known = sorted({key[2] for key in self.values[0] if key[1] in self.plan.at and not is_distribution(key[2])})
            raise PenstockError(
                f'no metric "{precision.metric}"{nearest(precision.metric, known)}; known: {", ".join(known)}'
            )
        return True

    def _summary(self, number: int, key: Key) -> Summary:
        return summarize([value for value in self._column(number, key) if value is not None])

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row a number."""
        longest = self._longest()
        for number, cell in enumerate(self.plan.cells):
            for key in self._keys(number):
                values = [value for value in self._column(number, key) if value is not None]
                if not values:
                    continue
                if key in longest:
                    yield from _distribution_rows(cell, key, values, longest[key])
                else:
                    yield _row(cell, key, summarize(values))

    def _longest(self) -> dict[Key, int]:
        """The number of values of each distribution over all cells, which decides its bins in each of them."""
        found: dict[Key, int] = {}
        for columns in self.values:
            for key, column in columns.items():
                if is_distribution(key[2]):
                    found[key] = max([found.get(key, 0), *(len(value) for value in column if isinstance(value, list))])
        return found

    def differences(self) -> Iterator[dict[str, Any]]:
        """What each scheme has more than the first, run by run."""
        width = len(self.plan.schemes)
        for number, cell in enumerate(self.plan.cells):
            first = number - number % width
            if number == first:
                continue
            against = self.plan.cells[first].contender
            for key in self._keys(number):
                if is_distribution(key[2]):
                    continue
                pairs = zip(self._column(number, key), self._column(first, key), strict=True)
                values = [mine - other for mine, other in pairs if mine is not None and other is not None]
                if values:
                    row = _row(cell, key, summarize(values))
                    yield row | {"against": against.name, "against_params": dict(against.params)}


def _distribution_rows(cell: Cell, key: Key, runs: Sequence[list[float]], longest: int) -> Iterator[dict[str, Any]]:
    """A row for each value or bin of a distribution, over the runs that have it."""
    width = bin_width(longest)
    bins = -(-max(map(len, runs)) // width)
    binned_runs = [binned(key[2], shares, width, bins) for shares in runs]
    for column in zip(*binned_runs, strict=True):
        yield _row(cell, (*key[:2], str(column[0][0])), summarize([share for _, share in column]))


def _row(cell: Cell, key: Key, summary: Summary) -> dict[str, Any]:
    return {
        "scheme": cell.contender.name,
        "params": dict(cell.contender.params),
        "vary": dict(cell.vary),
        "place": key[1],
        "metric": key[2],
        "mean": summary.mean,
        "sd": summary.sd,
        "ci95": None if summary.ci95 is None else list(summary.ci95),
        "runs": summary.runs,
    }
