"""The search for the network where a scheme loses most: an even sample of the space, then steps from its worst points.

The sample is a Latin hypercube: McKay, Beckman, Conover, "A comparison of three methods for selecting values of input
variables in the analysis of output from a computer code", Technometrics 21(2), 1979.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from penstock.challenges.bench import Bench, Trial
from penstock.challenges.network import COORDINATES, Network, drawn

__all__ = ["SEARCH_RUNS", "Search", "sampled"]

SEARCH_RUNS = 2
"""Runs of a scheme in a network; the smallest loss counts."""

PER_ROUND = 24
"""Networks of a round."""

PARENTS = 6
"""The worst networks, from which the next round departs."""

REDRAWN = 0.5
"""Probability that a step redraws one coordinate."""

MOVED = 0.4
"""Probability that a coordinate is moved in any other step."""

STEP = 0.2
"""Standard deviation of the first step, in parts of the range; it halves every `HALVED` rounds."""

HALVED = 8

Place = dict[str, float]


@dataclass
class Search:
    """A search, with the networks that it has tried.

    Attributes:
        bench: measures the networks.
        on: the coordinates that are never off.
        seed: first seed of the runs, and the seed of the choices.
        tried: the networks with their places, in the order in which they were tried.

    """

    bench: Bench
    on: frozenset[str]
    seed: int
    tried: list[tuple[Place, Trial]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def sample(self, count: int) -> None:
        """Try networks that are spread evenly over the space."""
        self._try(sampled(self.rng, count))

    def refine(self, rounds: int) -> None:
        """Try networks near the worst ones."""
        for number in range(rounds):
            worst = sorted(self.tried, key=lambda entry: -entry[1].score)[:PARENTS]
            step = STEP * 0.5 ** (number / HALVED)
            self._try([self._moved(worst[child % len(worst)][0], step) for child in range(PER_ROUND)])

    def _moved(self, place: Place, step: float) -> Place:
        """A place near another one: a step in some coordinates, or any value of one coordinate."""
        moved = dict(place)
        if self.rng.random() < REDRAWN:
            moved[str(self.rng.choice(list(place)))] = float(self.rng.random())
            return moved
        steps = self.rng.normal(0, step, len(place)) * (self.rng.random(len(place)) < MOVED)
        for name, move in zip(place, steps, strict=True):
            reflected = abs(place[name] + float(move))
            moved[name] = min(reflected, max(0.0, 2 - reflected))
        return moved

    def _try(self, places: list[Place]) -> None:
        """Measure the networks at these places, except those that are known or that a scheme refuses."""
        known = {trial.network for _, trial in self.tried}
        by_network: dict[Network, Place] = {}
        for place in places:
            network = drawn(place, self.on)
            if network not in known and self.bench.events(network) is not None:
                by_network.setdefault(network, place)
        trials = self.bench.measure(list(by_network), range(self.seed, self.seed + SEARCH_RUNS))
        self.tried += zip(by_network.values(), trials, strict=True)


def sampled(rng: np.random.Generator, count: int) -> list[Place]:
    """Places of a Latin hypercube."""
    columns = {name: (rng.permutation(count) + rng.random(count)) / count for name in COORDINATES}
    return [{name: float(column[row]) for name, column in columns.items()} for row in range(count)]
