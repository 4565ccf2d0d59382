"""The order in which a scheduler serves continuously backlogged flows or classes: one lane each."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from penstock.plots import style

Service = Sequence[tuple[int, float, float]]
"""For each packet sent: its lane, start and end of its transmission in seconds."""


def draw(served: Service, labels: Sequence[str]) -> Figure:
    """Draw the result of `_native.service_order`; `labels` name the lanes, the first at the top."""
    with style.figure_style():
        figure, ax = style.single_panel(height=0.7 + 0.38 * len(labels))
        for lane in range(len(labels)):
            bars = [(1e3 * start, 1e3 * (end - start)) for which, start, end in served if which == lane]
            ax.broken_barh(
                bars, (lane - 0.36, 0.72), facecolors=style.COLOURS[lane + 1], edgecolors="white", linewidth=0.5
            )
            ax.annotate(
                f"{100 * service_share(served, lane):.0f} %", (1.0, lane), xycoords=("axes fraction", "data"),
                xytext=(4, 0), textcoords="offset points", va="center", fontsize=7.0,
            )  # fmt: skip
        ax.set_yticks(range(len(labels)), labels)
        ax.set_ylim(len(labels) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.margins(x=0)
        ax.set_xlabel("time (ms); right: share of the link")
    return figure


def service_share(served: Service, lane: int) -> float:
    """The fraction of the service that a lane received."""
    total = sum(end - start for _, start, end in served)
    return sum(end - start for which, start, end in served if which == lane) / total if total else 0.0
