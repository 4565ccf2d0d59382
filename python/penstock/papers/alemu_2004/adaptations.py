"""What Figures 3.9 to 3.14 have in common: PSAND's thresholds over time (Section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers, of_average
from penstock.papers.alemu_2004.setup import KT, load, psand
from penstock.plots import style
from penstock.reproduce.figure import Choice, SummaryTable, Sweep, metric

METHODS = ["max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"]
SIGNS = {
    "max-down": (0, -1), "max-up": (0, 1), "squeeze": (1, -1), "spread": (-1, 1),
    "shift-up": (1, 1), "shift-down": (-1, -1), "sandwich": (1, -1),
}  # fmt: skip
"""By which part of the change of the average Min and Max move (Table 3.2)."""


above, crossings = metric("above", "%", "time above Max"), metric("crossings")


def study(methods: Sequence[str], flows: int) -> Sweep:
    """These methods at one load, read every 0.1 s."""
    return Sweep(
        lambda method, flows: load(psand(adapt=method), flows, sampling="100ms"),
        {"method": list(methods), "flows": [flows]},
        seeds=Choice(5, 20),
        keep=keep,
    )


def keep(run: ps.Run) -> Mapping[str, Any]:
    """Average and thresholds every second, where the average is between them, and the steps of the thresholds."""
    series = run.series["bottleneck"]
    average, max_p = (np.asarray(series[key]["mean"]) for key in ("avg", "max_p"))
    fixed = {"min_th": np.zeros_like(average), "max_th": np.full_like(average, 2 * KT)}
    low, high = (np.asarray(series[key]["mean"]) if key in series else fixed[key] for key in fixed)
    above = average > high
    second = round(1e9 / (series["t_ns"][1] - series["t_ns"][0]))
    before = np.arange(second // 2, len(average) - 1, second // 2) - 1
    change = np.diff(average[before])
    steps = {
        "change": change,
        "min": np.diff(low[before + 2]),
        "max": np.diff(high[before + 2]),
        "low": low[before + 2][1:],
        "high": high[before + 2][1:],
        "max_p": max_p[before + 2][1:],
    }
    return {
        "seconds": {
            name: [round(float(x), 2) for x in values.reshape(-1, second).mean(axis=1)]
            for name, values in (("average", average), ("min_th", low), ("max_th", high))
        },
        "queue": [float(x) for x in np.asarray(series["queue"]["max"]).reshape(-1, second).max(axis=1)],
        "above": 100 * float(above.mean()),
        "between": 100 * float(((average >= low) & (average <= high)).mean()),
        "crossings": int((above[1:] & ~above[:-1]).sum()),
        "mean max_th": float(high.mean()),
        "max_th from 20": 100 * float((high >= 20 - 1e-9).mean()),
        "steps": {name: [round(float(x), 6) for x in values] for name, values in steps.items()},
    }


def measure(run: ps.Run) -> Numbers:
    """The queue, where the average is between the thresholds, and the courses of seed 1."""
    kept = run.raw["kept"]
    names = ("above", "between", "crossings", "mean max_th", "max_th from 20")
    pmf = np.asarray(run.links["bottleneck"].sampled_length_pmf)
    found: Numbers = of_average(run) | {name: kept[name] for name in names} | {"to 20": 100 * float(pmf[:21].sum())}
    if run.seed == 1:
        for name, values in (*kept["seconds"].items(), ("queue", kept["queue"])):
            found |= {f"{name} at {i}": value for i, value in enumerate(values)}
    return found


def draw(method: str) -> Callable[[SummaryTable], Figure]:
    """Average, thresholds and, in grey, the largest queue of each second, for seed 1."""
    return lambda shown: _courses(shown, method)


def _courses(shown: SummaryTable, method: str) -> Figure:
    with style.styled():
        figure, ax = style.axes(height=2.5)
        (cell,) = shown.where(method=method).cells
        seconds = np.arange(100) + 0.5
        course = {name: [cell[1][f"{name} at {i}"].mean for i in range(100)] for name in ("queue", *_NAMES)}
        ax.fill_between(seconds, 0, course["queue"], color="#d9dde5", linewidth=0)
        for index, (name, label) in enumerate(_NAMES.items()):
            ax.plot(seconds, course[name], label=label, color=style.COLOURS[index])
        ax.set_xlabel("time (s)")
        ax.set_ylabel("queue (packets)")
        style.legend(figure, 3)
    return figure


_NAMES = {"average": "weighted average", "min_th": "Min", "max_th": "Max"}
