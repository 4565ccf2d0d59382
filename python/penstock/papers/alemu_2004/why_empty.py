"""How the shares of Table 2.3 were counted: at fixed times, at arrivals, or over the lines of a trace of the queue.

A trace of ns-2 has a line for each packet that enters the queue and one for each that leaves it. The share of lines
after which the queue is empty is about half of that of arrivals that find it empty.
"""

from collections.abc import Callable, Mapping
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Sweep
from penstock.scenario.scenario import Document

from . import cells, measures, tables2, traced, why
from .changes import CHANGES
from .setup import load, psand
from .tables2 import FLOWS, PSANDS, SHARES_JUDGES

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


def _scenario(row: str, flows: int, change: str) -> Document:
    tree = load(psand(*PSANDS[row][flows]), flows).document().tree
    CHANGES[change](tree)
    return Document(tree)


def keep(run: ps.Run) -> Mapping[str, Any]:
    """How often each length was counted, in each of the ways, from a second run with a trace."""
    trace = traced.lengths(run)
    samples = np.searchsorted(trace.seconds, np.arange(STEP, END, STEP), side="right") - 1
    found = {
        "times": trace.length[np.maximum(samples, 0)],
        "arrivals": trace.length[trace.arrives],
        "means": _means(trace.seconds, trace.length),
        "lines": trace.length[~trace.arrives],
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


measure = measures.kept

# The rows of Table 2.3, with each of the settings; a quick reproduction has the second of them.
study = reduce(
    add,
    (
        Sweep(
            partial(_scenario, change=setting),
            {"row": Choice(["PSAND2"], list(PSANDS)), "flows": FLOWS},
            seeds=Choice(5, 10),
            labels={"set": setting},
            keep=keep,
            only_full=setting != SETTINGS[1],
        )
        for setting in (SETTINGS[1], SETTINGS[0], SETTINGS[2])
    ),
)


def _cells(way: str, setting: str) -> list[cells.Cell]:
    return [
        cells.Cell(cell.row, cell.column, cell.printed, f"{cell.metric}, {way}",
                   {"row": cell.row, "flows": cell.at["flows"], "set": setting})
        for cell in tables2.printed("tab2-3")
    ]  # fmt: skip


def _counted(setting: str, way: str, flows: int) -> Claim:
    own = [cell for cell in _cells(way, setting) if cell.at["flows"] == flows]
    judges = {f"{metric}, {way}": judge for metric, judge in SHARES_JUDGES.items()}
    return why.own("why-empty")(
        f"{SETTINGS.index(setting)}-{way}-{flows}",
        f"{setting}, {flows} flows: shares counted {COUNTED[way]}",
        cells.rows_fit(own, judges, "as Table 2.3"),
        needs={"set": setting},
    )


CLAIMS = tuple(_counted(setting, way, flows) for setting in SETTINGS for way in COUNTED for flows in FLOWS)

# The table with delayed acknowledgements, over the lines of a trace.
draw = partial(cells.draw, cells=_cells("lines", SETTINGS[1]))
