"""The tail of the queue length: how much of the time more than x packets wait, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from penstock.plots import style


def draw(pmfs: Mapping[str, Sequence[float]], smallest: float = 1e-5) -> Figure:
    """Draw P(X > x) of each distribution, given as label -> fractions of time at 0, 1, 2, ... waiting packets."""
    with style.styled():
        figure, ax = style.axes()
        for index, (label, pmf) in enumerate(pmfs.items()):
            above = [max(sum(pmf[k + 1 :]), 0.0) for k in range(len(pmf))]
            shown = [(k, p) for k, p in enumerate(above) if p >= smallest]
            if shown:
                look = style.line(index) | {"markevery": max(1, len(shown) // 8)}
                ax.step(*zip(*shown, strict=True), where="post", label=label, **look)
        ax.set_yscale("log")
        ax.set_ylim(smallest, 1.2)
        ax.set_xlim(left=0)
        ax.set_xlabel("x (waiting packets)")
        ax.set_ylabel("P(queue > x)")
        style.legend(figure, 3)
    return figure
