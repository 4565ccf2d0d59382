"""Rules about the networks in which a scheme loses: boxes in the space, one condition per side.

The search starts with the best pair of conditions and then adds one condition at a time. The best box has the highest
F-measure, in which precision counts twice as much as recall (C. van Rijsbergen, "Information Retrieval", 2nd edition,
1979, chapter 7): precision is the fraction of the networks in the box in which the scheme loses, recall the
fraction of all losing networks that are in the box. The networks of a search cluster where the deficit is large, so a
rule is checked in fresh networks that are spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock.challenges.criteria import Array, Criterion
from penstock.challenges.network import CONTROLS, COORDINATES, Network, rate_words, time_words
from penstock.results.display import join_with_and, with_spaced_unit

__all__ = ["Condition", "NetworkCount", "Rule", "find_rule", "rule_threshold"]

THRESHOLDS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Deficits from which the threshold of a rule is chosen: the round numbers 1, 2, 5."""

MAX_CONDITIONS = 4
"""Maximum number of conditions of a rule. Own decision: one sentence states them."""

MIN_LOSING = MAX_CONDITIONS + 1
"""Minimum number of networks above the threshold for a rule, and inside a rule for its check.

With fewer, a rule could have a condition per network."""

MIN_GAIN = 0.03
"""Minimum gain in the F-measure for another condition. Own decision: of 24 networks, the fewest of a search, one is
0.04."""

BETA = 0.5
"""Weight of recall relative to precision in the F-measure: van Rijsbergen's value for twice the weight of precision."""

QUANTILE_COUNT = 20
"""Number of thresholds that are tried for a quantity. Own decision: between two of them are 5 % of the networks."""

FEW_FLOWS = (2.0, 3.0, 4.0)
"""Further thresholds of the number of flows, since few flows differ most. Own decision."""

SUFFICIENT_CONFIRMATION = 0.8
"""`Rule.confirmation` from which no further rule is searched for.

Own decision: of 20 networks on each side, four are exceptions."""

QUANTITIES = {
    "longest_rtt": "round trips",
    "rate": "rates",
    "flows": "long flows",
    "bdp": "a bandwidth-delay product",
    "bdp_per_flow": "a bandwidth-delay product per long flow",
    "buffer": "buffers",
    "far": "a ratio of the round trips",
    "udp": "datagrams",
    "short": "short transfers",
    "control": "",
    "ecn": "ECN",
}
"""The quantities that conditions compare, in words; a congestion control is named by `CONTROLS`."""


@dataclass(frozen=True)
class Condition:
    """A comparison of a quantity of a network with a value; the operator is ">", "<" or "="."""

    quantity: str
    operator: str
    value: Any

    def is_met_by(self, network: Network) -> bool:
        """Whether a network meets the condition."""
        value = getattr(network, self.quantity)
        if self.operator == "=":
            return bool(value == self.value)
        return bool(value > self.value if self.operator == ">" else value < self.value)

    @property
    def text(self) -> str:
        """The condition in words, such as `round trips above 180 ms`."""
        words, comparison = QUANTITIES[self.quantity], "above" if self.operator == ">" else "below"
        match self.quantity:
            case "control":
                return CONTROLS[self.value]
            case "ecn":
                return words if self.value else f"no {words}"
            case "flows":
                return f"{'more' if self.operator == '>' else 'fewer'} than {self.value:g} {words}"
            case "longest_rtt":
                return f"{words} {comparison} {time_words(self.value)}"
            case "rate":
                return f"{words} {comparison} {rate_words(self.value)}"
            case "udp" | "short":
                return f"{words} {comparison} {100 * self.value:g} % of the link"
            case _:
                value = f"{self.value:g}"
                unit = {"buffer": f"{value} BDP", "far": value}.get(self.quantity, with_spaced_unit(f"{value}p"))
                return f"{words} {comparison} {unit}"


@dataclass(frozen=True)
class NetworkCount:
    """Number of networks above the threshold, of all networks on one side of a rule."""

    losing: int
    networks: int

    @classmethod
    def from_deficits(cls, deficits: Sequence[float], threshold: float) -> NetworkCount:
        """Count the deficits above the threshold."""
        return cls(sum(deficit > threshold for deficit in deficits), len(deficits))

    @property
    def share(self) -> float:
        """The fraction above the threshold; 0 without networks."""
        return self.losing / self.networks if self.networks else 0.0

    def __str__(self) -> str:
        return f"{self.losing} of {self.networks}"


