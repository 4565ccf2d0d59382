"""A scheme's control function and the queue law, with the operating points for several numbers of flows."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from penstock.model.operating_point import OperatingCurve, OperatingPoint, probability_axis_top
from penstock.plots import style


def draw(label: str, operating: OperatingCurve, points: Sequence[OperatingPoint]) -> Figure:
    """Draw the control function named `label`, the queue law of each number of flows, and where they meet."""
    top = probability_axis_top(operating, points)
    with style.figure_style():
        figure, ax = style.single_panel(height=2.5)
        ax.axvspan(0, operating.end, color="#e8f1ea", linewidth=0, zorder=0)
        for point in points:
            xs, ys = operating.needed_probability(point.flows)
            ax.plot(xs, ys, color="#8a92a0", linewidth=0.7)
            if point.queue is not None and point.probability is not None:
                face = style.COLOURS[3] if point.is_stable else "white"
                ax.plot(point.queue, point.probability, "o", color=style.COLOURS[3], markerfacecolor=face, markersize=4)
                ax.annotate(
                    str(point.flows), (point.queue, point.probability), xytext=(4, 2),
                    textcoords="offset points", fontsize=6.5,
                )  # fmt: skip
        ax.plot(*operating.curve(), color=style.COLOURS[2], label=label)
        ax.set_xlim(0, operating.limit)
        ax.set_ylim(0, top)
        ax.set_xlabel("mean queue (packets); shaded, full circles: stable")
        ax.set_ylabel(f"probability of a {operating.law.signal}")
        style.add_legend(figure, 1, title="grey: queue law of each number of flows", title_fontsize=6.5)
    return figure
