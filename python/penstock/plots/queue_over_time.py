"""Queue, average and max_p of one run, or the two queues of a dual queue, on one time axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from penstock.plots import style


def draw(series: Mapping[str, Any], title: str = "") -> Figure:
    """Draw one link's series of a result: `t_ns`, `queue`, and `avg`, `lq`, `cq` and `max_p` if the scheme has them."""
    seconds = [t / 1e9 for t in series["t_ns"]]
    queue = series["queue"]
    with style.figure_style():
        figure, ax = style.single_panel()
        ax.fill_between(
            seconds, queue["min"], queue["max"], color=style.COLOURS[1], alpha=0.22, linewidth=0, label="range"
        )
        ax.plot(seconds, queue["mean"], color=style.COLOURS[1], linewidth=0.6, label="queue")
        for name, label, line in (("avg", "average", "-"), ("cq", "Classic queue", "-"), ("lq", "L4S queue", ":")):
            if name in series:
                ax.plot(seconds, series[name]["mean"], color="black", linestyle=line, linewidth=1.1, label=label)
        ax.set_xlabel("time (s)")
        ax.set_ylabel("waiting packets")
        ax.set_ylim(bottom=0)
        ax.margins(x=0)
        if "max_p" in series:
            right = ax.twinx()
            right.plot(
                seconds, series["max_p"]["mean"], color=style.COLOURS[2], linestyle=style.DASHES[1], label="max_p"
            )
            right.set_ylabel("max_p", color=style.COLOURS[2])
            right.set_ylim(bottom=0)
            right.grid(visible=False)
        style.add_legend(figure, 4, title=title or None, handlelength=1.5, columnspacing=1.2)
    return figure
