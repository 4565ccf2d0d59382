"""The response of a scheme over time to a load that steps above the link's rate and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.plots import style

MAX_GAUGES = 4


def draw(response: Mapping[str, Sequence[float]]) -> Figure:
    """Draw the result of `_native.step_response`: queue, delay and losses, and the AQM's own variables."""
    gauges = changing_gauges(response)
    with style.figure_style():
        figure = Figure(figsize=(style.WIDTH, 3.8 if gauges else 2.5), layout="constrained")
        panels = figure.subplots(3 if gauges else 2, 1, sharex=True)
        seconds = response["t"]
        for ax in panels:
            _shade_overload(ax, response)
            ax.set_xlim(0, seconds[-1])
        panels[0].plot(seconds, response["queue"], color=style.COLOURS[1], linewidth=0.9)
        panels[0].set_ylabel("queue (pkts)")
        panels[0].set_ylim(bottom=0)
        panels[1].plot(seconds, [1e3 * x for x in response["delay"]], color=style.COLOURS[2], linewidth=0.9)
        panels[1].set_ylabel("delay (ms)", color=style.COLOURS[2])
        panels[1].set_ylim(bottom=0)
        lost = panels[1].twinx()
        dashed = {"color": style.COLOURS[0], "linewidth": 0.7, "linestyle": (0, (3, 1))}
        lost.plot(seconds, [100 * x for x in response["lost"]], **dashed)
        lost.set_ylabel("lost (%)", color=style.COLOURS[0])
        lost.set_ylim(bottom=0)
        lost.grid(visible=False)
        if gauges:
            for index, (name, values) in enumerate(gauges.items()):
                look = style.line_style(index + 1) | {"marker": "", "linewidth": 0.9}
                top = max(values)
                panels[2].plot(seconds, [x / top for x in values], label=f"{name} (max {top:.4g})", **look)
            panels[2].set_ylabel("part of its max")
            panels[2].set_ylim(0, 1.05)
            style.add_legend(figure, 2, loc="outside lower center", fontsize=6.5, columnspacing=1.0, handlelength=2.0)
        panels[-1].set_xlabel("time (s); shaded: load above the rate of the link")
    return figure


def changing_gauges(response: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """The first few variables of the AQM that change, by name."""
    gauges = {name.removeprefix("gauge:"): values for name, values in response.items() if name.startswith("gauge:")}
    moving = {name: values for name, values in gauges.items() if max(values) > max(min(values), 0.0)}
    return dict(list(moving.items())[:MAX_GAUGES])


def _shade_overload(ax: Axes, response: Mapping[str, Sequence[float]]) -> None:
    above = [t for t, load in zip(response["t"], response["load"], strict=True) if load > 1]
    if above:
        ax.axvspan(above[0], above[-1], color="#f0e6d2", linewidth=0, zorder=0)
