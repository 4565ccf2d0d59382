"""Simplify a network while most of its deficit persists: fewer flows, usual and round values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.challenges.bench import ChallengeBench, Trial
from penstock.challenges.network import COORDINATES, Network

__all__ = ["MIN_KEPT_DEFICIT", "simplify"]

MIN_KEPT_DEFICIT = 0.8
"""Smallest fraction of the deficit that the simplest network keeps (own decision): its order of magnitude remains."""

ORDER = ("udp", "short", "far", "ecn", "control", "flows", "buffer", "rtt", "rate")
"""Order in which the coordinates are simplified: first those that remove a part of the scenario."""

MAX_PASSES = 2
"""Passes over all coordinates: a simpler value can become possible by a later change. Own decision: once is enough."""

RACING_RUNS = 2
"""Runs per scheme after which a network with too small a deficit is given up: as in the search."""

USUAL_COUNT, NEAREST_COUNT = 2, 2
"""Number of values tried per coordinate: the most usual ones, and the ones nearest to the present value.

Own decision: a network costs a tenth of a second, and nine coordinates with four values are tried twice."""


def simplify(
    bench: ChallengeBench, trial: Trial, criterion: str, rival: int, seeds: range, share: float = math.inf
) -> Trial:
    """The trial of the simplest network that keeps `MIN_KEPT_DEFICIT` of a trial's deficit; its interval is above zero.

    Networks whose runs exceed this share of the budget are not tried.
    """
    needed = MIN_KEPT_DEFICIT * trial.deficit(criterion, rival).mean
    for _ in range(MAX_PASSES):
        before = trial.network
        for name in ORDER:
            for network in _simpler_networks(trial.network, name):
                if bench.estimated_events(network) is None or not bench.affordable_networks(
                    [network], len(seeds), share
                ):
                    continue
                (first,) = bench.measure([network], seeds[:RACING_RUNS])
                if first.deficit(criterion, rival).mean < needed:
                    continue
                (others,) = bench.measure([network], seeds[RACING_RUNS:])
                candidate = first.with_runs_of(others)
                deficit = candidate.deficit(criterion, rival)
                if deficit.mean >= needed and (deficit.low or 0) > 0:
                    trial = candidate
                    break
        if trial.network == before:
            break
    return trial


def _simpler_networks(network: Network, name: str) -> Iterator[Network]:
    """The networks with a simpler value of a coordinate, the simplest first.

    The number of flows may only decrease. Of other numbers, the most usual values and then the nearest ones are tried.
    """
    coordinate, value = COORDINATES[name], getattr(network, name)
    values: Sequence[Any] = coordinate.choices or coordinate.simple_values
    if value in values:
        values = values[: values.index(value)]
    if name == "flows":
        values = [count for count in values if count < value]
    elif not coordinate.choices:
        nearest = sorted(values[USUAL_COUNT:], key=lambda choice: abs(choice - value))[:NEAREST_COUNT]
        values = [*values[:USUAL_COUNT], *nearest]
    for choice in values:
        changed = network.with_coordinate(name, choice)
        if changed.is_within_bounds:
            yield changed
