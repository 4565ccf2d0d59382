"""The tail of the queue length: the fraction of time in which more than x packets wait, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from penstock.errors import did_you_mean
from penstock.plots import style
from penstock.results.comparison import Comparison
from penstock.results.run_table import RunTable


def draw(
    pmfs: RunTable | Mapping[str, Sequence[float]],
    smallest: float = 1e-5,
    place: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw P(X > x) of each distribution.

    Args:
        pmfs: runs, or label -> fractions of time at 0, 1, 2, ... waiting packets.
        smallest: the lowest probability shown.
        place: the link, for runs; by default its first.
        at: the swept values, for runs, by path or by its last part.

    """
    if isinstance(pmfs, RunTable):
        comparison = Comparison.from_runs(pmfs)
        pmfs = _lengths(
            comparison, comparison.measured_links[0] if place is None else place, comparison.point(**(at or {}))
        )
    with style.figure_style():
        figure, ax = style.single_panel()
        for index, (label, pmf) in enumerate(pmfs.items()):
            above = [max(sum(pmf[k + 1 :]), 0.0) for k in range(len(pmf))]
            points = [(k, p) for k, p in enumerate(above) if p >= smallest]
            if points:
                look = style.line_style(index) | {"markevery": max(1, len(points) // 8)}
                ax.step(*zip(*points, strict=True), where="post", label=label, **look)
        ax.set_yscale("log")
        ax.set_ylim(smallest, 1.2)
        ax.set_xlim(left=0)
        ax.set_xlabel("x (waiting packets)")
        ax.set_ylabel("P(queue > x)")
        style.add_legend(figure, 3)
    return figure


def _lengths(comparison: Comparison, place: str, point: int) -> dict[str, list[float]]:
    """The mean distribution of the queue length of each scheme; the values in a bin share its mean equally."""
    pmfs: dict[str, list[float]] = {}
    for number, scheme in enumerate(comparison.schemes):
        shares = comparison.distributions.get((number, point, place, "length_pmf"), {})
        for part, cell in sorted(shares.items(), key=lambda item: item[0].low):
            width = part.high - part.low + 1
            pmfs.setdefault(scheme.label, []).extend([cell.mean / width] * width)
    if not pmfs:
        raise ValueError(f"no distribution of the queue length at {place}{did_you_mean(place, comparison.places)}")
    return pmfs
