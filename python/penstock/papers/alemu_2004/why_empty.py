"""How the shares of Table 2.3 were counted: at fixed times, at arrivals, or over the lines of a trace of the queue.

A trace of ns-2 has a line for each packet that enters the queue and one for each that leaves it. The share of lines
after which the queue is empty is about half of that of arrivals that find it empty.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock import _native
from penstock.papers.alemu_2004 import cells, tables2
from penstock.papers.alemu_2004.changes import changed
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import load, psand
from penstock.papers.alemu_2004.tab2_3 import JUDGES
from penstock.papers.alemu_2004.tables2 import FLOWS, PSANDS
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

COUNTED = {
    "times": "every 10 ms",
    "arrivals": "by the packets that arrive",
    "means": "of means over 10 ms",
    "lines": "over the lines of a trace",
}
SETTINGS = ["as printed", "delayed acknowledgements", "delayed acknowledgements, timeout 0.2 s"]
"""Of `changes`."""
STEP, END = 0.01, 100.0
"""Seconds between samples, and where they end."""


def study(effort: Effort) -> Study:
    """The rows of Table 2.3, with each of the settings."""
    axes: dict[str, list[Any]] = {"row": effort.choose(["PSAND2"], list(PSANDS)), "flows": FLOWS}
    settings = effort.choose(SETTINGS[1:2], SETTINGS)
    first, *others = (
        replace(changed(Study(_scenario, axes, seeds=10), setting, effort.choose(5, 10)), labels={"set": setting})
        for setting in settings
    )
    parts = [replace(part, keep=keep) for part in (first, *others)]
    return sum(parts[1:], parts[0])


def _scenario(row: str, flows: int) -> ps.Scenario:
    return load(psand(*PSANDS[row][flows]), flows)


def keep(run: ps.Run) -> Mapping[str, Any]:
    """How often each length was counted, in each of the ways, from a second run with a trace."""
    scenario = Document({key: value for key, value in run.scenario.items() if key != "seed"}).resolve()
    canonical = scenario.for_engine(flows=False, series=False)
    _, raw = _native.run_recorded(canonical, run.seed, True, [], {})
    place = [entry["name"] for entry in scenario.canonical["links"]].index("bottleneck")
    at = np.frombuffer(raw["link"], dtype="<u4") == place
    names = _native.trace_words()[0]
    event = np.frombuffer(raw["event"], dtype="u1")[at]
    enters, leaves, arrives = (event == names.index(name) for name in ("enqueue", "dequeue", "arrive"))
    seen = enters | leaves | arrives
    seconds = np.frombuffer(raw["t_ns"], dtype="<i8")[at][seen] / 1e9
    length = np.cumsum(enters[seen].astype(int) - leaves[seen])
    found = {
        "times": length[np.maximum(np.searchsorted(seconds, np.arange(STEP, END, STEP), side="right") - 1, 0)],
        "arrivals": length[arrives[seen]],
        "means": _means(seconds, length),
        "lines": length[~arrives[seen]],
    }
    return {
        f"{share}, {way}": float(100 * inside(lengths).mean())
        for way, lengths in found.items()
        for share, inside in SHARES.items()
    }


SHARES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "empty": lambda x: x <= 0,
    "5 to 15": lambda x: (x > 5) & (x <= 15),
    "25 to 35": lambda x: (x > 25) & (x <= 35),
}


def _means(seconds: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Mean lengths over the steps between samples."""
    marks = np.arange(0, END + STEP / 2, STEP)
    at = np.searchsorted(seconds, marks, side="right") - 1
    area = np.concatenate([[0.0], np.cumsum(length[:-1] * np.diff(seconds))])
    until = np.where(at >= 0, area[at] + length[at] * (marks - seconds[at]), 0.0)
    return np.maximum(np.round(np.diff(until) / STEP, 9), 0)


def measure(run: ps.Run) -> Numbers:
    """What was counted."""
    return dict(run.raw["kept"])


def _cells(way: str, setting: str) -> list[cells.Cell]:
    return [
        cells.Cell(cell.row, cell.column, cell.printed, f"{cell.metric}, {way}",
                   {"row": cell.row, "flows": cell.at["flows"], "set": setting})
        for cell in tables2.printed("tab2-3")
    ]  # fmt: skip


def claims(table: Table) -> Iterator[Claim]:
    """The cells of Table 2.3 in each way of counting, at each load."""
    for setting, way, n in itertools.product(table.axis("set"), COUNTED, FLOWS):
        judges = {f"{metric}, {way}": judge for metric, judge in JUDGES.items()}
        own = [cell for cell in _cells(way, setting) if cell.at["flows"] == n and table.has(**cell.at)]
        yield Claim(
            id=f"why-empty/{SETTINGS.index(setting)}-{way}-{n}",
            says=f"{setting}, {n} flows: shares counted {COUNTED[way]}",
            expected="as Table 2.3",
            holds=cells.fits(table, own, judges),
            reading="own",
        )


def draw(shown: SummaryTable) -> Figure:
    """The table with delayed acknowledgements, over the lines of a trace."""
    return cells.draw(shown, _cells("lines", SETTINGS[1]))
