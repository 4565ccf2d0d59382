"""The drop function of a scheme: probability of an early drop over the average queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from penstock.plots import style


def draw(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    thresholds: Mapping[str, float] | None = None,
    x_label: str = "average queue (packets)",
) -> Figure:
    """Draw drop functions, as label -> (average queues, probabilities); `thresholds` are marked on the axis."""
    with style.figure_style():
        figure, ax = style.single_panel(height=1.9)
        for index, (label, (xs, ys)) in enumerate(curves.items()):
            look = style.line_style(index + 1) | {"marker": ""}
            ax.plot(xs, ys, label=label, **(look | {"linestyle": style.DASHES[index % len(style.DASHES)]}))
        for name, at in (thresholds or {}).items():
            ax.axvline(at, color="#8a92a0", linewidth=0.6, linestyle=style.DASHES[2])
            ax.annotate(name, (at, 1.0), xytext=(2, 1), textcoords="offset points", fontsize=6.5, color="#5b6472")
        ax.set_xlabel(x_label)
        ax.set_ylabel("drop probability $p_b$")
        ax.set_ylim(0, 1.08)
        ax.margins(x=0)
        if len(curves) > 1:
            style.add_legend(figure, 3)
    return figure
