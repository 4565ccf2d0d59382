"""Rules that say in which networks a scheme loses: a box in the space, by one threshold after the other.

The search begins with the best pair of conditions, and then adds one after the other. Best is the box with the highest
F measure, in which precision counts twice as much as recall (C. van Rijsbergen, "Information Retrieval", 2nd edition,
1979, chapter 7): precision is the part of the networks in the box that lose, recall the part of the losing networks
that are in the box. The networks of a search lie close together where the loss is large, so a rule is checked in
further networks, which are spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock.challenges.criteria import Array, Criterion
from penstock.challenges.network import CONTROLS, COORDINATES, Network, rate_words, time_words
from penstock.results.display import joined, spaced

__all__ = ["Condition", "Count", "Rule", "find_rule", "threshold_for"]

LOSSES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Losses about which a rule speaks."""

FEWEST = 5
"""Networks that must lose more for a rule about them."""

MOST_CONDITIONS = 4

LEAST_GAIN = 0.03
"""Smallest rise of the F measure by a further condition."""

BETA = 0.5
"""Weight of recall in the F measure."""

CONFIRMED = 0.8
"""`Rule.confirmation` at which no other rule is tried."""

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
"""The quantities of rules, in words."""


@dataclass(frozen=True)
class Condition:
    """A quantity of a network is above a threshold, below it, or equal to it: `side` is ">", "<" or "="."""

    name: str
    side: str
    value: Any

    def holds(self, network: Network) -> bool:
        """Whether a network meets it."""
        value = getattr(network, self.name)
        if self.side == "=":
            return bool(value == self.value)
        return bool(value > self.value if self.side == ">" else value < self.value)

    @property
    def text(self) -> str:
        """In words, such as `round trips above 180 ms`."""
        words, side = QUANTITIES[self.name], "above" if self.side == ">" else "below"
        match self.name:
            case "control":
                return CONTROLS[self.value]
            case "ecn":
                return words if self.value else f"no {words}"
            case "flows":
                return f"{'more' if self.side == '>' else 'fewer'} than {self.value:g} {words}"
            case "longest_rtt":
                return f"{words} {side} {time_words(self.value)}"
            case "rate":
                return f"{words} {side} {rate_words(self.value)}"
            case "udp" | "short":
                return f"{words} {side} {100 * self.value:g} % of the link"
            case _:
                value = f"{self.value:g}"
                unit = {"buffer": f"{value} BDP", "far": value}.get(self.name, spaced(f"{value}p"))
                return f"{words} {side} {unit}"


@dataclass(frozen=True)
class Count:
    """How many of some networks lose more than the threshold."""

    losing: int
    networks: int

    @classmethod
    def of(cls, losses: Sequence[float], threshold: float) -> Count:
        """From the losses of the networks."""
        return cls(sum(loss > threshold for loss in losses), len(losses))

    @property
    def share(self) -> float:
        """The part that loses."""
        return self.losing / self.networks if self.networks else 0.0

    def __str__(self) -> str:
        return f"{self.losing} of {self.networks}"


@dataclass(frozen=True)
class Rule:
    """Where a scheme loses more than a threshold.

    Attributes:
        conditions: which all have to be met.
        threshold: the loss.
        inside: the networks of the search that meet the conditions.
        outside: those that do not.
        fresh_inside: further networks that meet them, for a check; None before it.
        fresh_outside: likewise, that do not.

    """

    conditions: tuple[Condition, ...]
    threshold: float
    inside: Count
    outside: Count
    fresh_inside: Count | None = None
    fresh_outside: Count | None = None

    def holds(self, network: Network) -> bool:
        """Whether a network meets all conditions."""
        return all(condition.holds(network) for condition in self.conditions)

    @property
    def text(self) -> str:
        """The conditions in words."""
        return joined([condition.text for condition in self.conditions])

    def sentence(self, scheme: str, rival: str, criterion: Criterion) -> str:
        """The rule as a sentence about a scheme."""
        counts = f"in {self.inside} networks tried there and {self.outside} elsewhere"
        if self.fresh_inside is not None:
            counts += f"; in {self.fresh_inside} fresh ones there and {self.fresh_outside} elsewhere"
        return f"{criterion.sentence(scheme, rival, self.threshold, more=True)} with {self.text}: {counts}."

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @property
    def confirmation(self) -> float:
        """The part of the fresh networks inside that lose less that of those outside; 0 if there are too few inside."""
        inside, outside = self.fresh_inside, self.fresh_outside
        return inside.share - outside.share if inside and outside and inside.networks >= FEWEST else 0.0

    @property
    def is_confirmed(self) -> bool:
        """Whether the check leaves little to improve."""
        return self.confirmation >= CONFIRMED

    def checked(self, inside: Sequence[float], outside: Sequence[float]) -> Rule:
        """With the losses in fresh networks."""
        counts = [Count.of(losses, self.threshold) for losses in (inside, outside)]
        return replace(self, fresh_inside=counts[0], fresh_outside=counts[1])


