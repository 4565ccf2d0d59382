"""Chunks: the runs of a study in parts of about a second, in an order that only the plan decides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from penstock.laws import python_law
from penstock.results.run import Run
from penstock.scenario.resolve import Resolved
from penstock.scenario.scenario import key_of
from penstock.studies.part import Row
from penstock.studies.store import Results, part_name

__all__ = ["Cell", "Chunk", "Keep", "chunks", "reduced"]

Keep = Callable[[Run], Mapping[str, Any]]

PACKETS = 1_000_000
"""Packets on the watched links that a chunk may have; they take about a second."""

MAX_RUNS = 4096
"""Maximum number of runs in a chunk, whose results are held in memory until it is complete."""

SERIES_POINTS = 100_000
"""Maximum number of intervals of the series that `keep` sees."""


@dataclass(frozen=True)
class Cell:
    """A scenario of a study, run with several seeds.

    Attributes:
        labels: by name: the values of the axes, the scheme.
        resolved: the scenario.
        seeds: of the runs.
        keep: computes numbers to be kept from a run with its series.
        source: the source of `keep`, which is part of the address.

    """

    labels: Mapping[str, Any]
    resolved: Resolved
    seeds: range
    keep: Keep | None = None
    source: str = ""
    content: str = field(init=False)
    """The content address of scenario and `keep`, under which the results are kept."""

    def __post_init__(self) -> None:
        content = key_of(self.resolved)
        if self.source:
            content = hashlib.sha256((content + self.source).encode()).hexdigest()[:32]
        object.__setattr__(self, "content", content)

    def for_engine(self) -> str:
        """The scenario for the engine."""
        return self.resolved.for_engine(flows=False, series=self.keep is not None, series_points=SERIES_POINTS)

    def reduced(self, text: str) -> str:
        """See the function `reduced`."""
        return reduced(text, self.keep, self.resolved.shown)

    def packets(self) -> float:
        """Packets of 1500 bytes that its watched links can send in a run: a measure of its work."""
        duration, *_ = self.resolved.head.times
        return duration / 1e9 * sum(form.watched_rate for form in self.resolved.links) / 12_000


@dataclass(frozen=True)
class Chunk:
    """Runs that are made one after the other and kept as one part.

    Attributes:
        runs: cells, each with the seeds of its runs.
        study: the name of the study.

    """

    runs: tuple[tuple[Cell, tuple[int, ...]], ...]
    study: str

    @cached_property
    def name(self) -> str:
        """The name of the part."""
        return part_name((cell.content, seed) for cell, seeds in self.runs for seed in seeds)

    @property
    def size(self) -> int:
        """Number of runs."""
        return sum(len(seeds) for _, seeds in self.runs)

    def missing(self, results: Results) -> Chunk:
        """The runs that have no result."""
        left = [
            (cell, tuple(seed for seed in seeds if not results.has(cell.content, seed))) for cell, seeds in self.runs
        ]
        return Chunk(tuple((cell, seeds) for cell, seeds in left if seeds), self.study)

    def work(self) -> tuple[list[str], list[int]]:
        """The scenario for the engine and the seed of each run."""
        scenarios: list[str] = []
        for cell, seeds in self.runs:
            scenarios += [cell.for_engine()] * len(seeds)
        return scenarios, [seed for _, seeds in self.runs for seed in seeds]

    def has_python_laws(self) -> bool:
        """Whether a law in Python takes part."""
        return bool(python_law.used(cell.for_engine() for cell, _ in self.runs))

    def reduced(self, texts: Iterable[str]) -> list[str]:
        """The results of the runs as they are kept."""
        cells = (cell for cell, seeds in self.runs for _ in seeds)
        return [cell.reduced(text) for cell, text in zip(cells, texts, strict=True)]

    def rows(self, texts: Iterable[str]) -> list[Row]:
        """The results of the runs, as `reduced` made them, as rows of a store."""
        runs = ((cell, seed) for cell, seeds in self.runs for seed in seeds)
        return [
            Row(cell.content, seed, text, cell.labels, self.study)
            for (cell, seed), text in zip(runs, texts, strict=True)
        ]

    def scenarios(self) -> dict[str, str]:
        """The resolved scenarios as JSON texts, by content address."""
        return {cell.content: json.dumps(cell.resolved.shown) for cell, _ in self.runs}


def reduced(text: str, keep: Keep | None, shown: Mapping[str, Any] | None) -> str:
    """The result of a run as it is kept: without its series, but with the numbers computed by `keep`.

    `shown` is the resolved scenario, which only `keep` needs.
    """
    if keep is None:
        return text
    run = Run.from_json(text, dict(shown or {}))
    rest = {name: value for name, value in run.raw.items() if name not in ("series", "senders")}
    return json.dumps({**rest, "kept": dict(keep(run))}, separators=(",", ":"))


def chunks(cells: Iterable[Cell], study: str = "") -> Iterator[Chunk]:
    """The runs of cells in chunks; a run that occurs twice is made once."""
    taken: list[tuple[Cell, list[int]]] = []
    planned: dict[str, set[int]] = {}
    packets = runs = 0.0
    for cell in cells:
        share = cell.packets()
        known = planned.setdefault(cell.content, set())
        for seed in cell.seeds:
            if seed in known:
                continue
            known.add(seed)
            if taken and (packets + share > PACKETS or runs >= MAX_RUNS):
                yield _chunk(taken, study)
                taken, packets, runs = [], 0.0, 0
            if not taken or taken[-1][0] is not cell:
                taken.append((cell, []))
            taken[-1][1].append(seed)
            packets, runs = packets + share, runs + 1
    if taken:
        yield _chunk(taken, study)


def _chunk(taken: Iterable[tuple[Cell, list[int]]], study: str) -> Chunk:
    return Chunk(tuple((cell, tuple(seeds)) for cell, seeds in taken), study)
