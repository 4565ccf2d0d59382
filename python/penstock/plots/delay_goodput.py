"""Goodput against delay, delay growing to the left: the best corner is top right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from penstock.plots import style


def draw(runs: Mapping[str, tuple[Sequence[float], Sequence[float]]], deviations: float = 1.0) -> Figure:
    """Draw each scheme's runs, as label -> (delays in s, goodputs in bit/s), with the ellipse of their covariance.

    The ellipse spans ``deviations`` standard deviations along the principal axes; with fewer than three runs there is
    only the mean.
    """
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