def threshold_for(losses: Sequence[float], largest: float) -> float | None:
    """The loss about which a rule speaks: at most half of the largest one, and exceeded in several networks."""
    fitting = (loss for loss in LOSSES if loss <= largest / 2 and sum(each > loss for each in losses) >= FEWEST)
    return next(fitting, None)


def find_rule(networks: Sequence[Network], losses: Sequence[float], threshold: float) -> Rule | None:
    """The rule that separates the networks with a larger loss from the others best; None if nothing does."""
    losing = np.array(losses) > threshold
    conditions = list(_conditions(networks))
    if losing.all() or not losing.any() or not conditions:
        return None
    met = np.array([[condition.holds(network) for network in networks] for condition in conditions], dtype=float)
    chosen = _chosen(met, losing)
    if not chosen:
        return None
    is_inside = met[chosen].all(axis=0)
    inside, outside = (Count(int(losing[side].sum()), int(side.sum())) for side in (is_inside, ~is_inside))
    return Rule(tuple(conditions[number] for number in chosen), threshold, inside, outside)


def _chosen(met: Array, losing: npt.NDArray[np.bool_]) -> list[int]:
    """The numbers of the conditions of the best box; `met` has a row of zeros and ones for each condition."""
    box = np.ones(len(losing))
    grade = float(_grades(losing.sum(), len(losing), losing.sum()))
    chosen: list[int] = []
    pairs = _grades((met * losing) @ met.T, met @ met.T, losing.sum())
    singles = np.diag(pairs)
    if pairs.max() >= singles.max() + LEAST_GAIN:
        first, second = np.unravel_index(pairs.argmax(), pairs.shape)
        if pairs.max() >= grade + LEAST_GAIN:
            chosen, grade = [int(first), int(second)], float(pairs.max())
            box = met[first] * met[second]
    while len(chosen) < MOST_CONDITIONS:
        grades = _grades((met * box) @ losing, met @ box, losing.sum())
        if grades.max() < grade + LEAST_GAIN:
            break
        chosen, grade = [*chosen, int(grades.argmax())], float(grades.max())
        box = box * met[chosen[-1]]
    return chosen


def _grades(losing_inside: Any, inside: Any, losing: Any) -> Any:
    """The F measure of boxes: (1 + b²) P R / (b² P + R), 0 of an empty one."""
    return (1 + BETA**2) * losing_inside / (BETA**2 * losing + inside)


def _conditions(networks: Sequence[Network]) -> Iterator[Condition]:
    """The conditions on one quantity: thresholds with one or two digits in the range of the networks."""
    for name in QUANTITIES:
        values = [getattr(network, name) for network in networks]
        if name in COORDINATES and COORDINATES[name].choices:
            yield from (Condition(name, "=", choice) for choice in COORDINATES[name].choices)
            continue
        positive = sorted(value for value in values if value > 0)
        marks = {float(f"{positive[len(positive) * part // 20]:.1g}") for part in range(20)} if positive else set()
        marks |= {2.0, 3.0, 4.0} if name == "flows" else set()
        for mark in sorted(marks):
            for side in "<>":
                condition = Condition(name, side, mark)
                if 0 < sum(map(condition.holds, networks)) < len(networks):
                    yield condition
