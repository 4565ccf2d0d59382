"""The trade-off of a comparison in a sentence: which schemes no other one beats in both delay and utilization."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.results.cell import Cell, common_decimals
from penstock.results.display import Scale, decimals, is_number, joined, number, scale_for

__all__ = [
    "LARGE_LOSS",
    "Standing",
    "among_the_best",
    "conclusion",
    "costly",
    "front",
    "of_run",
    "over_settings",
    "sentence",
    "standings",
]

LARGE_LOSS = 0.05
"""Utilization below the highest one by which a scheme is told apart: a short delay is then bought with throughput."""

SAME_DELAY, SAME_UTILIZATION = 0.01, 0.001
"""Differences of means below which schemes tie if their intervals overlap."""

LITTLE = f"{100 * SAME_UTILIZATION:g} percentage points"
"""`SAME_UTILIZATION` in words."""


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


def costly(utilizations: Sequence[Cell | None]) -> dict[int, float]:
    """The schemes that lose much utilization, by index, with the share that they lose to the highest one.

    It is more than `LARGE_LOSS`, and the intervals are apart.
    """
    known = {number: cell for number, cell in enumerate(utilizations) if cell is not None}
    if not known:
        return {}
    top = max(known.values(), key=lambda cell: cell.mean)
    return {
        number: top.mean - cell.mean
        for number, cell in known.items()
        if top.mean - cell.mean > LARGE_LOSS and _apart(cell, top)
    }


def sentence(
    place: str, found: Sequence[Standing], scale: Scale | None = None, table: Sequence[Standing] | None = None
) -> str:
    """The front of the schemes that keep the link busy, those behind it, and those that lose much utilization.

    The numbers have the decimals of a table of the standings in `table`, else of those found, and delays its unit if
    `scale` gives it. A scheme behind is beaten where both differences are told apart by the intervals, else it is no
    better in either.
    """
    lost = costly([one.utilization for one in found])
    keeping, best = _keeping_and_best(found)
    behind = [one for one in keeping if one not in best]
    beaten = [one.label for one in behind if any(_beats(other, one) for other in best)]
    tied = [one.label for one in behind if one.label not in beaten]
    unit = scale or scale_for("time", [one.delay.mean for one in found])
    places = common_decimals([one.delay for one in table or found], unit.factor)
    percent_places = common_decimals([one.utilization for one in table or found], 100)

    def numbered(one: Standing) -> str:
        delay = f"{number(unit.factor * one.delay.mean, places)} {unit.unit}"
        return f"{one.label} ({delay}, {number(100 * one.utilization.mean, percent_places)} %)"

    shown = [numbered(one) for one in best]
    if len(keeping) > 1 and not any(_differ(one, other) for one in keeping for other in keeping):
        labels = [one.label for one in keeping]
        numbers = shown[0].removeprefix(f"{best[0].label} (").removesuffix(")")
        told, tied = f"{place}: {joined(labels)} tie in mean delay and utilization: {numbers}.", []
    elif len(best) == 1 and behind:
        top = (
            "and the highest utilization"
            if not _busier(behind, best)
            else f"and, within {LITTLE}, the highest utilization"
        )
        told = f"{place}: {shown[0]} has the shortest mean delay {top}"
        told += f": it beats {joined(beaten)} in both." if beaten else "."
    elif len(best) == 1:
        told = f"{place}: {shown[0]} keeps the link busy."
    else:
        told = f"{place}: a shorter mean delay costs utilization: {', '.join(shown)}."
        told += f" {joined(beaten)} {'is' if len(beaten) == 1 else 'are'} beaten in both." if beaten else ""
    more = _busier([one for one in behind if one.label in tied], best)
    less = [label for label in tied if label not in more]
    gain = "gains" if len(more) == 1 else "gain"
    told += f" {joined(more)} {gain} at most {LITTLE} of utilization by a longer delay." if more else ""
    told += f" {joined(less)} {'is' if len(less) == 1 else 'are'} no better in either." if less else ""
    if lost:
        labels = [numbered(found[at]) for at in lost]
        told += f" Utilization is more than {100 * LARGE_LOSS:g} percentage points lower with {joined(labels)}."
    return told


def _busier(behind: Sequence[Standing], best: Sequence[Standing]) -> list[str]:
    """Those behind that use the link more than all of the best, if only by `SAME_UTILIZATION`."""
    top = max(one.utilization.mean for one in best)
    return [one.label for one in behind if one.utilization.mean > top]


def of_run(place: str, numbers: Mapping[str, Any]) -> str:
    """One run's delay, loss and utilization at a link in a sentence; empty where one of them is not known."""
    names = ("delay_mean_s", "delay_p99_s", "loss_rate", "utilization")
    known = [numbers.get(name) for name in names]
    mean, tail, loss, used = (value if is_number(value) else math.nan for value in known)
    if not all(math.isfinite(value) for value in (mean, tail, loss, used)):
        return ""
    scale = scale_for("time", [mean, tail])
    places = decimals([scale.factor * tail], [tail * scale.factor / 100])
    delays = [f"{number(scale.factor * value, places)} {scale.unit}" for value in (mean, tail)]
    return (
        f"{place}: packets wait {delays[0]} on average, 99 % of them at most {delays[1]};"
        f" {number(100 * loss, 2)} % are lost, and the link is {number(100 * used, 1)} % used."
    )


