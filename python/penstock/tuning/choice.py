"""The choice among measured settings: of those that meet all aims, the one that departs least from a default."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penstock.results.metrics import metric
from penstock.tuning.aim import Aim, weighted
from penstock.tuning.bench import Measured

__all__ = ["ENOUGH", "MATERIAL", "Success", "attainable", "best_of", "gain", "is_material", "success"]

ENOUGH = 0.95
"""Share of the networks on which some setting meets the aims, where an advised setting has to meet them too."""

MATERIAL = 0.05
"""A difference of a metric that counts, as a part of it, beside the least differences that follow."""

LEAST_DIFFERENCE = {"time": 1e-3, "share": 1e-3}
"""1 ms, and 0.1 percentage points."""


@dataclass(frozen=True)
class Success:
    """On how many networks a setting meets the aims.

    Attributes:
        met: networks on which it does.
        attainable: networks on which any measured setting does.
        of: all networks.

    """

    met: int
    attainable: int
    of: int

    @property
    def is_enough(self) -> bool:
        """Whether the aims can be met on at least half of the networks, and it meets them nearly wherever one can."""
        return 2 * self.attainable >= self.of and self.met >= math.floor(ENOUGH * self.attainable)

    @property
    def text(self) -> str:
        """In words."""
        if self.attainable == self.of:
            return f"on {self.met} of {self.of} networks drawn around this one"
        return (
            f"on {self.met} of the {self.attainable} networks drawn around this one (of {self.of}) "
            "where any setting tried does"
        )


def attainable(all_measured: Sequence[Measured]) -> npt.NDArray[np.bool_]:
    """Of each network, whether some setting meets every aim there."""
    return np.asarray(np.logical_or.reduce([measured.meets for measured in all_measured]))


def success(measured: Measured, all_measured: Sequence[Measured]) -> Success:
    """On how many of the networks a setting meets the aims, beside the others that met the same networks."""
    possible = attainable(all_measured)
    return Success(int((measured.meets & possible).sum()), int(possible.sum()), len(possible))


def best_of(
    all_measured: Sequence[Measured], aims: Sequence[Aim], place: str, departures: Mapping[str, float]
) -> Measured:
    """The setting to advise; all met the same networks. `departures` are those from the defaults, by label.

    Of those that meet the aims, published defaults come before published rules, and rules before searched settings.
    Within a kind the best score wins; of searched settings for aims with bounds, the smallest departure. A later kind
    is preferred only if the best of an earlier one is materially worse in an aim without a bound, and the present queue
    stays unless a default is materially better in an aim.
    """
    enough = [measured for measured in all_measured if success(measured, all_measured).is_enough]
    candidates = [measured for measured in enough if measured.setting.origin != "reference"]
    if not candidates:
        own = [measured for measured in all_measured if measured.setting.origin != "reference"]
        return min(own, key=lambda each: (-success(each, all_measured).met, each.score))
    open_aims = [aim for aim in aims if not aim.bounded]
    kinds = [_best_of_kind(candidates, kind, aims, place) for kind in range(3)]
    searched = [each for each in candidates if _kind(each) == SEARCHED]
    least = {each.setting.label: 0.0 if open_aims else departures[each.setting.label] for each in searched}
    kinds.append(min(searched, key=lambda each: (least[each.setting.label], each.score), default=None))
    chosen, *later = [best for best in kinds if best is not None]
    for other in later:
        judged = aims if chosen.setting.origin == "present" and _kind(other) == 1 else open_aims
        better = _is_cheaper(other, chosen) if weighted(aims) else is_material(other, chosen, judged, place)
        if better:
            chosen = other
    return chosen


def _is_cheaper(other: Measured, measured: Measured) -> bool:
    """Whether another setting is materially better by weighted aims; their cost is the logit of the score."""
    costs = [float(np.mean(np.log(each.scores / np.maximum(1 - each.scores, TINY)))) for each in (measured, other)]
    return costs[0] - costs[1] > MATERIAL


TINY = 1e-12
"""The least value whose logarithm is taken."""


def _kind(measured: Measured) -> int:
    origin = measured.setting.origin
    return {"present": 0, "default": 1, "given": 1, "searched": SEARCHED}.get(origin, 2)


SEARCHED = 3


def _best_of_kind(candidates: Sequence[Measured], kind: int, aims: Sequence[Aim], place: str) -> Measured | None:
    """The best score, unless another setting is materially better in an aim and in none materially worse."""
    ordered = sorted((each for each in candidates if _kind(each) == kind), key=lambda each: each.score)
    best = next(iter(ordered), None)
    for other in ordered[1:]:
        if best is not None and is_material(other, best, aims, place):
            best = other
    return best


def is_material(other: Measured, measured: Measured, aims: Sequence[Aim], place: str) -> bool:
    """Whether another setting is materially better in one of these aims, and materially worse in none."""
    gains = [gain(other, measured, aim, place) for aim in aims]
    return any(each > 0 for each in gains) and not any(each < 0 for each in gains)


def gain(other: Measured, measured: Measured, aim: Aim, place: str) -> float:
    """How much better the other is in the metric of an aim, as a part; 0 where the difference does not count."""
    key = (aim.place or place, aim.metric)
    ours, theirs = float(np.nanmean(measured.values[key])), float(np.nanmean(other.values[key]))
    difference = ours - theirs if aim.side in ("<", "min") else theirs - ours
    scale = max(abs(ours), 1e-12)
    least = LEAST_DIFFERENCE.get(metric(aim.metric).quantity, 0.0)
    if abs(difference) <= least or abs(difference) <= MATERIAL * scale:
        return 0.0
    return difference / scale
