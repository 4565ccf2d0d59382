"""The trade-off of a comparison in a sentence: which schemes no other one beats in both delay and utilization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penstock.results.cell import Cell
from penstock.results.display import decimals, number, scale_for

__all__ = ["Standing", "conclusion", "front", "sentence"]


@dataclass(frozen=True)
class Standing:
    """A scheme's queueing delay and utilization, means with their 95 % intervals."""

    label: str
    delay: Cell
    utilization: Cell


def front(standings: Sequence[Standing]) -> list[Standing]:
    """The schemes that no other one beats: none has both a shorter delay and a higher utilization, by the means."""
    return [
        one
        for one in standings
        if not any(
            other.delay.mean <= one.delay.mean
            and other.utilization.mean >= one.utilization.mean
            and (other.delay.mean < one.delay.mean or other.utilization.mean > one.utilization.mean)
            for other in standings
        )
    ]


def sentence(place: str, standings: Sequence[Standing]) -> str:
    """The front from the shortest delay to the highest utilization, and the schemes behind it."""
    best = sorted(front(standings), key=lambda one: one.delay.mean)
    behind = [one.label for one in standings if one not in best]
    scale = scale_for("time", [one.delay.mean for one in standings])
    delays = [scale.factor * one.delay.mean for one in standings]
    places = min(decimals(delays, [max(delays) / 1000]), 2)
    shown = [
        f"{one.label} ({number(scale.factor * one.delay.mean, places)} {scale.unit}, "
        f"{number(100 * one.utilization.mean, 1)} %)"
        for one in best
    ]
    if len(best) == 1:
        rest = f": it beats {_listed(behind)} in both" if behind else ""
        return f"{place}: {shown[0]} has the shortest mean delay and the highest utilization{rest}."
    rest = f" {_listed(behind)} {'is' if len(behind) == 1 else 'are'} beaten in both." if behind else ""
    return f"{place}: mean delay trades for utilization, from {_listed(shown)}.{rest}"


def conclusion(
    labels: Sequence[str], places: Sequence[str], cell: Callable[[int, str, str], Cell | None], point: str = ""
) -> str:
    """The sentence for the first place that has both metrics of several schemes; `cell(scheme, place, metric)`.

    `point` follows the place, such as " at flows = 5" where the cells are those of one point of a sweep.
    """
    for place in places:
        standings = []
        for scheme, label in enumerate(labels):
            delay, utilization = cell(scheme, place, "delay_mean_s"), cell(scheme, place, "utilization")
            if delay is not None and utilization is not None:
                standings.append(Standing(label, delay, utilization))
        if len(standings) > 1:
            return sentence(place + point, standings)
    return ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
