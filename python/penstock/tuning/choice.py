"""The choice among measured settings that meet the aims: defaults before rules, and rules before searched settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penstock.results.metrics import find_metric
from penstock.tuning.aim import TINY, Aim, are_weighted
from penstock.tuning.bench import MeasuredSetting

__all__ = [
    "ENOUGH",
    "MATERIAL",
    "SuccessCount",
    "attainable_networks",
    "choose_setting",
    "count_successes",
    "is_materially_better",
    "relative_gain",
]

ENOUGH = 0.95
"""Required success of an advised setting, as a share of the networks on which any setting meets the aims."""

MATERIAL = 0.05
"""Smallest relative difference of a metric that counts."""

MIN_DIFFERENCE = {"time": 1e-3, "share": 1e-3}
"""Smallest absolute difference that counts, by quantity: 1 ms, and 0.1 percentage points."""


@dataclass(frozen=True)
class SuccessCount:
    """The number of networks on which a setting meets all aims.

    Attributes: met: networks on which this setting meets all aims. attainable: networks on which any acceptable setting
    does so. total: all networks.

    """

    met: int
    attainable: int
    total: int

    @property
    def is_sufficient(self) -> bool:
        """Whether the aims are attainable on at least half of the networks, and it meets them on 95 % of those.

        The required number of networks is rounded down.
        """
        return 2 * self.attainable >= self.total and self.met >= math.floor(ENOUGH * self.attainable)

    @property
    def text(self) -> str:
        """The numbers in words."""
        if self.attainable == self.total:
            return f"on {self.met} of {self.total} random variations of the scenario"
        rest = (
            f"on the other {self.total - self.met}, no acceptable setting does"
            if self.met == self.attainable
            else f"on {self.attainable}, at least one acceptable setting does"
        )
        return f"on {self.met} of {self.total} random variations of the scenario; {rest}"


def attainable_networks(all_measured: Sequence[MeasuredSetting]) -> npt.NDArray[np.bool_]:
    """For each network, whether any setting meets every aim there."""
    return np.asarray(np.logical_or.reduce([measured.meets_all_aims for measured in all_measured]))


def count_successes(measured: MeasuredSetting, all_measured: Sequence[MeasuredSetting]) -> SuccessCount:
    """The success of a setting among all settings that were measured on the same networks."""
    possible = attainable_networks(all_measured)
    return SuccessCount(int((measured.meets_all_aims & possible).sum()), int(possible.sum()), len(possible))


def choose_setting(
    all_measured: Sequence[MeasuredSetting], aims: Sequence[Aim], place: str, departures: Mapping[str, float]
) -> MeasuredSetting:
    """The setting to advise, of settings measured on the same networks; `departures` from the defaults are by label.

    Of the settings that meet the aims on enough networks, the present queue comes first, then published defaults,
    published rules, and searched settings. Within a kind, the best score wins; if all aims have bounds, the searched
    setting with the smallest departure wins. A later kind replaces an earlier one only if it is materially better in an
    aim without a bound. A default also replaces the present queue if it is materially better in an aim with a bound.

    If no setting meets the aims on enough networks, the best score wins. Searched settings count only if no other meets
    the aims on at least 95 % of the networks of the best one.
    """
    enough = [measured for measured in all_measured if count_successes(measured, all_measured).is_sufficient]
    candidates = [measured for measured in enough if measured.setting.origin != "reference"]
    if not candidates:
        requested = [measured for measured in all_measured if measured.setting.origin != "reference"]
        return _closest(requested)
    unbounded_aims = [aim for aim in aims if not aim.has_bound]
    kinds = [_best_of_kind(candidates, kind, aims, place) for kind in range(3)]
    searched = [each for each in candidates if _kind(each) == SEARCHED]
    distance = {each.setting.label: 0.0 if unbounded_aims else departures[each.setting.label] for each in searched}
    kinds.append(min(searched, key=lambda each: (distance[each.setting.label], each.mean_score), default=None))
    chosen, *later = [best for best in kinds if best is not None]
    for other in later:
        judged = aims if chosen.setting.origin == "present" and _kind(other) == 1 else unbounded_aims
        better = (
            _is_cheaper(other, chosen) if are_weighted(aims) else is_materially_better(other, chosen, judged, place)
        )
        if better:
            chosen = other
    return chosen


def _closest(all_measured: Sequence[MeasuredSetting]) -> MeasuredSetting:
    """The setting that comes closest to the aims, if none meets them on enough networks; see `choose_setting`."""
    most = max(int(each.meets_all_aims.sum()) for each in all_measured)
    close = [each for each in all_measured if each.meets_all_aims.sum() >= math.floor(ENOUGH * most)]
    return min(close, key=lambda each: (most > 0 and _kind(each) == SEARCHED, each.mean_score))


def _is_cheaper(other: MeasuredSetting, measured: MeasuredSetting) -> bool:
    """Whether another setting is materially better by weighted aims, whose cost is the logit of the score."""
    costs = [float(np.mean(np.log(each.scores / np.maximum(1 - each.scores, TINY)))) for each in (measured, other)]
    return costs[0] - costs[1] > MATERIAL


def _kind(measured: MeasuredSetting) -> int:
    origin = measured.setting.origin
    return {"present": 0, "default": 1, "given": 1, "searched": SEARCHED}.get(origin, 2)


SEARCHED = 3


def _best_of_kind(
    candidates: Sequence[MeasuredSetting], kind: int, aims: Sequence[Aim], place: str
) -> MeasuredSetting | None:
    """The best score, unless another setting is materially better in an aim and in none materially worse."""
    ordered = sorted((each for each in candidates if _kind(each) == kind), key=lambda each: each.mean_score)
    best = next(iter(ordered), None)
    for other in ordered[1:]:
        if best is not None and is_materially_better(other, best, aims, place):
            best = other
    return best


def is_materially_better(other: MeasuredSetting, measured: MeasuredSetting, aims: Sequence[Aim], place: str) -> bool:
    """Whether `other` is materially better in at least one of these aims, and materially worse in none."""
    gains = [relative_gain(other, measured, aim, place) for aim in aims]
    return any(each > 0 for each in gains) and not any(each < 0 for each in gains)


def relative_gain(other: MeasuredSetting, measured: MeasuredSetting, aim: Aim, place: str) -> float:
    """How much better `other` is in the metric of an aim, relative to `measured`; 0 if the difference is immaterial."""
    ours, theirs = (float(np.nanmean(m.values(aim.place or place, aim.metric))) for m in (measured, other))
    difference = ours - theirs if aim.side in ("<", "min") else theirs - ours
    scale = max(abs(ours), TINY)
    min_difference = MIN_DIFFERENCE.get(find_metric(aim.metric).quantity, 0.0)
    if abs(difference) <= min_difference or abs(difference) <= MATERIAL * scale:
        return 0.0
    return difference / scale
