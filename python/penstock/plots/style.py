"""The style of all figures; the same data is saved as the same bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from penstock.files import atomic_replacement
from penstock.results import palette
from penstock.results.metrics import ANY, NOT_NEGATIVE, Range, clip_interval

WIDTH = 3.33  # inches: one column of an ACM paper
HEIGHT = 2.2

# Colour, marker and dash of each scheme, by its position on the page.
COLOURS = palette.LIGHT
MARKERS = ("o", "s", "^", "D", "v", "P", "*", "X")
DASHES: tuple[Any, ...] = (
    "-", (0, (5, 1.5)), (0, (1.2, 1.5)), (0, (5, 1.5, 1.2, 1.5)),
    (0, (3, 1.5)), (0, (8, 2)), (0, (1, 1, 4, 1)), (0, (1, 2.5)),
)  # fmt: skip

MARKERS_ON_LINE = 30

NAME_GAP = 0.08
"""Distance of the points of two lines at the same name, as a fraction of the distance of two names."""

CHARACTERS = 48
"""Maximum number of letters below a panel of one column before labels are rotated."""

_SHARE = re.compile(r"\bloss\b|utilization|probability|\bP\(|Jain|% of time|\bshare\b|\bamong\b", re.I)
"""Names of shares on axes."""

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # this font comes with matplotlib, so the glyphs are the same on every machine
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "penstock",
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the style while drawing or saving; settings outside do not change."""
    with mpl.rc_context(_STYLE):
        yield


def single_panel(height: float = HEIGHT) -> tuple[Figure, Axes]:
    """A figure of one panel; call it within `figure_style`."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.add_subplot()


def possible_range(label: str) -> Range:
    """The possible values of a quantity by its name on an axis: shares end at 1 or 100 %.

    All but differences start at 0.

    >>> possible_range("loss (%)"), possible_range("utilization")
    ((0.0, 100.0), (0.0, 1.0))
    >>> possible_range("consecutive losses"), possible_range("goodput, 200 ms (%)")
    ((0.0, inf), (0.0, inf))
    """
    if "difference" in label.lower():
        return ANY
    if _SHARE.search(label):
        return 0.0, 100.0 if "%" in label else 1.0
    return NOT_NEGATIVE


def draw_with_intervals(
    ax: Axes,
    xs: Sequence[float],
    means: Sequence[float],
    half_widths: Sequence[float],
    possible: Range = NOT_NEGATIVE,
    **look: Any,
) -> Line2D:
    """Draw means with the possible parts of their intervals, and return their line.

    All intervals form one path, so a figure with hundreds of points stays small and is drawn quickly. A line of many
    points has markers on some of them.
    """
    joined = look.get("linestyle") != "none"
    (drawn,) = ax.plot(xs, means, **look, markevery=max(1, len(xs) // MARKERS_ON_LINE) if joined else 1)
    apart = math.nan
    bars = [
        (x, *clip_interval(y - half, y + half, possible))
        for x, y, half in zip(xs, means, half_widths, strict=True)
        if half
    ]
    ax.plot(
        [place for x, _, _ in bars for place in (x, x, apart)],
        [place for _, low, high in bars for place in (low, high, apart)],
        color=drawn.get_color(),
        linewidth=0.6,
        zorder=drawn.get_zorder(),
    )
    return drawn


def side_by_side_position(place: float, index: int, count: int) -> float:
    """The x coordinate for line `index` of `count` at a name: the lines' points stand side by side."""
    return place + NAME_GAP * (index - (count - 1) / 2)


def set_name_axis(ax: Axes, texts: Sequence[str]) -> None:
    """Make the x axis an axis of names, at 0, 1, ...; long names are rotated."""
    turned = max(map(len, texts), default=0) * len(texts) > CHARACTERS
    look: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if turned else {}
    ax.set_xticks(range(len(texts)), texts, **look)
    ax.set_xlim(-0.5, len(texts) - 0.5)


def limit_y_axis(ax: Axes, possible: Range) -> None:
    """Keep the y axis close to the possible range: no utilization of 105 %."""
    bottom, top = ax.get_ylim()
    edge = 0.03 * (top - bottom)
    ax.set_ylim(max(bottom, possible[0] - edge), min(top, possible[1] + edge))


def line_style(index: int) -> dict[str, Any]:
    """Colour, marker and dash of scheme `index`, as keywords for `plot`."""
    shape = index + 3 * (index // len(COLOURS))
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[shape % len(MARKERS)],
        "linestyle": DASHES[shape % len(DASHES)],
        "markeredgecolor": "white",
        "markeredgewidth": 0.4,
    }


def add_legend(figure: Figure, max_columns: int, lines: Mapping[str, Any] | None = None, **words: Any) -> None:
    """Put the legend above the panels, in as many columns as fit; no legend if nothing has a label.

    Args:
        figure: call it within `figure_style`.
        max_columns: largest number of columns, from 1.
        lines: the drawn lines by label; by default those of all panels.
        words: further keywords of `Figure.legend`.
    """
    words = {"loc": "outside upper center", **words}
    if lines is None:
        pairs = [ax.get_legend_handles_labels() for ax in figure.axes]
        handles, labels = (list(chain.from_iterable(pair[i] for pair in pairs)) for i in (0, 1))
    else:
        handles, labels = list(lines.values()), list(lines)
    for rows in range(1, len(labels) + 1):
        columns = -(-len(labels) // rows)
        if columns > max_columns:
            continue
        placed = figure.legend(handles, labels, ncols=columns, **words)
        if columns == 1 or placed.get_window_extent().width <= figure.bbox.width:
            return
        placed.remove()


def set_log_x_axis(ax: Axes, at: Sequence[float] = (1.0, 2.0, 5.0)) -> None:
    """Make the x axis logarithmic, with plain numbers at these multiples of a power of ten; 10000 is 10k."""
    ax.set_xscale("log")
    ax.xaxis.set_minor_formatter(NullFormatter())  # labels between the decades would overlap
    ax.xaxis.set_major_locator(LogLocator(subs=at))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e3:g}k" if value >= 1e4 else f"{value:g}"))


def line_quantity_note(name: str, values: Iterable[Any], *, connected: bool = True) -> list[str]:
    """A note for the legend that names the quantity of the lines, or points, if they are named by plain numbers."""
    return (
        [f"{'lines' if connected else 'points'}: {name}"] if all(str(value)[:1].isdigit() for value in values) else []
    )


def save(figure: Figure, path: str | Path) -> None:
    """Write `figure` as PDF, SVG or PNG by the ending of `path`: embedded fonts, no date.

    Raises `ValueError` for another ending and `FileError` if the file cannot be written.
    """
    kind = Path(path).suffix.lower()
    nothing: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
    if kind not in nothing:
        raise ValueError(f"{path}: a figure is saved as .pdf, .svg or .png")
    with atomic_replacement(path) as part, figure_style():
        figure.savefig(part, format=kind[1:], metadata=nothing[kind], dpi=200)
