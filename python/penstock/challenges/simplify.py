"""Shrinks a network to the simplest one in which the loss persists: fewest flows, usual and round values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from penstock.challenges.bench import Bench, Trial
from penstock.challenges.network import COORDINATES, Network

__all__ = ["KEPT", "simplified"]

KEPT = 0.8
"""Part of the loss that the simplest network keeps."""

ORDER = ("udp", "short", "far", "ecn", "control", "flows", "buffer", "rtt", "rate")

PASSES = 2

USUAL, NEAREST = 2, 2
"""How many values of a coordinate are tried: the most usual ones, and those nearest to the present one."""


def simplified(bench: Bench, trial: Trial, criterion: str, rival: int, seeds: range) -> Trial:
    """The simplest network with at least `KEPT` of a trial's loss in a criterion, compared with a rival."""
    needed = KEPT * trial.loss(criterion, rival).mean
    for _ in range(PASSES):
        before = trial.network
        for name in ORDER:
            for network in _simpler(trial.network, name):
                if bench.events(network) is None:
                    continue
                (candidate,) = bench.measure([network], seeds)
                loss = candidate.loss(criterion, rival)
                if loss.mean >= needed and (loss.low or 0) > 0:
                    trial = candidate
                    break
        if trial.network == before:
            break
    return trial


def _simpler(network: Network, name: str) -> Iterator[Network]:
    """The networks with a simpler value of a coordinate, the simplest one first.

    A number of flows may only become smaller. Of other numbers the `USUAL` first ones and the nearest ones are tried.
    """
    coordinate, value = COORDINATES[name], getattr(network, name)
    values: Sequence[Any] = coordinate.choices or coordinate.simple
    if value in values:
        values = values[: values.index(value)]
    if name == "flows":
        values = [count for count in values if count < value]
    elif not coordinate.choices:
        nearest = sorted(values[USUAL:], key=lambda choice: abs(choice - value))[:NEAREST]
        values = [*values[:USUAL], *nearest]
    for choice in values:
        changed = network.changed(name, choice)
        if changed.is_within_bounds:
            yield changed
