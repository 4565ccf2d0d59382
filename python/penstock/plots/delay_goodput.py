"""Goodput against delay, delay growing to the left: the best corner is top right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from penstock.errors import nearest
from penstock.plots import style
from penstock.results.comparison import Comparison


def draw(
    runs: Comparison | Mapping[str, tuple[Sequence[float], Sequence[float]]],
    deviations: float = 1.0,
    place: str | None = None,
    traffic: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw each scheme's mean with the ellipse of the covariance of its runs.

    The ellipse spans `deviations` standard deviations along the principal axes; with fewer than three runs there is
    only the mean.

    Args:
        runs: a comparison, or label -> (delays in s, goodputs in bit/s) of its runs.
        deviations: half-axes of the ellipse in standard deviations, above 0.
        place: the link whose delay is drawn, for a comparison; by default its first.
        traffic: the group whose goodput is drawn, for a comparison; by default the first that has one.
        at: the swept values, for a comparison, by path or by its last part.

    """
    if isinstance(runs, Comparison):
        runs = _delays_and_goodputs(runs, place, traffic, at or {})
    with style.styled():
        figure, ax = style.axes(height=2.5)
        for index, (label, (delays, goodputs)) in enumerate(runs.items()):
            colour = style.COLOURS[index % len(style.COLOURS)]
            points = np.array([np.asarray(delays) * 1e3, np.asarray(goodputs) / 1e6])
            mean = points.mean(axis=1)
            if points.shape[1] >= 3:
                lengths, axes = np.linalg.eigh(np.cov(points))
                width, height = 2 * deviations * np.sqrt(np.maximum(lengths, 0.0))
                angle = float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0])))
                ax.add_patch(
                    Ellipse(
                        (mean[0], mean[1]), width, height, angle=angle, facecolor=colour, alpha=0.18, edgecolor="none"
                    )
                )
                ax.add_patch(
                    Ellipse((mean[0], mean[1]), width, height, angle=angle, fill=False, edgecolor=colour, linewidth=0.7)
                )
            look = style.line(index) | {"linestyle": "none", "markersize": 5}
            ax.plot(mean[0], mean[1], label=f"{label} (n = {points.shape[1]})", **look)
        ax.margins(0.12)
        ax.invert_xaxis()
        ax.set_xlabel("queueing delay (ms), smaller to the right")
        ax.set_ylabel("goodput (Mbit/s)")
        style.legend(figure, 2)
    return figure


def _delays_and_goodputs(
    found: Comparison, place: str | None, traffic: str | None, at: Mapping[str, Any]
) -> dict[str, tuple[list[float], list[float]]]:
    place = found.at[0] if place is None else place
    if traffic is None:
        traffic = next((name for name in found.places if "goodput_bps" in found.metrics[name]), "")
    for name, metric in ((place, "delay_mean_s"), (traffic, "goodput_bps")):
        if metric not in found.metrics.get(name, ()):
            raise ValueError(f"no {metric} at {name or 'any traffic'}{nearest(name, found.places)}")
    values = found.points[found.point(**at)].vary
    pairs: dict[str, tuple[list[float], list[float]]] = {}
    for row in found.run_rows():
        delay, goodput = row[f"{place}.delay_mean_s"], row[f"{traffic}.goodput_bps"]
        if all(row[path] == value for path, value in values.items()) and delay is not None and goodput is not None:
            delays, goodputs = pairs.setdefault(row["scheme"], ([], []))
            delays.append(delay)
            goodputs.append(goodput)
    return pairs
