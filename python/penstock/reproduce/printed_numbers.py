"""Readings of a paper's set-up, compared by the printed numbers that they meet.

The text of a paper leaves parts of its set-up open. Each reading fills them in: it is a change of every scenario. The
author's set-up as reconstructed is one of them, chosen by printed numbers and never by claims. The numbers that a
search was fitted to are counted apart from those held out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from penstock.reproduce.claim import Claim
from penstock.reproduce.effort import Change, ReproductionEffort
from penstock.reproduce.printed_table import text_table_figure
from penstock.reproduce.statement import table_statement
from penstock.results.condition import Condition
from penstock.results.sample import RunSample
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Measure, Study

__all__ = ["PrintedNumber", "PrintedNumbers"]

WIDEST = 18
"""Maximum number of characters of a line above a column."""


@dataclass(frozen=True)
class PrintedNumber:
    """A number that the text of a paper states, and where it is measured.

    Attributes:
        says: what the number is, in a few words.
        printed: the number.
        low: the smallest measured number that agrees with it.
        high: the largest.
        measured: takes the number from the table of a reading's runs.
        fitted: whether the search for the reading was fitted to it; otherwise it is held out.

    """

    says: str
    printed: float
    low: float
    high: float
    measured: Callable[[Table], RunSample]
    fitted: bool = False

    def agrees_with(self, measured: float) -> bool:
        """Whether a measured mean agrees with the printed number: from `low` to `high`."""
        return self.low <= measured <= self.high


@dataclass(frozen=True)
class PrintedNumbers:
    """The printed numbers of a paper, and the readings of its set-up.

    Attributes:
        numbers: the numbers.
        readings: the change of every scenario by each reading; None for the set-up as printed.
        chosen: the reading that is the author's set-up as reconstructed.

    """

    numbers: Sequence[PrintedNumber]
    readings: Mapping[str, Change | None]
    chosen: str

    def table(
        self, study: Callable[[ReproductionEffort], Study], measure: Measure
    ) -> Callable[[ReproductionEffort], Table]:
        """A `table`: each number by each reading, as `measured` in a cell with the labels `reading` and `number`."""

        def measured(effort: ReproductionEffort) -> Table:
            cells, runs, seeds = [], 0, 0
            for reading, change in self.readings.items():
                planned = study(effort)
                table = effort.table(planned if change is None else planned.changed(change), measure)
                runs, seeds = runs + table.runs, max(seeds, table.seeds)
                for number in self.numbers:
                    cells.append(({"reading": reading, "number": number.says}, {"measured": number.measured(table)}))
            return Table(cells, runs=runs, seeds=seeds)

        return measured

    def claim(self, id: str) -> Claim:
        """The claim that the chosen reading meets at least as many held-out numbers as any other reading."""
        return Claim(
            id,
            f"the reading reconstructed ({self.chosen}) meets at least as many held-out printed numbers as any other",
            table_statement(self._ahead, "at least as many as each other reading"),
            reading="no claim of the work",
        )

    def draw(self, summary: SummaryTable) -> Figure:
        """Figure of the measured numbers, a column for each reading; bold where they agree with the print.

        A recorded summary can be older than a reading, which then has no column.
        """
        texts, bold = {}, []
        for reading in filter(summary.axis("reading").__contains__, self.readings):
            means = {n.says: summary("measured", reading=reading, number=n.says).mean for n in self.numbers}
            met = (f"held out: {self._met(means, fitted=False)}", f"fitted: {self._met(means, fitted=True)}")
            column = "\n".join((textwrap.fill(reading, WIDEST), *met))
            for number in self.numbers:
                kind = ", fitted" if number.fitted else ""
                row = f"{number.says}: {number.printed:g} ({number.low:g} to {number.high:g}{kind})"
                texts[row, column] = f"{means[number.says]:.3g}"
                bold += [(row, column)] if number.agrees_with(means[number.says]) else []
        return text_table_figure(texts, bold, "measured numbers by reading; bold: they agree with the print")

    def _met(self, means: Mapping[str, float], *, fitted: bool) -> str:
        chosen = [number for number in self.numbers if number.fitted == fitted]
        return f"{sum(number.agrees_with(means[number.says]) for number in chosen)} of {len(chosen)}"

    def _held_out(self, table: Table, reading: str) -> int:
        held_out = (number for number in self.numbers if not number.fitted)
        return sum(
            number.agrees_with(table("measured", reading=reading, number=number.says).mean) for number in held_out
        )

    def _ahead(self, table: Table) -> Condition:
        most = max(self._held_out(table, reading) for reading in self.readings if reading != self.chosen)
        return (RunSample(float(self._held_out(table, self.chosen))) >= float(most)).at("held-out numbers met")
