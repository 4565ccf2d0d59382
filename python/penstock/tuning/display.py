"""Advice as text, tables and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.plots import style
from penstock.results.display import decimal_places, display_unit, format_number, join_with_and
from penstock.results.estimate import Estimate
from penstock.results.metrics import find_metric
from penstock.tuning.advice import Advice, ConfirmedSetting
from penstock.tuning.bench import reported_metrics
from penstock.tuning.paste import FASTER
from penstock.tuning.robustness_map import MapPoint
from penstock.tuning.scaling import FACTORS
from penstock.tuning.unmet import metric_text

__all__ = [
    "SettingRow",
    "advice_text",
    "exception_texts",
    "map_rows",
    "metric_columns",
    "missed_aim_lines",
    "point_symbol",
    "setting_rows",
    "trade_off_figure",
]

LETTER_SPACING = 9.0, 10.0
"""Minimum distance between letters in the picture, horizontal and vertical, in points."""

LETTER_OFFSETS = sorted(product(range(-32, 33, 8), (7, -7, 18, -18)), key=lambda place: place[0] ** 2 + place[1] ** 2)
"""Candidate offsets of a letter from its setting, in points, the nearest first."""

MET = {True: "met", False: "missed"}


@dataclass(frozen=True)
class SettingRow:
    """A confirmed setting as strings; `letter` is its name in the picture."""

    letter: str
    label: str
    origin: str
    cells: tuple[str, ...]
    met: str
    verdict: str
    reasons_against: str


def metric_columns(advice: Advice) -> list[tuple[str, str]]:
    """Place and metric of each column; those of the aims come first."""
    of_aims = [(aim.place or advice.link.place, aim.metric) for aim in advice.aims]
    return list(dict.fromkeys([*of_aims, *reported_metrics(advice.aims, advice.link.place)]))


def column_headers(advice: Advice) -> list[str]:
    """The column headers, with units."""
    texts = []
    for place, name in metric_columns(advice):
        unit = display_unit(find_metric(name).quantity, _means(advice, place, name)).unit
        words = find_metric(name).title + (f" ({unit})" if unit else "")
        texts.append(words if place == advice.link.place else f"{place}: {words}")
    return texts


def setting_rows(advice: Advice) -> list[SettingRow]:
    """A row for each confirmed setting, the advised ones first."""
    cells: list[list[str]] = [[] for _ in advice.confirmed]
    for place, name in metric_columns(advice):
        scale = display_unit(find_metric(name).quantity, _means(advice, place, name))
        estimates = [confirmation.measured.summary(place, name) for confirmation in advice.confirmed]
        halves = [scale.factor * (estimate.half_width or 0.0) for estimate in estimates]
        places = decimal_places([scale.factor * estimate.mean for estimate in estimates], halves)
        for row, estimate, half in zip(cells, estimates, halves, strict=True):
            row.append(f"{format_number(scale.factor * estimate.mean, places)} ± {format_number(half, places)}")
    return [
        SettingRow(
            setting_letter(place),
            confirmation.measured.setting.label,
            ORIGINS.get(confirmation.measured.setting.origin, confirmation.measured.setting.origin),
            tuple(row),
            _met_text(confirmation),
            "advised" if place < len(advice.advised) else confirmation.verdict,
            "; ".join(confirmation.reasons_against),
        )
        for place, (confirmation, row) in enumerate(zip(advice.confirmed, cells, strict=True))
    ]


ORIGINS = {"present": "present queue", "given": "as requested", "reference": "not requested, for comparison"}


def _met_text(entry: ConfirmedSetting) -> str:
    """Which aims are met, and the number of networks on which all are."""
    if not entry.met:
        return ""
    aims = ", ".join(f"{aim}: {MET[met]}" for aim, met in entry.met.items())
    return f"{aims}; all aims on {entry.success.met} of {entry.success.total} networks"


def _means(advice: Advice, place: str, name: str) -> list[float]:
    return [confirmation.measured.summary(place, name).mean for confirmation in advice.confirmed]


def advice_text(advice: Advice) -> str:
    """The advice for a terminal."""
    return "\n".join(_lines(advice)) + "\n"


def _lines(advice: Advice) -> Iterator[str]:
    yield advice.conclusion
    yield from (f"  {text}" for text in exception_texts(advice))
    for place in range(len(advice.advised)):
        for device in advice.devices(place):
            yield from _device(device, advice)
    runs = len(advice.best.measured.scores)
    yield ""
    yield f"Confirmed on {runs} fresh random variations of the scenario; mean ± half-width of the 95 % interval:"
    for row in setting_rows(advice):
        yield ""
        yield f"{row.label}  ({row.verdict}; {row.origin})"
        for head, cell in zip(column_headers(advice), row.cells, strict=True):
            yield f"    {head:<44} {cell:>20}"
        if row.met:
            yield f"    {row.met}"
        if row.reasons_against:
            yield f"    not advised: {row.reasons_against}"
    if advice.map:
        yield ""
        yield from map_rows(advice)
        yield from missed_aim_lines(advice)


def exception_texts(advice: Advice) -> list[str]:
    """The networks on which the advice misses an aim, in words; those on which another setting meets all come first."""
    if len(advice.advised) > 1:
        return []
    missed = sorted(advice.exceptions, key=lambda each: each[2] is None)
    texts = [
        f"misses {join_with_and(aims)} at {draw.text} ({met_by or 'no tried setting'} meets all aims there)"
        for draw, aims, met_by in missed[:MAX_EXCEPTIONS]
    ]
    more = len(missed) - MAX_EXCEPTIONS
    return texts + ([f"misses an aim on {more} more network{'s' if more > 1 else ''}"] if more > 0 else [])


MAX_EXCEPTIONS = 5
"""Networks that are listed one by one."""


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
    """The robustness map: a line for each rate and number of flows, a column for each round trip."""
    point_of = {point.factors: point for point in advice.map}
    head = "    rate   flows   round trip x " + "  ".join(f"{factor:g}" for factor in FACTORS)
    label = advice.best.measured.setting.label
    lines = [f"Map: {label} meets all aims (+), only another setting does (o), neither does (-):", head]
    for rate, flows in product(FACTORS, FACTORS):
        signs = [point_symbol(point_of[rate, flows, rtt]) for rtt in FACTORS]
        gaps = "  ".join(f"{each:>{len(f'{factor:g}')}}" for each, factor in zip(signs, FACTORS, strict=True))
        lines.append(f"    x {rate:<5g}x {flows:<5g} {'':14}{gaps}")
    return lines


def point_symbol(point: MapPoint) -> str:
    """A point of the map: "+" if the advice meets the aims, "o" if another setting does, else "-"."""
    return "+" if point.is_met else "o" if point.met_by else "-"


def missed_aim_lines(advice: Advice) -> list[str]:
    """A line for each aim that is missed at changed rates, flows or round trips (the map), with its worst point.

    A further line counts the overloaded points.
    """
    lines = []
    for aim in advice.aims:
        missed = [point for point in advice.map if aim.text in point.missed_aims]
        if not missed:
            continue
        worst = max(missed, key=lambda point: aim.shortfall(point.missed_aims[aim.text]))
        value = metric_text(aim.metric, worst.missed_aims[aim.text])
        where = f"rate x {worst.rate_factor:g}, flows x {worst.flows_factor:g}, round trip x {worst.rtt_factor:g}"
        lines.append(
            f"    {aim.text}: missed at {len(missed)} of {len(advice.map)} points of the map; worst: {value} at {where}"
        )
    overloaded = [point for point in advice.map if point.load > 1 and not point.is_met]
    if overloaded:
        load = max(point.load for point in overloaded)
        lines.append(
            f"    At {len(overloaded)} of these points, unresponsive traffic alone exceeds the rate of the link (up "
            f"to {100 * load:.0f} % of it): no queue helps there."
        )
    return lines


def trade_off_figure(advice: Advice, width: float) -> Figure:
    """Utilization versus the 99th percentile of the delay: all tried settings, the confirmed ones with intervals.

    `width` is in inches.
    """
    with style.figure_style():
        figure = Figure(figsize=(width, 3.2), layout="constrained")
        ax = figure.add_subplot()
        place = advice.link.place
        tried = [
            (measured.summary(place, "delay_p99_s").mean, measured.summary(place, "utilization").mean)
            for measured in advice.tried
        ]
        ax.plot([1e3 * x for x, _ in tried], [100 * y for _, y in tried], ".", color="#b8b8b8", ms=3, label="tried")
        spots = [_cross(ax, confirmation, place, at) for at, confirmation in enumerate(advice.confirmed)]
        style.set_log_x_axis(ax)
        ax.set_xlabel("queueing delay, 99th percentile (ms)")
        ax.set_ylabel("utilization (%)")
        _letters(ax, figure, spots)
    return figure


def _cross(ax: Axes, confirmation: ConfirmedSetting, place: str, place_in_list: int) -> tuple[float, float]:
    """Draw a confirmed setting with the intervals of both metrics. Returns its position in the units of the axes."""
    (x, across), (y, up) = (
        _with_ends(confirmation.measured.summary(place, name), name, factor)
        for name, factor in (("delay_p99_s", 1e3), ("utilization", 100))
    )
    look = {key: value for key, value in style.line_style(place_in_list).items() if key != "linestyle"}
    ax.errorbar(
        x,
        y,
        xerr=across,
        yerr=up,
        **look,
        linestyle="",
        label=f"{setting_letter(place_in_list)}: {confirmation.measured.setting.label}",
    )
    return x, y


def _letters(ax: Axes, figure: Figure, spots: Sequence[tuple[float, float]]) -> None:
    """Draw the letter of each confirmed setting, at the nearest offset where no other letter is."""
    figure.draw_without_rendering()  # sets the size of the axes
    occupied: list[tuple[float, float]] = []
    for at, spot in enumerate(spots):
        x, y = ax.transData.transform(spot) * 72 / figure.dpi
        places = [(x + right, y + up) for right, up in LETTER_OFFSETS]
        free = (
            candidate
            for candidate in places
            if all(
                abs(candidate[0] - a) > LETTER_SPACING[0] or abs(candidate[1] - b) > LETTER_SPACING[1]
                for a, b in occupied
            )
        )
        occupied.append(chosen := next(free, places[0]))
        offset = (chosen[0] - x, chosen[1] - y)
        look = {"color": style.line_style(at)["color"], "ha": "center", "va": "center"}
        ax.annotate(setting_letter(at), spot, textcoords="offset points", xytext=offset, **look)


def _with_ends(estimate: Estimate, name: str, factor: float) -> tuple[float, list[list[float]]]:
    """The mean in the unit of the axis, and its error bars: the interval, clipped to possible values of the metric."""
    half = estimate.half_width or 0.0
    low, high = find_metric(name).possible(estimate.mean - half, estimate.mean + half)
    return factor * estimate.mean, [[factor * (estimate.mean - low)], [factor * (high - estimate.mean)]]


def setting_letter(place: int) -> str:
    """The name of a confirmed setting in the picture: A to Z, then A26, A27, ..."""
    return chr(ord("A") + place) if place < 26 else f"A{place}"
