"""What Figures 4.2 to 4.4 have in common: the schemes of chapter 4 from an empty queue on (Section 4.5)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers, of_queue
from penstock.papers.alemu_2004.setup import load4
from penstock.plots import style
from penstock.reproduce.figure import Choice, SummaryTable, Sweep

SIX = ["BLUE", "REM", "AVQ*", "PI", "LRED", "LRED*"]
SCHEMES = [*SIX, "PSAND"]
"""The six schemes of Figure 4.2, and PSAND, to which the text compares them."""
FULL = 25
"""A queue whose mean over a second is below this has left the buffer's end."""


def keep(run: ps.Run) -> Mapping[str, Any]:
    """The mean queue of every second, and between which lengths it was."""
    queue = run.series["bottleneck"]["queue"]
    return {
        "mean": [round(float(x), 2) for x in np.asarray(queue["mean"]).reshape(100, -1).mean(axis=1)],
        "least": [float(x) for x in np.asarray(queue["min"]).reshape(100, -1).min(axis=1)],
        "most": [float(x) for x in np.asarray(queue["max"]).reshape(100, -1).max(axis=1)],
    }


# 103 flows: the whole run with the queue over time, and its last 20 s.
study = Sweep(
    lambda scheme: load4(scheme, 103, sampling="100ms"),
    {"scheme": SCHEMES},
    seeds=Choice(5, 20),
    labels={"part": "course"},
    keep=keep,
) + Sweep(
    lambda scheme, part: load4(scheme, 103, warmup="80s" if part == "end" else "0s"),
    {"scheme": SCHEMES, "part": ["all", "end"]},
    seeds=Choice(5, 20),
)


def measure(run: ps.Run) -> Numbers:
    """Statistics of a part; of the course the seconds until the queue leaves the end of the buffer (100: never)."""
    kept = run.raw.get("kept")
    if kept is None:
        return of_queue(run)
    # The flows start within the first 10 s: before, a short queue means nothing.
    long = [i for i, mean in enumerate(kept["mean"]) if mean >= FULL]
    after = [i for i in range(long[0] if long else 0, 100) if kept["mean"][i] < FULL]
    found: Numbers = {"left": float(after[0]) if after else 100.0}
    if run.seed == 1:
        for name, reduce in (("mean", np.mean), ("least", np.min), ("most", np.max)):
            found |= {f"{name} at {i}": float(reduce(kept[name][2 * i : 2 * i + 2])) for i in range(50)}
    return found


def draw(schemes: Sequence[str]) -> Callable[[SummaryTable], Figure]:
    """Mean and range of the queue in each two seconds, for seed 1."""
    return partial(_courses, schemes=schemes)


def _courses(shown: SummaryTable, schemes: Sequence[str]) -> Figure:
    with style.styled():
        figure = Figure(figsize=(style.WIDTH, 1.1 * len(schemes) + 0.4), layout="constrained")
        for ax, scheme in zip(figure.subplots(len(schemes), 1, sharex=True, squeeze=False).flat, schemes, strict=True):
            (cell,) = shown.where(part="course", scheme=scheme).cells
            course = {name: [cell[1][f"{name} at {i}"].mean for i in range(50)] for name in ("mean", "least", "most")}
            seconds = 2 * np.arange(50) + 1
            ax.fill_between(seconds, course["least"], course["most"], color="#d9dde5", linewidth=0)
            ax.plot(seconds, course["mean"], color=style.COLOURS[1])
            ax.axhline(10, color="black", linewidth=0.4)
            ax.set_ylabel(scheme)
            ax.set_ylim(0, 36)
        ax.set_xlabel("time (s); queue in packets")
    return figure
