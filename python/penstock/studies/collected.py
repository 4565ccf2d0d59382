"""The numbers of a comparison's runs, by case and metric, and the rows that summarize them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from penstock.errors import PenstockError, nearest
from penstock.results.distribution import bin_width, binned, is_distribution
from penstock.results.run import Run
from penstock.results.summary import ALPHA, Summary, summarize
from penstock.studies.candidate import Precision
from penstock.studies.chunk import Cell
from penstock.studies.complete import complete
from penstock.studies.executor import Progress, Threads
from penstock.studies.order import merged
from penstock.studies.plan import Case, Plan
from penstock.studies.store import Results

__all__ = ["Collected"]

Key = tuple[str, str, str]
"""Links or traffic, place, metric."""

Value = float | list[float] | None
"""A number, a distribution, or None for a run without it."""


class Collected:
    """The numbers of all runs so far: one value per run for each case and key.

    `alpha` is the probability that one of its intervals misses the mean.
    """

    def __init__(
        self, plan: Plan, threads: int, progress: Progress | None, store: Results | None, alpha: float = ALPHA
    ) -> None:
        self.plan, self.alpha = plan, alpha
        self.runs = 0
        self.executor, self.progress = Threads(threads), progress
        self.results = Results() if store is None else store
        self.values: list[dict[Key, list[Value]]] = [{} for _ in plan.cases]
        # The first run with each key, and its position there. They define the order of the rows, whatever the order of
        # arrival.
        self._places: list[dict[Key, tuple[int, int]]] = [{} for _ in plan.cases]
        self._cells = [
            Cell({"scheme": case.candidate.label, **case.vary}, case.resolved, range(0)) for case in plan.cases
        ]

    def add(self, seeds: range) -> None:
        """Get every case's runs with these seeds from the store, or run them."""
        cells = [replace(cell, seeds=seeds) for cell in self._cells]
        before = self.runs * len(cells)

        def report(finished: int, planned: int) -> None:
            if self.progress is not None:
                self.progress(before + finished, before + planned)

        name, axes = str(self.plan.base.shown["name"]), ", ".join(self.plan.points[0] if self.plan.points else ())
        study = f"{name} by {axes}" if axes else name
        order = merged({name: [value] for name, value in cell.labels.items()} for cell in cells)
        planned = len(seeds) * len(cells)
        complete(cells, self.results, self.executor, study=study, planned=planned, progress=report, order=order)
        cases: dict[str, list[int]] = {}
        for number, cell in enumerate(cells):
            cases.setdefault(cell.content, []).append(number)
        for content, seed, result in self.results.get(cases):
            if seed in seeds:
                self._keep(cases[content], seed, result)
        self.runs += len(seeds)

    def record(self, case: int, seed: int, text: str) -> None:
        """Add a run of a case that was made elsewhere; `text` is its result as JSON."""
        self._keep([case], seed, json.loads(text))
        self.runs = max(self.runs, seed - int(self.plan.base.shown["seed"]) + 1)

    def differences_to(self, other: Collected) -> Iterator[dict[str, Any]]:
        """Rows of the differences of these runs to those of another collection of the same plan, paired by seed."""
        for number, case in enumerate(self.plan.cases):
            for key in self._keys(number):
                if is_distribution(key[2]):
                    continue
                pairs = zip(self._column(number, key), other._column(number, key), strict=False)
                values = [mine - its for mine, its in pairs if mine is not None and its is not None]
                if values:
                    yield _row(case, key, summarize(values, self.alpha))

    def _keep(self, cases: Iterable[int], seed: int, result: Mapping[str, Any]) -> None:
        """Record the numbers of a run for each of its cases."""
        index = seed - int(self.plan.base.shown["seed"])
        numbers = list(Run.of(result, {}).numbers())
        for case in cases:
            values, places = self.values[case], self._places[case]
            for position, (part, place, metric, value) in enumerate(numbers):
                key = part, place, metric
                column = values.setdefault(key, [])
                column.extend([None] * (index + 1 - len(column)))
                column[index] = value if value != [] else None
                places[key] = min(places.get(key, (index, position)), (index, position))

    def _keys(self, number: int) -> list[Key]:
        """The keys of a case in the order of its rows."""
        return sorted(self._places[number], key=self._places[number].__getitem__)

    def _column(self, number: int, key: Key) -> list[Any]:
        """The values of a number, one per run."""
        column = self.values[number].get(key, [])
        return column + [None] * (self.runs - len(column))

    def precise(self, precision: Precision) -> bool:
        """Whether the precision is reached in every case that has the metric at one of the plan's links."""
        found = False
        for number in range(len(self.plan.cases)):
            for key in self.values[number]:
                _, place, metric = key
                if metric == precision.metric and place in self.plan.at and not is_distribution(metric):
                    found = True
                    if self._summary(number, key).rel_half_width > precision.rel_error:
                        return False
        if not found:
            known = sorted({key[2] for key in self.values[0] if key[1] in self.plan.at and not is_distribution(key[2])})
            raise PenstockError(
                f'no metric "{precision.metric}"{nearest(precision.metric, known)}; known: {", ".join(known)}'
            )
        return True

    def _summary(self, number: int, key: Key) -> Summary:
        values = [value for value in self._column(number, key) if value is not None]
        return summarize(values, self.alpha)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per number."""
        longest = self._longest()
        for number, case in enumerate(self.plan.cases):
            for key in self._keys(number):
                values = [value for value in self._column(number, key) if value is not None]
                if not values:
                    continue
                if key in longest:
                    yield from _distribution_rows(case, key, values, longest[key], self.alpha)
                else:
                    yield _row(case, key, summarize(values, self.alpha))

    def _longest(self) -> dict[Key, int]:
        """The number of values of each distribution over all cases, which decides its bins in each of them."""
        found: dict[Key, int] = {}
        for columns in self.values:
            for key, column in columns.items():
                if is_distribution(key[2]):
                    found[key] = max([found.get(key, 0), *(len(value) for value in column if isinstance(value, list))])
        return found

    def run_rows(self) -> list[dict[str, Any]]:
        """A row for each run: scheme, swept paths, seed, and a column `PLACE.METRIC` for each number."""
        rows = []
        first = int(self.plan.base.shown["seed"])
        for number, case in enumerate(self.plan.cases):
            keys = [key for key in self._keys(number) if not is_distribution(key[2])]
            columns = {f"{place}.{metric}": self._column(number, (part, place, metric)) for part, place, metric in keys}
            for index in range(self.runs):
                labels = {"scheme": case.candidate.label, **case.vary, "seed": first + index}
                rows.append({**labels, **{name: column[index] for name, column in columns.items()}})
        return rows

    def differences(self) -> Iterator[dict[str, Any]]:
        """Rows of the differences of each scheme to the first, paired run by run."""
        width = len(self.plan.schemes)
        for number, case in enumerate(self.plan.cases):
            first = number - number % width
            if number == first:
                continue
            against = self.plan.cases[first].candidate
            for key in self._keys(number):
                if is_distribution(key[2]):
                    continue
                pairs = zip(self._column(number, key), self._column(first, key), strict=True)
                values = [mine - other for mine, other in pairs if mine is not None and other is not None]
                if values:
                    row = _row(case, key, summarize(values, self.alpha))
                    yield row | {"against": against.name, "against_params": dict(against.params)}


def _distribution_rows(
    case: Case, key: Key, runs: Sequence[list[float]], longest: int, alpha: float
) -> Iterator[dict[str, Any]]:
    """A row for each value or bin of a distribution, over the runs that have it."""
    width = bin_width(longest)
    bins = -(-max(map(len, runs)) // width)
    binned_runs = [binned(key[2], shares, width, bins) for shares in runs]
    for column in zip(*binned_runs, strict=True):
        yield _row(case, (*key[:2], str(column[0][0])), summarize([share for _, share in column], alpha))


def _row(case: Case, key: Key, summary: Summary) -> dict[str, Any]:
    return {
        "scheme": case.candidate.name,
        "params": dict(case.candidate.params),
        "vary": dict(case.vary),
        "place": key[1],
        "metric": key[2],
        "mean": summary.mean,
        "sd": summary.sd,
        "ci95": None if summary.ci95 is None else list(summary.ci95),
        "runs": summary.runs,
    }
