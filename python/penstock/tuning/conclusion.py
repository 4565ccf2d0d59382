"""The conclusion: the advised setting, its gain over the present queue, and what tuning would add."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from penstock.results.display import join_with_and
from penstock.results.metrics import find_metric
from penstock.tuning.aim import Aim
from penstock.tuning.bench import MeasuredSetting, Setting
from penstock.tuning.choice import SuccessCount, count_successes, is_materially_better, relative_gain
from penstock.tuning.unmet import metric_text

__all__ = ["conclusion_sentences", "gain_text"]

IDLE_DELAY_S, IDLE_LOSS = 1e-3, 1e-3
"""Below both the 99th percentile of the queueing delay and the loss rate, a link is not congested."""


def conclusion_sentences(
    best: MeasuredSetting,
    success: SuccessCount,
    others: Sequence[MeasuredSetting],
    aims: Sequence[Aim],
    place: str,
    meeting_unchanged: Collection[str] = (),
) -> Iterable[str]:
    """Sentences for advice that meets its aims.

    `meeting_unchanged` are the labels of the settings that meet the aims on the unchanged scenario.
    """
    present = next((each for each in [best, *others] if each.setting.origin == "present"), None)
    bounded = [aim.text for aim in aims if aim.has_bound]
    if best is present:
        yield from _of_present(best, bounded, success, place)
    else:
        text = gain_text(best, present, aims, place) if present is not None else None
        yield f"{setting_name(best.setting)} {text or _meets(bounded)}."
        if bounded and text:
            yield f"It meets {join_with_and(bounded)} {success.text}."
        elif bounded:
            yield f"It does so {success.text}."
    yield _of_tuning(best, others, aims, place, meeting_unchanged)


def _meets(bounded: Sequence[str]) -> str:
    return f"meets {join_with_and(bounded)}" if bounded else "meets the aim best"


def _of_present(best: MeasuredSetting, bounded: Sequence[str], success: SuccessCount, place: str) -> Iterable[str]:
    """Sentences for a present queue that is good enough, with the numbers of a link that is not congested."""
    used, delay, loss = (
        float(np.nanmean(best.values(place, name))) for name in ("utilization", "delay_p99_s", "loss_rate")
    )
    if delay < IDLE_DELAY_S and loss < IDLE_LOSS:
        yield (
            f"{place} is not congested: its utilization is {100 * used:.0f} %, the 99th percentile of its queueing "
            f"delay is {metric_text('delay_p99_s', delay)}, and its loss rate is {100 * loss:.2g} %. Change nothing "
            "here; look for the bottleneck on the links behind it, such as subscriber lines."
        )
    else:
        yield f"The present queue, {best.setting.label}, {_meets(bounded)} {success.text}. Change nothing."


def setting_name(setting: Setting) -> str:
    """The name of a setting inside a sentence."""
    if setting.origin == "default":
        return f"{setting.label} at its defaults"
    if setting.is_rule:
        return f"{setting.label} ({setting.origin.partition(':')[0]})"
    return setting.label


def gain_text(best: MeasuredSetting, present: MeasuredSetting, aims: Sequence[Aim], place: str) -> str | None:
    """The largest gain among the metrics of the aims, as a verb phrase; None if no metric improves materially."""
    gains = {aim: relative_gain(best, present, aim, place) for aim in aims}
    if not gains or max(gains.values()) <= 0:
        return None
    aim = max(gains, key=lambda each: gains[each])
    before, after = (float(np.nanmean(each.values(aim.place or place, aim.metric))) for each in (present, best))
    verb = "cuts" if after < before else "raises"
    numbers = f"{metric_text(aim.metric, before)} to {metric_text(aim.metric, after)}"
    where = f" of {aim.place}" if aim.place and aim.place != place else ""
    return f"{verb} the {_in_words(find_metric(aim.metric).title)}{where} from {numbers}"


def _in_words(title: str) -> str:
    """The title of a metric inside a sentence.

    >>> _in_words("One-way delay, 99th percentile"), _in_words("Loss rate")
    ('99th percentile of the one-way delay', 'loss rate')
    """
    first, _, statistic = (title[0].lower() + title[1:]).partition(", ")
    return f"{statistic} of the {first}" if statistic else first


def _of_tuning(
    best: MeasuredSetting,
    others: Sequence[MeasuredSetting],
    aims: Sequence[Aim],
    place: str,
    meeting_unchanged: Collection[str],
) -> str:
    """Sentences on what the best searched setting would add, or on how close the others come to it."""
    searched = [each for each in others if each.setting.origin == "searched"]
    if best.setting.origin == "searched":
        untuned = [each for each in others if each.setting.origin not in ("searched", "reference")]
        nearest = min(untuned, key=lambda each: (-int(each.meets_all_aims.sum()), each.mean_score))
        networks = count_successes(nearest, [best, *others])
        if networks.is_sufficient:
            return f"Of the defaults and rules, {nearest.setting.label} comes closest, but misses aims in the search."
        label = nearest.setting.label
        unchanged = f" On the unchanged scenario, {label} meets the aims." if label in meeting_unchanged else ""
        return (
            f"None of the tried defaults and published rules achieves this; {label} comes closest, {networks.text}."
            f"{unchanged}"
        )
    better = [each for each in searched if is_materially_better(each, best, aims, place)]
    if not better:
        return "Tuning brings no further improvement."
    best_searched = min(better, key=lambda each: each.mean_score)
    text = gain_text(best_searched, best, aims, place)
    return f"Tuning would improve this further: {best_searched.setting.label} {text}."