def _keeping_and_best(standings: Sequence[Standing]) -> tuple[list[Standing], list[Standing]]:
    """The schemes that keep the link busy, and the front of these, from the shortest delay."""
    lost = costly([one.utilization for one in standings])
    keeping = [one for number, one in enumerate(standings) if number not in lost]
    return keeping, _worth_their_delay(sorted(front(keeping), key=lambda one: one.delay.mean))


def _worth_their_delay(by_delay: Sequence[Standing]) -> list[Standing]:
    """The standings, from the shortest delay, without those that buy less than `SAME_UTILIZATION` with a longer one."""
    kept: list[Standing] = []
    for one in by_delay:
        if not kept or one.utilization.mean - kept[-1].utilization.mean > SAME_UTILIZATION:
            kept.append(one)
    return kept


def _apart(one: Cell, other: Cell) -> bool:
    """Whether the intervals do not overlap; of single runs, whether the values differ."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return one.mean != other.mean
    return one.high < other.low or other.high < one.low


def _differ(one: Standing, other: Standing) -> bool:
    """Whether the intervals tell them apart, or the means differ by 1 % of the delay or 0.1 % of the link."""
    if _apart(one.delay, other.delay) or _apart(one.utilization, other.utilization):
        return True
    far = abs(one.delay.mean - other.delay.mean) > SAME_DELAY * max(one.delay.mean, other.delay.mean)
    return far or abs(one.utilization.mean - other.utilization.mean) > SAME_UTILIZATION


def _beats(one: Standing, other: Standing) -> bool:
    """Whether both differences are told apart, in favour of the first."""
    return (
        one.delay.mean < other.delay.mean
        and one.utilization.mean > other.utilization.mean
        and _apart(one.delay, other.delay)
        and _apart(one.utilization, other.utilization)
    )


def standings(labels: Sequence[str], cell: Callable[[int, str], Cell | None]) -> dict[int, Standing]:
    """The standings of the schemes with both metrics at one place and point, by index; `cell(scheme, metric)`."""
    found = {}
    for scheme, label in enumerate(labels):
        delay, utilization = cell(scheme, "delay_mean_s"), cell(scheme, "utilization")
        if delay is not None and utilization is not None:
            found[scheme] = Standing(label, delay, utilization)
    return found


def conclusion(
    place: str, found: Mapping[int, Standing], scale: Scale | None = None, table: Sequence[Standing] | None = None
) -> str:
    """The `sentence` for a place with several schemes; empty for one scheme."""
    return sentence(place, list(found.values()), scale, table) if len(found) > 1 else ""


def among_the_best(found: Mapping[int, Standing]) -> list[int]:
    """The schemes that keep the link busy with no other one better in both, or not to be told from such a one.

    `sentence` names them first. They are given by their index; a scheme alone is not compared.
    """
    if len(found) < 2:
        return []
    keeping, best = _keeping_and_best(list(found.values()))
    tied = [one for one in keeping if any(not _differ(one, other) for other in best)]
    return [scheme for scheme, one in found.items() if one in best or one in tied]


def over_settings(labels: Sequence[str], best: Sequence[Sequence[int]]) -> str:
    """At how many settings each scheme is among the best, from most to fewest.

    >>> over_settings(["red", "pie", "codel"], [[1], [1, 2], [1]])
    'By mean delay and utilization, pie is among the best at all 3 settings, codel at 1, red at none.'
    """
    counts = {label: sum(scheme in one for one in best) for scheme, label in enumerate(labels)}
    named = {count: [label for label in labels if counts[label] == count] for count in sorted(counts.values())}
    (first, leaders), *others = sorted(named.items(), reverse=True)
    told = f"{joined(leaders)} {'is' if len(leaders) == 1 else 'are'} among the best"
    of_all = f"all {len(best)} settings" if first == len(best) else f"{first} of {len(best)} settings"
    rest = "".join(f", {joined(schemes)} at {count or 'none'}" for count, schemes in others)
    return f"By mean delay and utilization, {told} at {of_all}{rest}."
