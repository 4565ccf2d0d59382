"""Chunks: the runs of a study in parts of up to about a second, in an order that depends only on the plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from penstock import _native
from penstock.aqms import python_aqm
from penstock.engine.memory import keep_freed_memory
from penstock.results.run import Run
from penstock.scenario.document import scenario_key
from penstock.scenario.resolve import Resolved
from penstock.studies.part import CellRuns, PartColumns
from penstock.studies.seeds import SeedSet
from penstock.studies.store import RunResults, part_name

__all__ = ["Chunk", "EngineWork", "Keep", "StudyCell", "execute_work", "reduced_results", "split_into_chunks"]

Keep = Callable[[Run], Mapping[str, Any]]

PACKETS = 1_000_000
"""Packets on the watched links that a chunk may have at the beginning of a study; they take about 0.2 s."""

GROWTH = 5
"""Maximum factor by which later chunks are larger: larger parts cost less, and all threads are busy by then."""

STEP = 8
"""Number of chunks after which the next ones are larger by `PACKETS`."""

MAX_RUNS = 8192
"""Maximum number of runs in a chunk, whose results are held in memory until it is complete."""

SERIES_POINTS = 100_000
"""Default of the maximum number of intervals of the series that `keep` sees."""


@dataclass(frozen=True)
class StudyCell:
    """A scenario of a study, run with several seeds.

    Attributes:
        labels: by name: the values of the axes, the scheme.
        resolved: the scenario.
        seeds: of the runs.
        keep: computes numbers to be kept from a run with its series.
        source: the source of `keep`, which is part of the address.
        series_points: maximum number of intervals of the series that `keep` sees.

    """

    labels: Mapping[str, Any]
    resolved: Resolved
    seeds: range
    keep: Keep | None = None
    source: str = ""
    series_points: int = SERIES_POINTS
    content: str = field(init=False)
    """The content address of scenario and `keep`, under which the results are kept."""

    def __post_init__(self) -> None:
        content = scenario_key(self.resolved)
        if self.source:
            content = hashlib.sha256((content + self.source).encode()).hexdigest()[:32]
        object.__setattr__(self, "content", content)

    @property
    def runs(self) -> CellRuns:
        """Its runs, without the scenario itself."""
        return CellRuns(self.content, self.seeds, self.labels)

    def for_engine(self) -> str:
        """The scenario for the engine."""
        return self.resolved.for_engine(flows=False, series=self.keep is not None, series_points=self.series_points)

    def packets(self) -> float:
        """Packets of 1500 bytes that its watched links can send in a run: a measure of its work."""
        duration, *_ = self.resolved.head.times_ns
        return duration / 1e9 * sum(form.watched_rate for form in self.resolved.links) / 12_000


@dataclass(frozen=True)
class Chunk:
    """Runs that are executed one after the other and kept as one part.

    Attributes:
        runs: cells, each with the seeds of its runs.
        study: the name of the study.

    """

    runs: tuple[tuple[StudyCell, tuple[int, ...]], ...]
    study: str

    @cached_property
    def name(self) -> str:
        """The name of the part."""
        return part_name((cell.content, seeds) for cell, seeds in self.runs)

    @cached_property
    def key(self) -> str:
        """A key of the content of the part, processor times aside: its runs, their labels, and the study."""
        described = repr((self.study, [dict(cell.labels) for cell, _ in self.runs]))
        return f"{self.name}-{hashlib.blake2b(described.encode(), digest_size=8).hexdigest()}"

    @property
    def size(self) -> int:
        """Number of runs."""
        return sum(len(seeds) for _, seeds in self.runs)

    def missing(self, results: RunResults) -> Chunk:
        """The runs that have no result."""
        missing = [(cell, results.missing(cell.content, seeds)) for cell, seeds in self.runs]
        return Chunk(tuple((cell, seeds) for cell, seeds in missing if seeds), self.study)

    def work(self) -> list[EngineWork]:
        """The runs for the engine."""
        return [
            EngineWork(cell.for_engine(), seeds, cell.keep, cell.resolved.readable if cell.keep else None)
            for cell, seeds in self.runs
        ]

    def has_python_aqms(self) -> bool:
        """Whether an AQM in Python is involved."""
        return bool(python_aqm.aqm_constructors(cell.for_engine() for cell, _ in self.runs))

    def places(self) -> list[CellRuns]:
        """The runs of each cell with their place in the study."""
        return [CellRuns(cell.content, seeds, cell.labels, self.study) for cell, seeds in self.runs]

    def head(self) -> PartColumns:
        """The columns of the part that are known before its runs are executed."""
        return PartColumns.from_cells(self.places())

    def scenarios(self) -> dict[str, str]:
        """The resolved scenarios as JSON texts, by content address."""
        return {cell.content: json.dumps(cell.resolved.readable) for cell, _ in self.runs}


@dataclass(frozen=True)
class EngineWork:
    """Runs of a scenario in the form for the engine.

    Attributes:
        scenario: for the engine.
        seeds: of the runs.
        keep: computes numbers to be kept from a run with its series.
        resolved: the resolved scenario, which only `keep` needs.

    """

    scenario: str
    seeds: tuple[int, ...]
    keep: Keep | None = None
    resolved: Mapping[str, Any] | None = None


def execute_work(
    work: Sequence[EngineWork],
    progress: Callable[[int], object] | None = None,
    aqms: Mapping[str, Callable[[Any, Any], Any]] | None = None,
) -> _native.Results:
    """Execute runs in this thread, with these AQMs in Python. Returns their results in the form in which they are kept.

    `progress` is called with the number of finished runs.
    """
    keep_freed_memory()
    if not aqms and all(entry.keep is None for entry in work):
        return _native.run_cells([(entry.scenario, entry.seeds) for entry in work], progress)
    scenarios = [entry.scenario for entry in work for _ in entry.seeds]
    seeds = [seed for entry in work for seed in entry.seeds]
    return reduced_results(work, _native.run_many(scenarios, seeds, 1, progress, dict(aqms or {})))


def reduced_results(work: Sequence[EngineWork], texts: Iterable[str]) -> _native.Results:
    """The results of runs as they are kept: without their series, but with the numbers computed by `keep`."""
    runs = (entry for entry in work for _ in entry.seeds)
    return _native.Results([_reduced(entry, text) for entry, text in zip(runs, texts, strict=True)])


def _reduced(work: EngineWork, text: str) -> str:
    if work.keep is None:
        return text
    run = Run.from_json(text, dict(work.resolved or {}))
    rest = {name: value for name, value in run.raw.items() if name not in ("series", "senders")}
    return json.dumps({**rest, "kept": dict(work.keep(run))}, separators=(",", ":"))


def split_into_chunks(cells: Iterable[StudyCell], study: str = "") -> Iterator[Chunk]:
    """The runs of cells in chunks; a run that occurs twice is executed once."""
    chunk_runs: list[tuple[StudyCell, tuple[int, ...]]] = []
    planned: dict[str, SeedSet] = {}
    packets = 0.0
    runs = count = 0
    for cell in cells:
        share = cell.packets()
        planned_seeds = planned.setdefault(cell.content, SeedSet())
        missing = planned_seeds.missing(cell.seeds)
        planned_seeds.add(cell.seeds)
        while missing:
            most = PACKETS * min(GROWTH, 1 + count // STEP)
            room = min(MAX_RUNS - runs, int((most - packets) / share) if share else MAX_RUNS)
            if chunk_runs and room < 1:
                yield _chunk(chunk_runs, study)
                chunk_runs, packets, runs, count = [], 0.0, 0, count + 1
                continue
            some, missing = missing[: max(room, 1)], missing[max(room, 1) :]
            chunk_runs.append((cell, some))
            packets, runs = packets + share * len(some), runs + len(some)
    if chunk_runs:
        yield _chunk(chunk_runs, study)


def _chunk(runs: Iterable[tuple[StudyCell, tuple[int, ...]]], study: str) -> Chunk:
    return Chunk(tuple(runs), study)
