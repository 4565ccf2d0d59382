"""Aims that no setting meets: how close the best setting comes, and whether the load allows the aims at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.results.display import display_unit, format_number, join_with_and, round_to_digits
from penstock.results.metrics import find_metric
from penstock.tuning.aim import Aim
from penstock.tuning.bench import MeasuredSetting, Setting, TuningBench
from penstock.tuning.choice import count_successes
from penstock.tuning.population import NetworkDraw

__all__ = ["UNLIMITED", "Met", "measure_unlimited_queue", "metric_text", "unmet_text"]

Met = Sequence[tuple[MeasuredSetting, Mapping[str, bool | None]]]
"""Confirmed settings, the advised one first, and for each of them by aim whether it meets it."""

UNLIMITED = Setting("droptail", {"limit": "inf"}, "reference")
"""A queue that drops nothing, so that no flow backs off because of loss."""

LOAD_METRICS = ("utilization", "throughput_bps", "goodput_bps")
"""Metrics that depend on the load as much as on the queue."""


def _missed_by_all(aims: Sequence[Aim], confirmed: Met) -> list[Aim]:
    """The aims that every confirmed setting misses."""
    return [aim for aim in aims if aim.has_bound and all(met.get(aim.text) is False for _, met in confirmed)]


def measure_unlimited_queue(bench: TuningBench, confirmed: Met, draws: Sequence[NetworkDraw]) -> MeasuredSetting | None:
    """Measure `UNLIMITED` on the confirmation networks if all settings carry less than an aim requires; else None."""
    if not any(aim.side == ">" and aim.metric in LOAD_METRICS for aim in _missed_by_all(bench.aims, confirmed)):
        return None
    (measured,) = bench.measure([UNLIMITED], draws, "confirmation")
    return measured


def unmet_text(
    aims: Sequence[Aim],
    place: str,
    confirmed: Met,
    unlimited_queue: MeasuredSetting | None,
    barred: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Sentences for advice that misses an aim.

    `barred` has the labels of settings that meet all aims but are not acceptable, with the reasons.
    """
    if references := _meeting_all(aims, confirmed):
        together = " together" if len(_bounded(aims)) > 1 else ""
        aimed = join_with_and([aim.text for aim in _bounded(aims)])
        sentences = [
            f"No acceptable setting of the requested schemes meets {aimed}{together}; {join_with_and(references)}, "
            "which was not requested, does"
        ]
        closest = f"Of the requested schemes, {confirmed[0][0].setting.label} comes closest"
    else:
        sentences = _sentences(aims, place, confirmed, unlimited_queue)
        closest = f"{confirmed[0][0].setting.label} comes closest"
    for label, reasons in (barred or {}).items():
        sentences.append(f"{label} meets the aims, but is not acceptable: {'; '.join(reasons)}")
    return ". ".join([*sentences, closest]) + "."


def _meeting_all(aims: Sequence[Aim], confirmed: Met) -> list[str]:
    """The labels of settings that the user did not request and that meet all aims."""
    all_measured = [measured for measured, _ in confirmed]
    return [
        measured.setting.label
        for measured, met in confirmed
        if measured.setting.origin == "reference"
        and all(met.get(aim.text) for aim in _bounded(aims))
        and count_successes(measured, all_measured).is_sufficient
    ]


def _sentences(aims: Sequence[Aim], place: str, confirmed: Met, unlimited_queue: MeasuredSetting | None) -> list[str]:
    """The aims that no setting meets, and the settings that meet the others."""
    _, met = confirmed[0]
    missed = [aim for aim in aims if met.get(aim.text) is False]
    unattained = _missed_by_all(aims, confirmed)
    if not unattained:
        together = missed if len(missed) > 1 else _bounded(aims)
        sentences = [f"No acceptable setting meets {join_with_and([aim.text for aim in together])} together"]
    else:
        nearest = " or ".join(_nearest(aim, place, confirmed) for aim in unattained)
        sentences = [f"No acceptable setting meets {nearest}"]
    for aim in unattained:
        if aim.side == ">" and aim.metric in LOAD_METRICS and unlimited_queue is not None:
            sentences.append(_unlimited_queue_sentence(aim, place, unlimited_queue))
    for aim in missed:
        if aim not in unattained:
            others = [other for other in _bounded(aims) if other is not aim]
            sentences.append(_alone(aim, others, place, confirmed))
    return sentences


def _bounded(aims: Sequence[Aim]) -> list[Aim]:
    return [aim for aim in aims if aim.has_bound]


def _value(aim: Aim, place: str, measured: MeasuredSetting) -> float:
    return measured.summary(aim.place or place, aim.metric).mean


def metric_text(name: str, value: float) -> str:
    """The value of a metric with its unit, to three significant digits."""
    scale = display_unit(find_metric(name).quantity, [value])
    scaled = round_to_digits(scale.factor * value, 3)
    places = max(0, 2 - len(str(int(abs(scaled)))) + 1)
    return f"{format_number(scaled, places)} {scale.unit}".rstrip()


def _nearest(aim: Aim, place: str, confirmed: Met) -> str:
    """An aim, and the setting that comes closest to it: by the number of networks, then by the mean."""
    closest = min(
        (measured for measured, _ in confirmed),
        key=lambda measured: (-_networks(aim, place, measured), aim.shortfall(_value(aim, place, measured))),
    )
    value, networks = metric_text(aim.metric, _value(aim, place, closest)), _networks(aim, place, closest)
    label = closest.setting.label
    return f"{aim.text} ({label} comes closest, on {networks} of {len(closest.scores)} networks; its mean is {value})"


def _networks(aim: Aim, place: str, measured: MeasuredSetting) -> int:
    """The number of networks on which a setting meets an aim."""
    return sum(not aim.is_missed(value) for value in measured.values(aim.place or place, aim.metric).tolist())


def _unlimited_queue_sentence(aim: Aim, place: str, measured: MeasuredSetting) -> str:
    value = _value(aim, place, measured)
    if aim.shortfall(value) > 0:
        is_of_link = aim.metric == "utilization" or aim.place in (None, place)
        cause = (
            "the load leaves the link idle, and no queue changes that"
            if is_of_link
            else "other traffic may take the link; try fair queueing or classes"
        )
        return f"An unlimited queue, which drops nothing, reaches {metric_text(aim.metric, value)}: {cause}"
    delay = measured.summary(place, "delay_p99_s").mean
    return (
        f"An unlimited queue, which drops nothing, would meet {aim.text}, but the 99th percentile of its delay is "
        f"{metric_text('delay_p99_s', delay)}: losses hold the flows back, and there are too few flows to fill the "
        "link"
    )


def _alone(aim: Aim, others: Sequence[Aim], place: str, confirmed: Met) -> str:
    """A setting that meets one aim, and the values of the other aims that it misses."""
    meeting = [measured for measured, met in confirmed if met.get(aim.text)]
    best = min(meeting, key=lambda measured: sum(other.shortfall(_value(other, place, measured)) for other in others))
    misses = " and ".join(
        f"{other.text} ({metric_text(other.metric, _value(other, place, best))})"
        for other in others
        if other.shortfall(_value(other, place, best)) > 0
    )
    return f"{best.setting.label} meets {aim.text}" + (f", but misses {misses}" if misses else "")
