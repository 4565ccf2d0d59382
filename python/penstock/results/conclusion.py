"""Sentences that say which scheme is best at a link.

The candidates are the schemes whose mean utilization is within `MARGIN` of the highest. The best is the candidate with
the lowest 99th percentile of the queueing delay, if it is significantly lower than that of every other candidate;
candidates that do not differ significantly from it are also best. The rest of the trade-off is stated as a price: how
much delay a scheme adds for each point of utilization that it gains.

Significance is decided by paired differences of all schemes at all points of a sweep. The differences in delay are one
family of simultaneous intervals (`penstock.results.simultaneous`), the differences in utilization another. Each family
has the error probability `alpha` / 2, so all statements about a link are jointly true with probability 1 - alpha. With
fewer than `FEWEST_RUNS` runs, no scheme is ranked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock.errors import PenstockError
from penstock.results.display import DisplayUnit, decimal_places, display_unit, format_number, is_number, join_with_and
from penstock.results.estimate import ALPHA, student_t_quantile
from penstock.results.leading_schemes import paired_differences
from penstock.results.simultaneous import adjusted_alpha

__all__ = [
    "FEWEST_RUNS",
    "MARGIN",
    "LinkConclusions",
    "PointConclusion",
    "best_counts_sentence",
    "check_margin",
    "conclusions_about_link",
    "run_sentence",
]

Array = npt.NDArray[np.float64]

MARGIN = 0.02
"""Maximum distance from the highest utilization at which a scheme is a candidate; a fraction of the link rate."""

FEWEST_RUNS = 5
"""Minimum number of runs for a ranking."""

LEAST_GAIN = 0.001
"""Minimum gain in utilization whose price in delay is stated."""

MOST_NAMED = 4
"""Maximum number of schemes that a sentence lists with their delays."""

P99 = "99th percentile of the delay"


@dataclass(frozen=True)
class PointConclusion:
    """The conclusion about a link at one point: a text, and the indices of the best schemes."""

    text: str = ""
    best: Sequence[int] = ()


@dataclass(frozen=True)
class LinkConclusions:
    """The conclusions about a link: at each point, and over all points of a sweep."""

    over_all: str = ""
    points: Sequence[PointConclusion] = field(default_factory=list)


def conclusions_about_link(
    names: Sequence[str], labels: Sequence[str], delay: Array, used: Array, alpha: float = ALPHA, margin: float = MARGIN
) -> LinkConclusions:
    """The conclusions about a link.

    Args:
        names: name of the link in the sentence, for each point.
        labels: labels of the schemes.
        delay: 99th percentile of the queueing delay in s: points, schemes, runs; NaN where a run lacks it.
        used: utilization, with the same dimensions.
        alpha: the probability that any of the statements is wrong.
        margin: see `MARGIN`.

    """
    points, schemes, _ = delay.shape
    if schemes < 2:
        return LinkConclusions("", [PointConclusion()] * points)
    pairs = [(scheme, other) for scheme in range(schemes) for other in range(scheme)]
    delays, uses = (
        _Family(values, adjusted_alpha(paired_differences(values, pairs), alpha / 2)) for values in (delay, used)
    )
    scale = display_unit("time", delays.means[np.isfinite(delays.means)])
    conclusions = [_At(labels, delays, uses, point, margin, scale).conclusion(names[point]) for point in range(points)]
    best = [conclusion.best for conclusion in conclusions]
    over_all = best_counts_sentence(labels, best, margin) if points > 1 and any(best) else ""
    return LinkConclusions(over_all, conclusions)


def check_margin(margin: float) -> None:
    """Raise `PenstockError` unless `margin` is a fraction."""
    if not 0 <= margin <= 1:
        raise PenstockError(f"margin={margin!r}: must be a fraction from 0 to 1, such as 0.02")


class _Family:
    """The runs of a metric at all points, with the level of each interval of a paired difference."""

    def __init__(self, values: Array, alpha: float) -> None:
        self.values, self.alpha = values, alpha
        with np.errstate(invalid="ignore"):
            is_present = np.isfinite(values)
            total = np.where(is_present, values, 0).sum(axis=2)
            self.means = np.where(is_present.any(axis=2), total / np.maximum(is_present.sum(axis=2), 1), math.nan)

    def is_lower(self, point: int, scheme: int, other: int) -> bool:
        """Whether `scheme` has a significantly lower mean than `other`."""
        differences = self.values[point, scheme] - self.values[point, other]
        differences = differences[np.isfinite(differences)]
        if len(differences) < 2:
            return False
        half = (
            student_t_quantile(len(differences) - 1, self.alpha)
            * float(differences.std(ddof=1))
            / math.sqrt(len(differences))
        )
        return float(differences.mean()) + half < 0

    def runs(self, point: int) -> int:
        """The smallest number of runs of a scheme that has the metric."""
        counts = np.isfinite(self.values[point]).sum(axis=1)
        return int(counts[counts > 0].min(initial=self.values.shape[2]))


@dataclass(frozen=True)
class _At:
    """The schemes at one point."""

    labels: Sequence[str]
    delays: _Family
    utilizations: _Family
    point: int
    margin: float
    scale: DisplayUnit

    def conclusion(self, name: str) -> PointConclusion:
        delay, used = self.delays.means[self.point], self.utilizations.means[self.point]
        measured = [i for i in range(len(self.labels)) if np.isfinite(delay[i]) and np.isfinite(used[i])]
        if len(measured) < 2:
            return PointConclusion()
        if (runs := self.delays.runs(self.point)) < FEWEST_RUNS:
            few = f"{runs} run{'s' if runs > 1 else ''} of each scheme {'are' if runs > 1 else 'is'}"
            return PointConclusion(f"{name}: {few} too few to rank schemes; {FEWEST_RUNS} are needed.")
        top = max(used[i] for i in measured)
        busy = [i for i in measured if used[i] >= top - self.margin]
        first = min(busy, key=lambda i: delay[i])
        best = [i for i in busy if i == first or not self.delays.is_lower(self.point, first, i)]
        best.sort(key=lambda i: delay[i])
        price, idle = self._price(first, measured), self._idle(first, busy, measured)
        return PointConclusion(f"{name}: {self._best(best, busy, measured)}{price}{idle}", best)

    def _best(self, best: Sequence[int], busy: Sequence[int], measured: Sequence[int]) -> str:
        used = self.utilizations.means[self.point]
        among = (
            ""
            if len(busy) == len(measured)
            else f", among the schemes within {_points(self.margin)} of the highest utilization"
        )
        if len(best) == 1 < len(busy):
            return (
                f"{self.labels[best[0]]} has the lowest {P99}, {self._delay(best[0])} at"
                f" {self._percent(used[best[0]])} utilization{among}."
            )
        if len(busy) == 1:
            return (
                f"{self.labels[best[0]]} alone is within {_points(self.margin)} of the highest utilization,"
                f" {self._percent(used[best[0]])}; its {P99} is {self._delay(best[0])}."
            )
        named = join_with_and([self.labels[i] for i in best])
        delays = [self._delay(i) for i in best]
        numbers = delays[0] if len(set(delays)) == 1 else f"{delays[0]} to {delays[-1]}"
        if len(best) == len(busy):
            return f"{named} do not differ significantly in the {P99}, {numbers}{among}."
        return f"{named} have the lowest {P99}, {numbers} without a significant difference{among}."

    def _price(self, first: int, measured: Sequence[int]) -> str:
        """The lowest delay per point of utilization, among the schemes that use significantly more of the link."""
        delay, used = self.delays.means[self.point], self.utilizations.means[self.point]
        prices = {
            i: (delay[i] - delay[first]) / (100 * (used[i] - used[first]))
            for i in measured
            if used[i] - used[first] >= LEAST_GAIN
            and self.utilizations.is_lower(self.point, first, i)
            and self.delays.is_lower(self.point, first, i)
        }
        if not prices:
            return ""
        cheapest = min(prices, key=lambda i: prices[i])
        gain = format_number(100 * (used[cheapest] - used[first]), 1)
        cost = display_unit("time", [prices[cheapest]])
        amount = prices[cheapest] * cost.factor
        price = f"{format_number(amount, 0 if amount >= 10 else 1)} {cost.unit}"
        return f" More utilization costs delay: {self.labels[cheapest]} gains {gain} points at {price} per point."

    def _idle(self, first: int, busy: Sequence[int], measured: Sequence[int]) -> str:
        """The schemes with a lower delay that leave more of the link idle."""
        used = self.utilizations.means[self.point]
        lower = [i for i in measured if i not in busy and self.delays.is_lower(self.point, i, first)]
        if not lower:
            return ""
        top = max(used[i] for i in measured)
        texts = [
            f"{self.labels[i]} ({self._delay(i)}, {format_number(100 * (top - used[i]), 1)} points less)" for i in lower
        ]
        more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        listed = f"{', '.join(texts[:MOST_NAMED])}{more}" if more else join_with_and(texts)
        return f" A lower delay, with more of the link idle: {listed}."

    def _delay(self, scheme: int) -> str:
        value = self.delays.means[self.point][scheme] * self.scale.factor
        return f"{format_number(value, 1 if abs(value) < 1000 else 0)} {self.scale.unit}"

    def _percent(self, share: float) -> str:
        return f"{format_number(100 * share, 1)} %"


def best_counts_sentence(labels: Sequence[str], best: Sequence[Sequence[int]], margin: float = MARGIN) -> str:
    """The number of settings at which each scheme is best, or not significantly different from the best; descending.

    >>> best_counts_sentence(["red", "pie", "codel"], [[1], [1, 2], [1]]).partition(": ")[2]
    'pie at all 3 settings, codel at 1, red at none.'
    """
    counts = {label: sum(scheme in indices for indices in best) for scheme, label in enumerate(labels)}
    named = {count: [label for label in labels if counts[label] == count] for count in sorted(counts.values())}
    (first, leaders), *others = sorted(named.items(), reverse=True)
    of_all = f"all {len(best)} settings" if first == len(best) else f"{first} of {len(best)} settings"
    rest = "".join(f", {join_with_and(schemes)} at {count or 'none'}" for count, schemes in others)
    among = f"within {_points(margin)} of the highest utilization"
    return f"The lowest {P99} {among}: {join_with_and(leaders)} at {of_all}{rest}."


def _points(share: float) -> str:
    """A share as text, in percentage points: `2 points`."""
    points = 100 * share
    return f"{points:g} point{'' if points == 1 else 's'}"


def run_sentence(place: str, numbers: Mapping[str, Any]) -> str:
    """One run's delay, loss and utilization at a link in a sentence; empty if any of them is missing."""
    names = ("delay_mean_s", "delay_p99_s", "loss_rate", "utilization")
    values = [numbers.get(name) for name in names]
    mean, tail, loss, used = (value if is_number(value) else math.nan for value in values)
    if not all(math.isfinite(value) for value in (mean, tail, loss, used)):
        return ""
    scale = display_unit("time", [mean, tail])
    places = decimal_places([scale.factor * tail], [tail * scale.factor / 100])
    delays = [f"{format_number(scale.factor * value, places)} {scale.unit}" for value in (mean, tail)]
    return (
        f"{place}: packets wait {delays[0]} on average, 99 % of them at most {delays[1]};"
        f" {format_number(100 * loss, 2)} % are lost, and the link is {format_number(100 * used, 1)} % used."
    )
