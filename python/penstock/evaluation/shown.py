"""An evaluation as text, and as the trade-off diagrams of RFC 7928, section 2.7."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from penstock.evaluation.evaluate import Evaluation, Row
from penstock.plots import style
from penstock.plots.inline_svg import inline_svg

__all__ = ["cells", "diagrams", "heads", "text"]

COLUMNS = (
    ("utilization", "utilization (%)", 100.0, False),
    ("delay_mean_s", "delay, mean (ms)", 1e3, True),
    ("delay_p99_s", "delay, 99 % below (ms)", 1e3, True),
    ("loss_rate", "loss (%)", 100.0, True),
)
"""Metric of the bottleneck, head, factor, and whether less is better."""

PER_ROW = 4

TITLE = 38
"""Characters in a line above a diagram."""
SIGMA = 2.4477
"""Half-axes of the ellipse that holds 95 % of a normal distribution in two dimensions, sqrt(-2 ln 0.05), in sd."""


def heads() -> list[str]:
    """The heads of the columns."""
    return [head for _, head, _, _ in COLUMNS]


def cells(row: Row) -> list[tuple[str, str]]:
    """Mean and half-width of each column, and how it stands beside drop-tail."""
    found = []
    for metric, _, factor, lower in COLUMNS:
        entry = row.metrics.get("bottleneck", {}).get(metric)
        if entry is None:
            found.append(("–", ""))
            continue
        low, high = entry["ci95"] or (entry["mean"], entry["mean"])
        text_ = f"{factor * entry['mean']:.4g} ± {factor * (high - low) / 2:.2g}"
        found.append((text_, row.beside(metric, lower_is_better=lower)))
    return found


def text(found: Evaluation) -> str:
    """The evaluation for a terminal."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Evaluation) -> Iterator[str]:
    yield found.conclusion
    yield ""
    yield f"{found.form.runs} runs each, mean and 95 % interval; + better, - worse than drop-tail, = a tie"
    signs = {"better": "+", "worse": "-", "tie": "=", "": " "}
    last = ""
    for row in found.rows:
        if row.case.id != last:
            last = row.case.id
            yield ""
            yield f"{row.case.id}  {row.case.title} ({row.case.requirement})"
        shown = "  ".join(f"{value:>16} {signs[word]}" for value, word in cells(row))
        yield f"    {row.scheme:<24} {shown}"
    yield ""
    yield f"    {'columns':<24} " + "  ".join(f"{head:>18}" for head in heads())


def diagrams(found: Evaluation) -> Markup:
    """Goodput against queueing delay for each scenario: a point a run, the median, an ellipse that holds 95 %."""
    ids = [(row.case.id, row.case.title) for row in found.rows if row.scheme == found.schemes[0]]
    lines = -(-len(ids) // PER_ROW)
    with style.styled():
        figure = Figure(figsize=(2.2 * PER_ROW, 2.05 * lines), layout="constrained")
        axes = figure.subplots(lines, PER_ROW, squeeze=False).ravel()
        for ax, (name, title) in zip(axes, ids, strict=False):
            for index, scheme in enumerate(found.schemes):
                label = scheme if ax is axes[0] else ""
                _ellipse(ax, index, label, *found.points[name, scheme])
            ax.set_title(textwrap.fill(f"{name}: {title}", TITLE), fontsize=6)
            ax.margins(0.15)
            ax.invert_xaxis()
        for ax in axes[len(ids) :]:
            ax.remove()
        figure.supxlabel("mean queueing delay (ms), shorter to the right", fontsize=8)
        figure.supylabel("goodput (Mbit/s)", fontsize=8)
        style.legend(figure, 4)
    return inline_svg(figure, "diagrams")


def _ellipse(ax: object, index: int, label: str, delays: list[float], goodputs: list[float]) -> None:
    colour = style.COLOURS[index % len(style.COLOURS)]
    points = np.array([np.asarray(delays) * 1e3, np.asarray(goodputs) / 1e6])
    ax.plot(*points, ".", color=colour, ms=2.5, alpha=0.6)  # type: ignore[attr-defined]
    look = {key: value for key, value in style.line(index).items() if key != "linestyle"}
    ax.plot(*np.median(points, axis=1), linestyle="", label=label, **look)  # type: ignore[attr-defined]
    if points.shape[1] >= 3:
        lengths, vectors = np.linalg.eigh(np.cov(points))
        width, height = 2 * SIGMA * np.sqrt(np.maximum(lengths, 0.0))
        angle = float(np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0])))
        centre = points.mean(axis=1)
        shape = Ellipse((centre[0], centre[1]), width, height, angle=angle, fill=False, edgecolor=colour, lw=0.7)
        ax.add_patch(shape)  # type: ignore[attr-defined]
