"""Aims of `tune`: `delay p99 < 20 ms`, `calls.loss < 0.1 %`, `utilization > 95 %`, `min delay`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from penstock.errors import ErrorDetail, OptionOrigin, ScenarioError, did_you_mean
from penstock.results.metrics import METRICS, Metric, find_metric
from penstock.results.parts import place_name
from penstock.units import UnitError, parse_probability, parse_rate, parse_time

__all__ = ["Aim", "aim_origin", "are_weighted", "parse_aims"]

Side = Literal["<", ">", "min", "max"]

SHORT_NAMES = {
    "delay": "delay_mean_s",
    "loss": "loss_rate",
    "marks": "mark_rate",
    "fairness": "jain",
    "goodput": "goodput_bps",
    "throughput": "throughput_bps",
    "length": "length_mean_pkts",
    "completion": "completion_mean_s",
    "owd": "owd_mean_s",
    "jitter": "jitter_mean_s",
    "page": "page_mean_s",
}
"""Short names of metrics. Every name may also be written without its unit: `delay_p99`."""

_FORM = re.compile(
    r"\s*(?:(?P<best>min|max)\s+)?(?P<name>[A-Za-z][\w. -]*?)\s*(?:(?P<side><=?|>=?)\s*(?P<value>[^,]+?))?"
    r"\s*(?:,?\s*\bweight\s+(?P<weight>\S+?))?\s*",
    re.ASCII,
)


@dataclass(frozen=True)
class Aim:
    """An aim: a bound on a metric, or its smallest or largest attainable value.

    Attributes:
        text: the aim as written by the user.
        place: link, traffic group or codepoint; None means the tuned link.
        metric: name of the metric.
        side: "<" or ">" for a bound, "min" or "max" without one.
        bound: in the metric's unit (s, bit/s, packets, or a share from 0 to 1); 0 without one.
        weight: above 0, or None if not given; see `are_weighted`.

    """

    text: str
    place: str | None
    metric: str
    side: Side
    bound: float = 0.0
    weight: float | None = None

    @property
    def has_bound(self) -> bool:
        """Whether the aim has a bound, which is met or missed."""
        return self.side in ("<", ">")

    def shortfall(self, value: float) -> float:
        """How far a value misses the bound, relative to the distance from the bound to the ideal; 0 if it is met.

        The ideal is 0 for "<", and 1 for ">" on a share or ratio. For ">" on other metrics, the shortfall is relative
        to the bound.
        """
        if self.side == "<":
            return max(0.0, value - self.bound) / (self.bound or 1.0)
        ideal = (
            1.0 - self.bound
            if find_metric(self.metric).quantity in ("share", "ratio") and self.bound < 1
            else self.bound
        )
        return max(0.0, self.bound - value) / (ideal or 1.0)

    def is_missed(self, value: float) -> bool:
        """Whether a value misses the bound; a missing value counts as a miss, and without a bound no value misses."""
        return self.has_bound and (not math.isfinite(value) or self.shortfall(value) > 0)

    def cost(self, value: float) -> float:
        """The logarithm of the metric, negated for "max": one percent costs the same at any size.

        To minimize a share, such as loss, the cost is the negated logarithm of its complement, which is finite at 0.
        """
        if self.side == "max":
            return -math.log(max(value, TINY))
        share = find_metric(self.metric).quantity == "share"
        return -math.log(max(1 - value, TINY)) if share else math.log(max(value, TINY))


TINY = 1e-12
"""Smaller values are replaced by this one before their logarithm is taken."""


def are_weighted(aims: Iterable[Aim]) -> bool:
    """Whether several aims without a bound are combined by their weights, instead of spanning a Pareto front.

    The weighted sum of their costs is minimized: with weights 2 and 1, one percent of the first metric is worth two
    percent of the second. The weight of a bound multiplies its shortfall where not all bounds can be met.
    """
    unbounded = [aim for aim in aims if not aim.has_bound]
    return len(unbounded) > 1 and any(aim.weight is not None for aim in unbounded)


def parse_aims(texts: Iterable[str], places: Mapping[str, Iterable[str]]) -> tuple[Aim, ...]:
    """Parse aims such as `[PLACE.]METRIC < VALUE` or `min [PLACE.]METRIC`, each optionally followed by `weight NUMBER`.

    `places` has the names of the "links", "traffic" and "dscp". Raises `ScenarioError` with the errors of all aims.
    """
    aims, errors = [], []
    for text in texts:
        try:
            aims.append(_parsed(text, places))
        except ValueError as error:
            errors.append(ErrorDetail("", str(error), None, aim_origin(text)))
    if not aims and not errors:
        message = "is missing; give one, such as 'delay p99 < 20ms'"
        errors.append(ErrorDetail("", message, None, OptionOrigin("--aim", "aims")))
    if errors:
        raise ScenarioError(errors)
    return tuple(aims)


def aim_origin(text: str) -> OptionOrigin:
    """The origin of an aim in errors."""
    return OptionOrigin.with_value("--aim", "aims", text, shown=f"'{text}'")


def _parsed(text: str, places: Mapping[str, Iterable[str]]) -> Aim:
    form = _FORM.fullmatch(text)
    if form is None or bool(form["best"]) == bool(form["side"]):
        raise ValueError(
            "expected METRIC < VALUE, METRIC > VALUE, min METRIC or max METRIC, optionally with weight NUMBER"
        )
    place, definition = _metric(form["name"], places)
    weight = None if form["weight"] is None else _weight(form["weight"])
    if form["best"]:
        return Aim(text.strip(), place, definition.name, "min" if form["best"] == "min" else "max", weight=weight)
    side: Side = "<" if form["side"].startswith("<") else ">"
    bound = _bound(definition, form["value"])
    if (side == "<" and bound < 0) or (side == ">" and definition.quantity == "share" and bound >= 1):
        raise ValueError(f"{definition.name} is never {side} {form['value']}")
    return Aim(text.strip(), place, definition.name, side, bound, weight)


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < math.inf:
        raise ValueError(f"weight {text}: expected a number above 0")
    return weight


def _metric(text: str, places: Mapping[str, Iterable[str]]) -> tuple[str | None, Metric]:
    """The place, if one is named, and the metric."""
    metric_of = {entry.name: entry for entry in METRICS if not entry.name.endswith("_pmf")}
    by_word = {re.sub(r"_(s|bps|bytes|pkts2?)$", "", name): name for name in metric_of} | SHORT_NAMES
    place, _, name = text.rpartition(".")
    names = [*places["links"], *places["traffic"], *(place_name("dscp", name) for name in places["dscp"])]
    if place and place not in names:
        raise ValueError(
            f'no link or traffic "{place}"{did_you_mean(place, names)}; the scenario has {", ".join(names)}'
        )
    word = re.sub(r"[\s-]+", "_", name.strip())
    if word not in metric_of and word not in by_word:
        raise ValueError(
            f'no metric "{name}"{did_you_mean(word, [*metric_of, *by_word])}; penstock explain metrics lists them'
        )
    return place or None, metric_of.get(word) or find_metric(by_word[word])


def _bound(definition: Metric, value: str) -> float:
    """The value in the metric's unit. Raises `ValueError`."""
    plain = re.sub(r"\s+", "", value)
    try:
        match definition.quantity:
            case "time":
                return parse_time(plain) / 1e9
            case "rate":
                return float(parse_rate(plain))
            case "share" | "ratio":
                return parse_probability(float(plain) if re.fullmatch(r"[\d.]+", plain) else plain)
            case _:
                return float(plain.removesuffix("p"))
    except (UnitError, ValueError) as error:
        raise ValueError(f"value {value} of {definition.name}: {error}") from None
