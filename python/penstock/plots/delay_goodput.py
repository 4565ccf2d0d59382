"""Goodput against delay, with ellipses: the best corner is top left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from penstock.errors import did_you_mean
from penstock.plots import style
from penstock.results.comparison import Comparison
from penstock.results.run_table import RunTable


def draw(
    runs: RunTable | Mapping[str, tuple[Sequence[float], Sequence[float]]],
    deviations: float = 1.0,
    place: str | None = None,
    traffic: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw each scheme's mean with the ellipse of the covariance of its runs.

    The ellipse spans `deviations` standard deviations along the principal axes; with fewer than three runs there is
    only the mean.

    Args:
        runs: a table of runs, or label -> (delays in s, goodputs in bit/s) of its runs.
        deviations: half-axes of the ellipse in standard deviations, above 0.
        place: the link whose delay is drawn, for a table; by default its first.
        traffic: the group whose goodput is drawn, for a table; by default the first that has one.
        at: the swept values, for a table, by path or by its last part.

    """
    if isinstance(runs, RunTable):
        runs = _delays_and_goodputs(runs, place, traffic, at or {})
    with style.figure_style():
        figure, ax = style.single_panel(height=2.5)
        for index, (label, (delays, goodputs)) in enumerate(runs.items()):
            colour = style.COLOURS[index % len(style.COLOURS)]
            points = np.array([np.asarray(delays) * 1e3, np.asarray(goodputs) / 1e6])
            mean = points.mean(axis=1)
            if points.shape[1] >= 3:
                ax.add_patch(covariance_ellipse(points, deviations, facecolor=colour, alpha=0.18, edgecolor="none"))
                ax.add_patch(covariance_ellipse(points, deviations, fill=False, edgecolor=colour, linewidth=0.7))
            look = style.line_style(index) | {"linestyle": "none", "markersize": 5}
            ax.plot(mean[0], mean[1], label=f"{label} (n = {points.shape[1]})", **look)
        ax.margins(0.12)
        ax.set_xlabel("queueing delay (ms), smaller to the right")
        ax.set_ylabel("goodput (Mbit/s)")
        style.add_legend(figure, 2)
    return figure


def covariance_ellipse(points: np.ndarray, deviations: float, **look: Any) -> Ellipse:
    """The ellipse of the covariance of points, an array of two rows, around their mean; see `draw`."""
    lengths, axes = np.linalg.eigh(np.cov(points))
    width, height = 2 * deviations * np.sqrt(np.maximum(lengths, 0.0))
    x, y = points.mean(axis=1)
    return Ellipse((x, y), width, height, angle=float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))), **look)


def _delays_and_goodputs(
    runs: RunTable, place: str | None, traffic: str | None, at: Mapping[str, Any]
) -> dict[str, tuple[list[float], list[float]]]:
    place = runs.replaced_links[0] if place is None else place
    if traffic is None:
        traffic = next((name for name in runs.places if "goodput_bps" in runs.metrics[name]), "")
    for name, metric in ((place, "delay_mean_s"), (traffic, "goodput_bps")):
        if metric not in runs.metrics.get(name, ()):
            raise ValueError(f"no {metric} at {name or 'any traffic'}{did_you_mean(name, runs.places)}")
    part = runs.where(**at)
    point = Comparison.from_runs(part).point()
    both = np.stack([part.array("delay_mean_s", place)[point], part.array("goodput_bps", traffic)[point]], axis=1)
    pairs: dict[str, tuple[list[float], list[float]]] = {}
    for scheme, values in zip(part.schemes, both, strict=True):
        delays, goodputs = values[:, np.isfinite(values).all(axis=0)].tolist()
        if delays:
            pairs[scheme.argument] = delays, goodputs
    return pairs
