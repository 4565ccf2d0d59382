"""Why Tables 2.2, 2.3 and 3.1 are missed: what a window of 8 packets or delayed acknowledgements would change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, judge, tables2
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import DELAYED, feng, floyd, load, psand
from penstock.papers.alemu_2004.tables2 import FLOWS, PSANDS
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

CHANGES: dict[str, dict[str, Any]] = {
    "as printed": {},
    "window 8": {"window": 8},
    "delayed acknowledgements": {"delayed_ack": DELAYED},
    "timeout 0.2 s": {"min_rto": "200ms"},
}
NS2 = {
    ("Floyd", 3): {"AQS": 11.07, "VQS": 31.72, "PLR": 1.577, "empty": 8.73},
    ("Floyd", 28): {"AQS": 13.44, "VQS": 65.17, "PLR": 15.08, "empty": 4.739},
    ("Feng", 3): {"AQS": 11.23, "VQS": 33.43, "PLR": 1.656, "empty": 9.643},
    ("Feng", 28): {"AQS": 10.14, "VQS": 66.87, "PLR": 15.69, "empty": 12.34},
}
"""ns-2.35 with the set-up as printed, means of ten runs."""
ROWS = ["Feng", "Floyd", *PSANDS]


def study(effort: Effort) -> Study:
    """The rows of Table 2.2 with one thing changed for all flows."""

    def scenario(change: str, row: str, flows: int) -> Document:
        queue = {"Feng": feng, "Floyd": floyd}[row]() if row not in PSANDS else psand(*PSANDS[row][flows])
        document = load(queue, flows).document()
        for name in ("base1", "reverse", "base2", *(["extra"] if flows > 3 else [])):
            for key, value in CHANGES[change].items():
                document = document.set(f"traffic.{name}.{key}", value, "vary")
        return document

    return Study(scenario, {"change": list(CHANGES), "row": ROWS, "flows": FLOWS}, seeds=effort.choose(5, 100))


def _cells(change: str) -> list[cells.Cell]:
    return [
        cells.Cell(cell.row, cell.column, cell.printed, cell.metric,
                   {"change": change, "row": cell.row, "flows": cell.at["flows"]})
        for name in ("tab2-2", "tab2-3")
        for cell in tables2.printed(name)
    ]  # fmt: skip


def claims(table: Table) -> Iterator[Claim]:
    """ns-2 with the printed set-up gives the same as here; delayed acknowledgements give the printed table."""

    def of(metric: str, change: str, row: str, flows: int) -> Sample:
        return table(metric, change=change, row=row, flows=flows)

    yield Claim(
        id="why-tables/ns2",
        says="ns-2.35 with the set-up as printed gives what is measured here, not what is printed",
        expected="AQS, VQS, PLR and P(X=0) of Feng's and Floyd's scheme within 10 % (1 point below 15 %)",
        holds=all_of(
            of(metric, "as printed", row, n)
            .reads(value, low=value - _margin(metric, value), high=value + _margin(metric, value))
            .at(f"{metric}, {row}, {n}")
            for (row, n), values in NS2.items()
            for metric, value in values.items()
        ),
        reading="own",
    )
    judges = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}
    for change in CHANGES:
        for n in FLOWS:
            own = [c for c in _cells(change) if c.metric in judges and c.at["flows"] == n]
            yield Claim(
                id=f"why-tables/{change.replace(' ', '-')}-{n}",
                says=f"{change}: the columns of Table 2.2 at {n} flows",
                expected="its tolerances",
                holds=cells.fits(table, own, judges),
                reading="own",
            )


def _margin(metric: str, value: float) -> float:
    return 1.0 if metric in ("PLR", "empty") and value < 15 else 0.1 * value


def draw(shown: SummaryTable) -> Figure:
    """Table 2.2 with windows of 8 packets."""
    return cells.draw(shown, [cell for cell in _cells("window 8") if cell.metric in ("AQS", "VQS", "PLR")])
