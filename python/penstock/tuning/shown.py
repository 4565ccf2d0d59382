"""An advice as text, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.plots import style
from penstock.plots.inline_svg import inline_svg
from penstock.results.display import decimals, number, scale_for
from penstock.results.metrics import metric
from penstock.results.summary import Summary
from penstock.tuning.advice import Advice, Confirmed
from penstock.tuning.moved import FACTORS
from penstock.tuning.paste import FASTER

__all__ = ["Row", "columns", "map_rows", "picture", "rows", "text"]

LETTER = 9.0, 10.0
"""Points from letter to letter in the picture, across and up, at least."""

LETTER_PLACES = sorted(product(range(-32, 33, 8), (7, -7, 18, -18)), key=lambda place: place[0] ** 2 + place[1] ** 2)
"""Where a letter may stand beside its setting, in points, the nearest place first."""

MET = {True: "met", False: "missed", None: "undecided"}


@dataclass(frozen=True)
class Row:
    """A confirmed setting: letter in the picture, label, origin, a cell for each column, aims met, standing."""

    letter: str
    label: str
    origin: str
    cells: tuple[str, ...]
    met: str
    standing: str


def columns(advice: Advice) -> list[tuple[str, str]]:
    """Place and metric of the columns: those of the aims first."""
    wanted = [(aim.place or advice.link.place, aim.metric) for aim in advice.aims]
    return list(dict.fromkeys([*wanted, *sorted(advice.best.measured.values)]))


def heads(advice: Advice) -> list[str]:
    """The heads of the columns, with units."""
    found = []
    for place, name in columns(advice):
        unit = scale_for(metric(name).quantity, _means(advice, place, name)).unit
        words = metric(name).title + (f" ({unit})" if unit else "")
        found.append(words if place == advice.link.place else f"{place}: {words}")
    return found


def rows(advice: Advice) -> list[Row]:
    """A row for each confirmed setting, the advised ones first."""
    cells: list[list[str]] = [[] for _ in advice.confirmed]
    for place, name in columns(advice):
        scale = scale_for(metric(name).quantity, _means(advice, place, name))
        found = [one.measured.summary(place, name) for one in advice.confirmed]
        halves = [scale.factor * (one.half_width or 0.0) for one in found]
        places = decimals([scale.factor * one.mean for one in found], halves)
        for row, one, half in zip(cells, found, halves, strict=True):
            row.append(f"{number(scale.factor * one.mean, places)} ± {number(half, places)}")
    return [
        Row(
            letter(place),
            one.measured.setting.label,
            one.measured.setting.origin,
            tuple(row),
            ", ".join(f"{aim}: {MET[met]}" for aim, met in one.met.items()),
            "advised" if place < len(advice.advised) else one.verdict,
        )
        for place, (one, row) in enumerate(zip(advice.confirmed, cells, strict=True))
    ]


def _means(advice: Advice, place: str, name: str) -> list[float]:
    return [one.measured.summary(place, name).mean for one in advice.confirmed]


def text(advice: Advice) -> str:
    """The advice for a terminal."""
    return "\n".join(_lines(advice)) + "\n"


def _lines(advice: Advice) -> Iterator[str]:
    yield advice.conclusion
    runs = len(advice.best.measured.scores)
    yield ""
    yield f"Confirmed with {runs} fresh seeds each; mean and 95 % interval:"
    for row in rows(advice):
        yield ""
        yield f"{row.label}  ({row.standing}; {row.origin})"
        for head, cell in zip(heads(advice), row.cells, strict=True):
            yield f"    {head:<44} {cell:>20}"
        if row.met:
            yield f"    {row.met}"
    if advice.robust:
        yield ""
        yield f"Where link and load move, {advice.best.measured.setting.label} still meets the aims (+) or not (-):"
        yield from map_rows(advice)
    for entry in advice.to_dict()["advice"]:
        if entry["tc"]:
            yield ""
            yield entry["tc"]
        if entry["tc_shaped"]:
            yield ""
            yield f"# {FASTER}"
            yield entry["tc_shaped"]


def map_rows(advice: Advice) -> list[str]:
    """The map of robustness: a line for each rate and number of flows, a column for each round trip."""
    head = "    rate   flows   round trip x " + "  ".join(f"{factor:g}" for factor in FACTORS)
    lines = [head]
    for rate in FACTORS:
        for flows in FACTORS:
            signs = ["+" if advice.robust[rate, flows, rtt] else "-" for rtt in FACTORS]
            gaps = "  ".join(f"{sign:>{len(f'{factor:g}')}}" for sign, factor in zip(signs, FACTORS, strict=True))
            lines.append(f"    x {rate:<5g}x {flows:<5g} {'':14}{gaps}")
    return lines


def picture(advice: Advice, name: str, width: float) -> Markup:
    """Utilization against the 99th percentile of the delay: every setting tried, and those confirmed with intervals.

    `name` distinguishes pictures of one page, `width` is in inches.
    """
    with style.styled():
        figure = Figure(figsize=(width, 3.2), layout="constrained")
        ax = figure.add_subplot()
        place = advice.link.place
        tried = [
            (one.summary(place, "delay_p99_s").mean, one.summary(place, "utilization").mean) for one in advice.tried
        ]
        ax.plot([1e3 * x for x, _ in tried], [100 * y for _, y in tried], ".", color="#b8b8b8", ms=3)
        spots = [_cross(ax, one, place, at) for at, one in enumerate(advice.confirmed)]
        style.log_x(ax)
        ax.invert_xaxis()
        ax.set_xlabel("queueing delay, 99th percentile (ms)")
        ax.set_ylabel("utilization (%)")
        _letters(ax, figure, spots)
    return inline_svg(figure, name)


def _cross(ax: Axes, one: Confirmed, place: str, place_in_list: int) -> tuple[float, float]:
    """A confirmed setting with the intervals of both metrics; where it is."""
    (x, across), (y, up) = (
        _with_ends(one.measured.summary(place, name), name, factor)
        for name, factor in (("delay_p99_s", 1e3), ("utilization", 100))
    )
    look = {key: value for key, value in style.line(place_in_list).items() if key != "linestyle"}
    ax.errorbar(x, y, xerr=across, yerr=up, **look, linestyle="")
    return x, y


def _letters(ax: Axes, figure: Figure, spots: Sequence[tuple[float, float]]) -> None:
    """The letter of each confirmed setting beside it, at the nearest place without another letter."""
    figure.draw_without_rendering()  # the axes get their size
    taken: list[tuple[float, float]] = []
    for at, spot in enumerate(spots):
        x, y = ax.transData.transform(spot) * 72 / figure.dpi
        places = [(x + right, y + up) for right, up in LETTER_PLACES]
        free = (
            one for one in places if all(abs(one[0] - a) > LETTER[0] or abs(one[1] - b) > LETTER[1] for a, b in taken)
        )
        taken.append(found := next(free, places[0]))
        offset = (found[0] - x, found[1] - y)
        look = {"color": style.line(at)["color"], "ha": "center", "va": "center"}
        ax.annotate(letter(at), spot, textcoords="offset points", xytext=offset, **look)


def _with_ends(found: Summary, name: str, factor: float) -> tuple[float, list[list[float]]]:
    """The mean in the unit of the axis, and how far the possible part of its interval goes below and above it."""
    half = found.half_width or 0.0
    low, high = metric(name).possible(found.mean - half, found.mean + half)
    return factor * found.mean, [[factor * (found.mean - low)], [factor * (high - found.mean)]]


def letter(place: int) -> str:
    """The name of a confirmed setting in the picture: A, B, ..."""
    return chr(ord("A") + place) if place < 26 else f"A{place}"