@dataclass(frozen=True)
class Rule:
    """A statement about the networks in which a scheme loses more than a threshold.

    Attributes:
        conditions: all must be met.
        threshold: a deficit.
        inside: count of the networks that meet the conditions, among the ones from which the rule was derived.
        outside: count of the others.
        fresh_inside: count of the networks of the check that meet the conditions; None before the check.
        fresh_outside: count of the networks of the check that do not; None before the check.

    """

    conditions: tuple[Condition, ...]
    threshold: float
    inside: NetworkCount
    outside: NetworkCount
    fresh_inside: NetworkCount | None = None
    fresh_outside: NetworkCount | None = None

    def covers(self, network: Network) -> bool:
        """Whether a network meets all conditions."""
        return all(condition.is_met_by(network) for condition in self.conditions)

    @property
    def text(self) -> str:
        """The conditions in words."""
        return join_with_and([condition.text for condition in self.conditions])

    def sentence(self, scheme: str, rival: str, criterion: Criterion) -> str:
        """The rule as a sentence about a scheme."""
        counts = f"in {self.inside} such networks and {self.outside} others"
        if self.fresh_inside is not None:
            counts += f"; in the check with fresh networks, in {self.fresh_inside} and {self.fresh_outside}"
        return f"{criterion.sentence(scheme, rival, self.threshold, more=True)} in networks with {self.text}: {counts}."

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain values."""
        return asdict(self)

    @property
    def confirmation(self) -> float:
        """Share of fresh networks above the threshold inside, minus the share outside; 0 with too few inside."""
        inside, outside = self.fresh_inside, self.fresh_outside
        return inside.share - outside.share if inside and outside and inside.networks >= MIN_LOSING else 0.0

    @property
    def is_confirmed(self) -> bool:
        """Whether the confirmation is sufficient."""
        return self.confirmation >= SUFFICIENT_CONFIRMATION

    def with_fresh_counts(self, inside: Sequence[float], outside: Sequence[float]) -> Rule:
        """A copy with the counts of a check, from the deficits in fresh networks inside and outside."""
        counts = [NetworkCount.from_deficits(deficits, self.threshold) for deficits in (inside, outside)]
        return replace(self, fresh_inside=counts[0], fresh_outside=counts[1])


def rule_threshold(deficits: Sequence[float], largest: float) -> float | None:
    """The largest threshold up to half of the largest deficit with `MIN_LOSING` deficits above it; None if none has."""
    thresholds = (
        each for each in THRESHOLDS if each <= largest / 2 and sum(deficit > each for deficit in deficits) >= MIN_LOSING
    )
    return next(thresholds, None)


def find_rule(networks: Sequence[Network], deficits: Sequence[float], threshold: float) -> Rule | None:
    """The rule that best separates the networks above the threshold from the others; None without any separation."""
    losing = np.array(deficits) > threshold
    conditions = list(_conditions(networks))
    if losing.all() or not losing.any() or not conditions:
        return None
    met = np.array([[condition.is_met_by(network) for network in networks] for condition in conditions], dtype=float)
    chosen = _best_box(met, losing)
    if not chosen:
        return None
    is_inside = met[chosen].all(axis=0)
    inside, outside = (NetworkCount(int(losing[mask].sum()), int(mask.sum())) for mask in (is_inside, ~is_inside))
    return Rule(tuple(conditions[index] for index in chosen), threshold, inside, outside)


def _best_box(met: Array, losing: npt.NDArray[np.bool_]) -> list[int]:
    """The indices of the conditions of the best box; `met` has a row of zeros and ones per condition."""
    box = np.ones(len(losing))
    grade = float(_grades(losing.sum(), len(losing), losing.sum()))
    chosen: list[int] = []
    pairs = _grades((met * losing) @ met.T, met @ met.T, losing.sum())
    singles = np.diag(pairs)
    if pairs.max() >= singles.max() + MIN_GAIN:
        first, second = np.unravel_index(pairs.argmax(), pairs.shape)
        if pairs.max() >= grade + MIN_GAIN:
            chosen, grade = [int(first), int(second)], float(pairs.max())
            box = met[first] * met[second]
    while len(chosen) < MAX_CONDITIONS:
        grades = _grades((met * box) @ losing, met @ box, losing.sum())
        if grades.max() < grade + MIN_GAIN:
            break
        chosen, grade = [*chosen, int(grades.argmax())], float(grades.max())
        box = box * met[chosen[-1]]
    return chosen


def _grades(losing_inside: Any, inside: Any, losing: Any) -> Any:
    """The F-measure of boxes from their counts: (1 + β²) P R / (β² P + R); 0 for a box without networks."""
    return (1 + BETA**2) * losing_inside / (BETA**2 * losing + inside)


def _conditions(networks: Sequence[Network]) -> Iterator[Condition]:
    """All conditions on single quantities that some but not all networks meet; numbers are quantiles with one digit."""
    for name in QUANTITIES:
        values = [getattr(network, name) for network in networks]
        if name in COORDINATES and COORDINATES[name].choices:
            yield from (Condition(name, "=", choice) for choice in COORDINATES[name].choices)
            continue
        positive = sorted(value for value in values if value > 0)
        thresholds = (
            {float(f"{positive[len(positive) * index // QUANTILE_COUNT]:.1g}") for index in range(QUANTILE_COUNT)}
            if positive
            else set()
        )
        thresholds |= set(FEW_FLOWS) if name == "flows" else set()
        for threshold in sorted(thresholds):
            for operator in "<>":
                condition = Condition(name, operator, threshold)
                if 0 < sum(map(condition.is_met_by, networks)) < len(networks):
                    yield condition
