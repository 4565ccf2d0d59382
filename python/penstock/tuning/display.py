"""An advice as text, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.plots import style
from penstock.results.display import decimals, joined, number, scale_for
from penstock.results.estimate import Estimate
from penstock.results.metrics import metric
from penstock.tuning.advice import Advice, Confirmed
from penstock.tuning.moved import FACTORS
from penstock.tuning.paste import FASTER
from penstock.tuning.robust import Point
from penstock.tuning.unmet import metric_text

__all__ = ["Row", "columns", "exceptions", "map_reasons", "map_rows", "picture", "rows", "sign", "text"]

LETTER = 9.0, 10.0
"""Points from letter to letter in the picture, across and up, at least."""

LETTER_PLACES = sorted(product(range(-32, 33, 8), (7, -7, 18, -18)), key=lambda place: place[0] ** 2 + place[1] ** 2)
"""Where a letter may stand beside its setting, in points, the nearest place first."""

MET = {True: "met", False: "missed"}


@dataclass(frozen=True)
class Row:
    """A confirmed setting, as texts; `letter` is its name in the picture."""

    letter: str
    label: str
    origin: str
    cells: tuple[str, ...]
    met: str
    standing: str
    barred: str


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
            ORIGINS.get(confirmation.measured.setting.origin, confirmation.measured.setting.origin),
            tuple(row),
            _met_text(confirmation),
            "advised" if place < len(advice.advised) else confirmation.verdict,
            "; ".join(confirmation.barred),
        )
        for place, (confirmation, row) in enumerate(zip(advice.confirmed, cells, strict=True))
    ]


ORIGINS = {"present": "present queue", "reference": "not asked for, for comparison"}


def _met_text(entry: Confirmed) -> str:
    """Which aims are met, and on how many networks all are."""
    if not entry.met:
        return ""
    aims = ", ".join(f"{aim}: {MET[met]}" for aim, met in entry.met.items())
    return f"{aims}; all on {entry.success.met} of {entry.success.of} networks"


def _means(advice: Advice, place: str, name: str) -> list[float]:
    return [confirmation.measured.summary(place, name).mean for confirmation in advice.confirmed]


def text(advice: Advice) -> str:
    """The advice for a terminal."""
    return "\n".join(_lines(advice)) + "\n"


def _lines(advice: Advice) -> Iterator[str]:
    yield advice.conclusion
    yield from (f"  {text}" for text in exceptions(advice))
    for place in range(len(advice.advised)):
        for device in advice.devices(place):
            yield from _device(device, advice)
    runs = len(advice.best.measured.scores)
    yield ""
    yield f"Confirmed on {runs} fresh networks (rate, flows and round trip drawn around the scenario's); mean ± 95 %:"
    for row in rows(advice):
        yield ""
        yield f"{row.label}  ({row.standing}; {row.origin})"
        for head, cell in zip(heads(advice), row.cells, strict=True):
            yield f"    {head:<44} {cell:>20}"
        if row.met:
            yield f"    {row.met}"
        if row.barred:
            yield f"    not advised: {row.barred}"
    if advice.map:
        yield ""
        yield from map_rows(advice)
        yield from map_reasons(advice)


def exceptions(advice: Advice) -> list[str]:
    """Where the advice does not meet the aims, in words: the networks on which another setting does come first."""
    if len(advice.advised) > 1:
        return []
    missed = sorted(advice.exceptions, key=lambda each: each[2] is None)
    texts = [
        f"misses {joined(aims)} at {draw.text} ({f'{met_by} does' if met_by else 'nothing tried does'})"
        for draw, aims, met_by in missed[:MOST_EXCEPTIONS]
    ]
    more = len(missed) - MOST_EXCEPTIONS
    return texts + ([f"and on {more} more network{'s' if more > 1 else ''}"] if more > 0 else [])


MOST_EXCEPTIONS = 5
"""Networks that the text names."""


def _device(device: dict[str, str | None], advice: Advice) -> Iterator[str]:
    if device["tc"]:
        yield ""
        if len(advice.links) > 1:
            yield f"# {device['device']} sends in the direction {device['place']}"
        yield device["tc"]
    if device["tc_shaped"]:
        yield ""
        yield f"# {FASTER}"
        yield device["tc_shaped"]


def map_rows(advice: Advice) -> list[str]:
    """The map of robustness: a line for each rate and number of flows, a column for each round trip."""
    point_of = {(point.rate, point.flows, point.rtt): point for point in advice.map}
    head = "    rate   flows   round trip x " + "  ".join(f"{factor:g}" for factor in FACTORS)
    label = advice.best.measured.setting.label
    lines = [f"Where link and load move, {label} meets the aims (+), another setting does (o), or none (-):", head]
    for rate, flows in product(FACTORS, FACTORS):
        signs = [sign(point_of[rate, flows, rtt]) for rtt in FACTORS]
        gaps = "  ".join(f"{each:>{len(f'{factor:g}')}}" for each, factor in zip(signs, FACTORS, strict=True))
        lines.append(f"    x {rate:<5g}x {flows:<5g} {'':14}{gaps}")
    return lines


def sign(point: Point) -> str:
    """A point of the map: "+" if the advice meets the aims, "o" if another setting does, else "-"."""
    return "+" if point.met else "o" if point.met_by else "-"


def map_reasons(advice: Advice) -> list[str]:
    """For each aim that is missed on the map: where most, and by how much; and where no queue could meet it."""
    lines = []
    for aim in advice.aims:
        missed = [point for point in advice.map if aim.text in point.missed]
        if not missed:
            continue
        worst = max(missed, key=lambda point: aim.shortfall(point.missed[aim.text]))
        value = metric_text(aim.metric, worst.missed[aim.text])
        where = f"rate x {worst.rate:g}, flows x {worst.flows:g}, round trip x {worst.rtt:g}"
        lines.append(f"    {aim.text}: missed at {len(missed)} of {len(advice.map)} points, most at {where} ({value})")
    overloaded = [point for point in advice.map if point.load > 1 and not point.met]
    if overloaded:
        load = max(point.load for point in overloaded)
        lines.append(
            f"    At {len(overloaded)} of these points traffic that does not slow down offers more than the link "
            f"carries, up to {100 * load:.0f} % of it: no queue helps there."
        )
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
