"""An evaluation as text, and the trade-off diagrams of RFC 7928, section 2.7."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.evaluation.case import Case
from penstock.evaluation.evaluate import CaseResult, Evaluation
from penstock.plots import style
from penstock.plots.delay_goodput import covariance_ellipse
from penstock.results.display import decimal_places, format_number
from penstock.results.run_table import Array

__all__ = ["column_headers", "evaluation_text", "text_rows", "trade_off_diagrams"]

COLUMNS = (
    ("utilization", "utilization (%)", 100.0, False),
    ("delay_mean_s", "delay, mean (ms)", 1e3, True),
    ("delay_p99_s", "delay, 99 % below (ms)", 1e3, True),
    ("loss_rate", "loss (%)", 100.0, True),
)
"""Metric of the bottleneck, column head, factor, and whether lower is better."""

MOST_DECIMALS = 4
"""Maximum number of decimals in the table; the intervals of runs that hardly differ would need more."""

SIZE = 2.75, 2.0
"""Size of a diagram in inches: a page shows four side by side, a phone one."""

SIGMA = 2.4477
"""Half-axes of the ellipse that holds 95 % of a normal distribution in two dimensions, sqrt(-2 ln 0.05), in sd."""


def column_headers() -> list[str]:
    """The heads of the columns."""
    return [head for _, head, _, _ in COLUMNS]


def text_rows(evaluation: Evaluation) -> Iterator[tuple[CaseResult, list[tuple[str, str]]]]:
    """Each row with the mean and half-width of each column, and its comparison with drop-tail.

    In a column, the numbers of a scenario have the same number of decimals.
    """
    for _, group in itertools.groupby(evaluation.rows, key=lambda row: row.case.id):
        together = list(group)
        yield from zip(together, zip(*(_column(together, *column) for column in COLUMNS), strict=True), strict=True)


def _column(together: Sequence[CaseResult], name: str, _: str, factor: float, lower: bool) -> list[tuple[str, str]]:
    entries = [row.metrics.get("bottleneck", {}).get(name) for row in together]
    halves = [factor * _half(entry["ci95"]) if entry else 0.0 for entry in entries]
    places = min(MOST_DECIMALS, decimal_places([factor * entry["mean"] for entry in entries if entry], halves))
    return [
        (
            f"{format_number(factor * entry['mean'], places)} ± {format_number(half, places)}",
            row.compared_with_droptail(name, lower_is_better=lower),
        )
        if entry
        else ("–", "")
        for row, entry, half in zip(together, entries, halves, strict=True)
    ]


def _half(interval: Sequence[float] | None) -> float:
    return (interval[1] - interval[0]) / 2 if interval else 0.0


def evaluation_text(evaluation: Evaluation) -> str:
    """The evaluation for a terminal."""
    return "\n".join(_lines(evaluation)) + "\n"


def _lines(evaluation: Evaluation) -> Iterator[str]:
    yield evaluation.conclusion
    yield ""
    yield f"{evaluation.extent.runs} runs each, mean and 95 % interval; + better, - worse than drop-tail, = a tie"
    signs = {"better": "+", "worse": "-", "tie": "=", "": " "}
    last = ""
    for row, cells in text_rows(evaluation):
        if row.case.id != last:
            last = row.case.id
            yield ""
            yield f"{row.case.id}  {row.case.title} ({row.case.requirement_level})"
        columns = "  ".join(f"{value:>16} {signs[word]}" for value, word in cells)
        yield f"    {row.scheme:<24} {columns}"
    yield ""
    yield f"    {'columns':<24} " + "  ".join(f"{head:>18}" for head in column_headers())


def trade_off_diagrams(evaluation: Evaluation) -> list[tuple[str, str, Figure]]:
    """Id, title and diagram of each scenario: goodput against queueing delay.

    A diagram has one point per run, the median, and an ellipse that contains 95 %.
    """
    return [(case.id, case.title, _diagram(evaluation, case)) for case in evaluation.cases]


def _diagram(evaluation: Evaluation, case: Case) -> Figure:
    with style.figure_style():
        figure = Figure(figsize=SIZE, layout="constrained")
        ax = figure.add_subplot()
        for index, scheme in enumerate(evaluation.schemes):
            _ellipse(ax, index, scheme, *evaluation.points(case, scheme))
        ax.margins(0.15)
        left, right = ax.get_xlim()
        ax.set_xlim(max(left, -0.03 * right), right)  # no delay is below 0
        ax.set_xlabel("mean queueing delay (ms)")
        ax.set_ylabel("goodput (Mbit/s)")
    return figure


def _ellipse(ax: Axes, index: int, scheme: str, delays: Array, goodputs: Array) -> None:
    colour = style.COLOURS[index % len(style.COLOURS)]
    points = np.array([delays * 1e3, goodputs / 1e6])
    ax.plot(*points, ".", color=colour, ms=2.5, alpha=0.6, label=f"{scheme}, a run")
    look = {key: value for key, value in style.line_style(index).items() if key != "linestyle"}
    ax.plot(*np.median(points, axis=1), linestyle="", **look, label=f"{scheme}, median")
    if points.shape[1] >= 3:
        ax.add_patch(covariance_ellipse(points, SIGMA, fill=False, edgecolor=colour, linewidth=0.7))
