"""Search for the network with the largest deficit: an even sample of the space, then steps from its worst points.

The sample is a Latin hypercube: McKay, Beckman, Conover, "A comparison of three methods for selecting values of input
variables in the analysis of output from a computer code", Technometrics 21(2), 1979.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from penstock.challenges.bench import ChallengeBench, Trial
from penstock.challenges.network import COORDINATES, Network, network_at

__all__ = ["SEARCH_RUNS", "NetworkSearch", "Point", "latin_hypercube"]

SEARCH_RUNS = 2
"""Runs per scheme and network; the smallest deficit counts.

The minimum for a deficit that does not depend on a single seed. The confirmation has more."""

PER_ROUND, MAX_ROUNDS = 24, 40
"""Networks per round, and the maximum number of rounds.

Own decision: four steps from each parent. In the last round, a move has shrunk to 0.7 % of the range."""

PARENTS = 6
"""Number of worst networks from which the steps of a round start.

Own decision: several, so that the search does not end in the first region of deficits."""

REDRAW_PROBABILITY = 0.5
"""Probability that a step draws one coordinate again; otherwise it moves some of the coordinates.

Own decision: as many steps away from a region as within it."""

MOVE_PROBABILITY = 0.4
"""Probability that a step of the second kind moves a coordinate.

Own decision: of the nine coordinates, a step moves between three and four on average."""

FIRST_STEP = 0.2
"""Standard deviation of a move in the first round, as a fraction of the range; it halves every `HALVING_ROUNDS`.

Own decision: a fifth of a logarithmic range of three decades is a factor of four."""

HALVING_ROUNDS = 8
"""Rounds after which the steps have halved. Own decision: five times within `MAX_ROUNDS`."""

Point = dict[str, float]
"""A point of the unit cube: a number from 0 to 1 for each coordinate."""


@dataclass
class NetworkSearch:
    """A search and the trials of its networks.

    Attributes:
        bench: measures the networks.
        never_off: names of the coordinates that are never off.
        seed: first seed of the runs, and seed of the random choices.
        entries: points with the trials of their networks, in the order of the search.

    """

    bench: ChallengeBench
    never_off: frozenset[str]
    seed: int
    entries: list[tuple[Point, Trial]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def sample(self, count: int) -> None:
        """Measure networks that are spread evenly over the space."""
        self._measure_new(latin_hypercube(self.rng, count))

    def refine_worst(self, share: float) -> None:
        """Measure networks near the worst ones until this share of the budget is spent."""
        for number in range(MAX_ROUNDS):
            worst = sorted(self.entries, key=lambda entry: -entry[1].score)[:PARENTS]
            step = FIRST_STEP * 0.5 ** (number / HALVING_ROUNDS)
            steps = [self._step_from(worst[child % len(worst)][0], step) for child in range(PER_ROUND)]
            if not self._measure_new(steps, share):
                break

    def _step_from(self, point: Point, step: float) -> Point:
        """A copy of a point in which some coordinates are moved, or one is drawn again."""
        moved = dict(point)
        if self.rng.random() < REDRAW_PROBABILITY:
            moved[str(self.rng.choice(list(point)))] = float(self.rng.random())
            return moved
        steps = self.rng.normal(0, step, len(point)) * (self.rng.random(len(point)) < MOVE_PROBABILITY)
        for name, change in zip(point, steps, strict=True):
            reflected = abs(point[name] + float(change))
            moved[name] = min(reflected, max(0.0, 2 - reflected))
        return moved

    def _measure_new(self, points: list[Point], share: float = math.inf) -> bool:
        """Measure the networks at these points; skip networks measured before and networks that a scheme refuses.

        Return whether all of them fit into this share of the budget; those that do not are left out.
        """
        measured = {trial.network for _, trial in self.entries}
        new_points: dict[Network, Point] = {}
        for point in points:
            network = network_at(point, self.never_off)
            if network not in measured and self.bench.estimated_events(network) is not None:
                new_points.setdefault(network, point)
        networks = self.bench.affordable_networks(list(new_points), SEARCH_RUNS, share)
        trials = self.bench.measure(networks, range(self.seed, self.seed + SEARCH_RUNS))
        self.entries += [(new_points[trial.network], trial) for trial in trials]
        return len(networks) == len(new_points)


def latin_hypercube(rng: np.random.Generator, count: int) -> list[Point]:
    """The points of a Latin hypercube: each of `count` equal intervals of a coordinate has one point."""
    columns = {name: (rng.permutation(count) + rng.random(count)) / count for name in COORDINATES}
    return [{name: float(column[row]) for name, column in columns.items()} for row in range(count)]
