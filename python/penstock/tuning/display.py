"""An advice as text, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.plots import style
from penstock.results.display import decimals, number, scale_for
from penstock.results.estimate import Estimate
from penstock.results.metrics import metric
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
    of_aims = [(aim.place or advice.link.place, aim.metric) for aim in advice.aims]
    return list(dict.fromkeys([*of_aims, *sorted(advice.best.measured.values)]))


def heads(advice: Advice) -> list[str]:
    """The heads of the columns, with units."""
    texts = []
    for place, name in columns(advice):
        unit = scale_for(metric(name).quantity, _means(advice, place, name)).unit
        words = metric(name).title + (f" ({unit})" if unit else "")
        texts.append(words if place == advice.link.place else f"{place}: {words}")
    return texts


def rows(advice: Advice) -> list[Row]:
    """A row for each confirmed setting, the advised ones first."""
    cells: list[list[str]] = [[] for _ in advice.confirmed]
    for place, name in columns(advice):
        scale = scale_for(metric(name).quantity, _means(advice, place, name))
        estimates = [confirmation.measured.summary(place, name) for confirmation in advice.confirmed]
        halves = [scale.factor * (estimate.half_width or 0.0) for estimate in estimates]
        places = decimals([scale.factor * estimate.mean for estimate in estimates], halves)
        for row, estimate, half in zip(cells, estimates, halves, strict=True):
            row.append(f"{number(scale.factor * estimate.mean, places)} ± {number(half, places)}")
    return [
        Row(
            letter(place),
            confirmation.measured.setting.label,
            confirmation.measured.setting.origin,
            tuple(row),
            ", ".join(f"{aim}: {MET[met]}" for aim, met in confirmation.met.items()),
            "advised" if place < len(advice.advised) else confirmation.verdict,
        )
        for place, (confirmation, row) in enumerate(zip(advice.confirmed, cells, strict=True))
    ]


def _means(advice: Advice, place: str, name: str) -> list[float]:
    return [confirmation.measured.summary(place, name).mean for confirmation in advice.confirmed]


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


def picture(advice: Advice, width: float) -> Figure:
    """Utilization against the 99th percentile of the delay: every setting tried, and those confirmed with intervals.

    `width` is in inches.
    """
    with style.styled():
        figure = Figure(figsize=(width, 3.2), layout="constrained")
        ax = figure.add_subplot()
        place = advice.link.place
        tried = [
            (measured.summary(place, "delay_p99_s").mean, measured.summary(place, "utilization").mean)
            for measured in advice.tried
        ]
        ax.plot([1e3 * x for x, _ in tried], [100 * y for _, y in tried], ".", color="#b8b8b8", ms=3, label="tried")
        spots = [_cross(ax, confirmation, place, at) for at, confirmation in enumerate(advice.confirmed)]
        style.log_x(ax)
        ax.set_xlabel("queueing delay, 99th percentile (ms)")
        ax.set_ylabel("utilization (%)")
        _letters(ax, figure, spots)
    return figure


def _cross(ax: Axes, confirmation: Confirmed, place: str, place_in_list: int) -> tuple[float, float]:
    """A confirmed setting with the intervals of both metrics; where it is."""
    (x, across), (y, up) = (
        _with_ends(confirmation.measured.summary(place, name), name, factor)
        for name, factor in (("delay_p99_s", 1e3), ("utilization", 100))
    )
    look = {key: value for key, value in style.line(place_in_list).items() if key != "linestyle"}
    ax.errorbar(
        x,
        y,
        xerr=across,
        yerr=up,
        **look,
        linestyle="",
        label=f"{letter(place_in_list)}: {confirmation.measured.setting.label}",
    )
    return x, y


def _letters(ax: Axes, figure: Figure, spots: Sequence[tuple[float, float]]) -> None:
    """The letter of each confirmed setting beside it, at the nearest place without another letter."""
    figure.draw_without_rendering()  # the axes get their size
    occupied: list[tuple[float, float]] = []
    for at, spot in enumerate(spots):
        x, y = ax.transData.transform(spot) * 72 / figure.dpi
        places = [(x + right, y + up) for right, up in LETTER_PLACES]
        free = (
            candidate
            for candidate in places
            if all(abs(candidate[0] - a) > LETTER[0] or abs(candidate[1] - b) > LETTER[1] for a, b in occupied)
        )
        occupied.append(chosen := next(free, places[0]))
        offset = (chosen[0] - x, chosen[1] - y)
        look = {"color": style.line(at)["color"], "ha": "center", "va": "center"}
        ax.annotate(letter(at), spot, textcoords="offset points", xytext=offset, **look)


def _with_ends(estimate: Estimate, name: str, factor: float) -> tuple[float, list[list[float]]]:
    """The mean in the unit of the axis, and how far the possible part of its interval goes below and above it."""
    half = estimate.half_width or 0.0
    low, high = metric(name).possible(estimate.mean - half, estimate.mean + half)
    return factor * estimate.mean, [[factor * (estimate.mean - low)], [factor * (high - estimate.mean)]]


def letter(place: int) -> str:
    """The name of a confirmed setting in the picture: A, B, ..."""
    return chr(ord("A") + place) if place < 26 else f"A{place}"
