"""Why Tables 2.2 and 2.3 are not met: other senders and receivers, other ways of counting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Exhibit, Statement, Sweep, every, metric
from penstock.reproduce.printed_table import PrintedTable
from penstock.scenario.scenario import Document

from . import measures, tables2, traced, why
from .changes import under
from .judge import NS2
from .setup import feng, floyd, load, psand
from .tables2 import FLOWS, PSANDS

CHANGES = ["as printed", "window 8", "delayed acknowledgements", "timeout 0.2 s"]
ROWS = ["Feng", "Floyd", *PSANDS]


def _row_under(change: str, row: str, flows: int) -> Document:
    queue = {"Feng": feng, "Floyd": floyd}[row]() if row not in PSANDS else psand(*PSANDS[row][flows])
    return under(change, load(queue, flows))


def _queues(change: str) -> PrintedTable:
    return tables2.QUEUES.at(acks=None, high=None, change=change)


def _as_ns2(name: str, value: float, **at: Any) -> Statement:
    margin = 1.0 if name in ("PLR", "empty") and value < 15 else 0.1 * value
    return metric(name).reads(value, value - margin, value + margin)(**at)


own = why.own("why-tables")
why_tables = Exhibit(
    "Why Tables 2.2, 2.3 and 3.1 are missed: what a window of 8 packets or delayed acknowledgements would change",
    own(
        "ns2",
        every(
            *(
                _as_ns2(name, value, change="as printed", row=row, flows=n)
                for row in ("Floyd", "Feng")
                for n in FLOWS
                for name, value in NS2[f"{row}, {n}"].items()
            )
        ),
        "AQS, VQS, PLR and P(X=0) of Feng's and Floyd's scheme within 10 % (1 point below 15 %)",
    ),
    *(
        own(
            f"{change.replace(' ', '-')}-{n}",
            _queues(change).where(flows=n).fits("its tolerances"),
            says=f"{change}: the columns of Table 2.2 at {n} flows",
        )
        for change in CHANGES
        for n in FLOWS
    ),
    # The rows of Table 2.2 with one thing changed for all flows.
    study=Sweep(_row_under, {"change": CHANGES, "row": ROWS, "flows": FLOWS}, seeds=Choice(5, 100)),
    # Table 2.2 with windows of 8 packets.
    draw=_queues("window 8").draw,
)


COUNTED = {
    "times": "every 10 ms",
    "arrivals": "by the packets that arrive",
    "means": "of means over 10 ms",
    "lines": "over the lines of a trace",
}
SETTINGS = ["as printed", "delayed acknowledgements", "delayed acknowledgements, timeout 0.2 s"]
"""Names of `changes`."""
STEP, END = 0.01, 100.0
"""Seconds between samples, and where they end."""


def _own_under(row: str, flows: int, change: str) -> Document:
    return under(change, load(psand(*PSANDS[row][flows]), flows))


def keep(run: ps.Run) -> Mapping[str, Any]:
    """The shares of queue lengths counted in each way, from a second run with a trace."""
    trace = traced.lengths(run)
    samples = np.searchsorted(trace.seconds, np.arange(STEP, END, STEP), side="right") - 1
    lengths_by_way = {
        "times": trace.length[np.maximum(samples, 0)],
        "arrivals": trace.length[trace.arrives],
        "means": _means(trace.seconds, trace.length),
        "lines": trace.length[~trace.arrives],
    }
    return {
        f"{share}, {way}": float(100 * inside(lengths).mean())
        for way, lengths in lengths_by_way.items()
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


def _shares(way: str, setting: str) -> PrintedTable:
    moved = tables2.SHARES.at(acks=None, high=None, set=setting)
    return PrintedTable([replace(cell, metric=f"{cell.metric}, {way}") for cell in moved])


def _counted(setting: str, way: str, flows: int) -> Claim:
    return why.own("why-empty")(
        f"{SETTINGS.index(setting)}-{way}-{flows}",
        _shares(way, setting).where(flows=flows).fits("as Table 2.3"),
        needs={"set": setting},
        says=f"{setting}, {flows} flows: shares counted {COUNTED[way]}",
    )


# ns-2's trace has a line for each packet that enters the queue and one for each that leaves it. The share of lines
# after which the queue is empty is about half the share of arrivals that find it empty.
why_empty = Exhibit(
    "How the shares of Table 2.3 were counted: at fixed times, at arrivals, or over the lines of a trace of the queue",
    *tuple(_counted(setting, way, flows) for setting in SETTINGS for way in COUNTED for flows in FLOWS),
    # The rows of Table 2.3, with each of the settings; a quick reproduction has the second of them.
    study=reduce(
        add,
        (
            Sweep(
                partial(_own_under, change=setting),
                {"row": Choice(["PSAND2"], list(PSANDS)), "flows": FLOWS},
                seeds=Choice(5, 10),
                labels={"set": setting},
                keep=keep,
                only_full=setting != SETTINGS[1],
            )
            for setting in (SETTINGS[1], SETTINGS[0], SETTINGS[2])
        ),
    ),
    measure=measures.kept_numbers,
    # The table with delayed acknowledgements, over the lines of a trace.
    draw=_shares("lines", SETTINGS[1]).draw,
)
