"""What Figures 2.3 to 2.8 have in common: flows that join or leave at 50 s, four schemes, the queue over time.

The thesis shows one run of each; here the statements are decided over several, and seed 1 is drawn. PSAND's max_p is at
most 0.5 (guess 4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers, of_average
from penstock.papers.alemu_2004.setup import AREDS, KT, WAQS, feng, floyd, psand, red
from penstock.plots import style
from penstock.reproduce.figure import Choice, SummaryTable, Sweep, metric

SCHEMES: dict[str, Callable[[], ps.Queue]] = {
    "RED": red, "Feng": feng, "Floyd": floyd, "PSAND": lambda: psand(high=0.5),
}  # fmt: skip
ADAPTIVE = [*AREDS, "PSAND"]
WINDOWS: dict[str, tuple[int, int]] = {
    "10-50": (10, 50), "20-50": (20, 50), "50-100": (50, 100), "60-100": (60, 100), "70-100": (70, 100),
}  # fmt: skip
"""Parts of the run that have their own statistics, in seconds."""
WAQS_OFF = abs(WAQS - KT)
"""How far the mean of the weighted average is from the target, in packets."""
recovery = metric("recovery", "s")


def steps(change: Callable[..., ps.Scenario], flows: list[int], traced: bool = True) -> Sweep:
    """`flows` join (`added`) or leave (`removed`) at 50 s; with the queue over time if `traced`."""

    def part(scheme: str, flows: int, window: str) -> ps.Scenario:
        begin, end = WINDOWS[window]
        return change(SCHEMES[scheme](), flows, warmup=f"{begin}s", duration=f"{end}s")

    axes: dict[str, list[Any]] = {"scheme": list(SCHEMES), "flows": flows}
    parts = Sweep(part, {**axes, "window": list(WINDOWS)}, seeds=Choice(5, 20))
    whole = Sweep(
        lambda scheme, flows: change(SCHEMES[scheme](), flows, sampling="100ms"),
        axes,
        seeds=Choice(5, 20),
        labels={"window": "all"},
        keep=keep,
    )
    return parts + whole if traced else parts


def keep(run: ps.Run) -> Mapping[str, Any]:
    """The weighted average every 0.1 s, and the least and the largest queue in every second."""
    series = run.series["bottleneck"]
    seconds = [np.asarray(series["queue"][name]).reshape(-1, 10) for name in ("min", "max")]
    return {
        "average": [round(float(x), 3) for x in series["avg"]["mean"]],
        "least": [float(x) for x in seconds[0].min(axis=1)],
        "most": [float(x) for x in seconds[1].max(axis=1)],
    }


def measure(run: ps.Run) -> Numbers:
    """Statistics of a part of the run; of a whole one when it recovers, and seed 1 itself."""
    kept = run.raw.get("kept")
    if kept is None:
        return of_average(run)
    average = np.array(kept["average"])
    before, after = average[200:500], average[600:]
    found: Numbers = {
        "recovery": recovered(average, low=0.0, high=12.0),
        "settling": recovered(average, *_around(float(average[700:].mean()))),
        "fall": float(average[450:500].mean() - average[500:550].min()),
        "ratio of sd": float(after.std() / before.std()),
        "period": period(average[500:]),
    }
    if run.seed == 1:
        found |= {f"average at {i}": float(value) for i, value in enumerate(average.reshape(-1, 20).mean(axis=1))}
        found |= {f"least at {i}": min(kept["least"][2 * i : 2 * i + 2]) for i in range(50)}
        found |= {f"most at {i}": max(kept["most"][2 * i : 2 * i + 2]) for i in range(50)}
    return found


def recovered(average: np.ndarray, low: float, high: float) -> float:
    """Seconds after 50 s from which on the mean over 1 s stays within the bounds for 3 s; 47 if it never does."""
    moving = np.convolve(average, np.ones(10) / 10, mode="valid")
    inside = (moving >= low) & (moving <= high)
    for i in range(500, len(inside) - 20):
        if inside[i : i + 21].all():
            return (i - 500) / 10
    return 47.0


def _around(level: float) -> tuple[float, float]:
    """A quarter up and down, at least 2 packets."""
    margin = max(level / 4, 2.0)
    return level - margin, level + margin


def period(average: np.ndarray) -> float:
    """The period of the largest Fourier component, in seconds, of a course in steps of 0.1 s."""
    power = np.abs(np.fft.rfft(average - average.mean()))[1:]
    return float(len(average) / 10 / (1 + int(np.argmax(power))))


def draw(flows: int) -> Callable[[SummaryTable], Figure]:
    """The weighted average of seed 1, and in grey between which lengths the queue was in each two seconds."""
    return lambda shown: _courses(shown, flows)


def _courses(shown: SummaryTable, flows: int) -> Figure:
    with style.styled():
        figure = Figure(figsize=(style.WIDTH, 4.2), layout="constrained")
        panels = figure.subplots(len(SCHEMES), 1, sharex=True)
        for index, (ax, scheme) in enumerate(zip(panels, SCHEMES, strict=True)):
            (cell,) = shown.where(window="all", scheme=scheme, flows=flows).cells
            seconds = 2 * np.arange(50) + 1
            least, most, mean = (
                [cell[1][f"{name} at {i}"].mean for i in range(50)] for name in ("least", "most", "average")
            )
            ax.fill_between(seconds, least, most, color="#d9dde5", linewidth=0)
            ax.plot(seconds, mean, color=style.COLOURS[index])
            ax.axhline(KT, color="black", linewidth=0.4)
            ax.set_ylabel(scheme)
            ax.set_ylim(0, 36)
        panels[-1].set_xlabel("time (s); queue in packets")
    return figure
