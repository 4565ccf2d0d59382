"""Aims that nothing meets: which, how near the nearest setting comes, and whether the load can meet them at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.results.display import joined, number, rounded, scale_for
from penstock.results.metrics import metric
from penstock.tuning.aim import Aim
from penstock.tuning.bench import Bench, Measured, Setting
from penstock.tuning.population import Draw

__all__ = ["UNLIMITED", "Met", "runs_without_limit", "metric_text", "unmet_text"]

Met = Sequence[tuple[Measured, Mapping[str, bool | None]]]
"""Confirmed settings, each with whether it meets each aim; the advised one first."""

UNLIMITED = Setting("droptail", {"limit": "inf"}, "reference")
"""A queue that loses nothing, and so holds back no flow."""

LOAD_METRICS = ("utilization", "throughput_bps", "goodput_bps")
"""Metrics of the load as much as of the queue."""


def _missed_by_all(aims: Sequence[Aim], confirmed: Met) -> list[Aim]:
    """The aims that every setting misses."""
    return [aim for aim in aims if aim.has_bound and all(met.get(aim.text) is False for _, met in confirmed)]


def runs_without_limit(bench: Bench, confirmed: Met, draws: Sequence[Draw]) -> Measured | None:
    """The queue without a limit on the networks of the confirmation, where all settings carry less than asked for."""
    if not any(aim.side == ">" and aim.metric in LOAD_METRICS for aim in _missed_by_all(bench.aims, confirmed)):
        return None
    (measured,) = bench.measure([UNLIMITED], draws)
    return measured


def unmet_text(aims: Sequence[Aim], place: str, confirmed: Met, without_limit: Measured | None) -> str:
    """Sentences for an advice that misses an aim."""
    best, met = confirmed[0]
    missed = [aim for aim in aims if met.get(aim.text) is False]
    never = _missed_by_all(aims, confirmed)
    if not never:
        together = missed if len(missed) > 1 else _bounded(aims)
        sentences = [f"Nothing tried meets {joined([aim.text for aim in together])} together"]
    else:
        sentences = [f"Nothing tried meets {' or '.join(_nearest(aim, place, confirmed) for aim in never)}"]
    for aim in never:
        if aim.side == ">" and aim.metric in LOAD_METRICS and without_limit is not None:
            sentences.append(_without_limit(aim, place, without_limit))
    for aim in missed:
        if aim not in never:
            others = [other for other in _bounded(aims) if other is not aim]
            sentences.append(_alone(aim, others, place, confirmed))
    return ". ".join([*sentences, f"{best.setting.label} comes nearest"]) + "."


def _bounded(aims: Sequence[Aim]) -> list[Aim]:
    return [aim for aim in aims if aim.has_bound]


def _value(aim: Aim, place: str, measured: Measured) -> float:
    return measured.summary(aim.place or place, aim.metric).mean


def metric_text(name: str, value: float) -> str:
    """A number of a metric with its unit, three digits."""
    scale = scale_for(metric(name).quantity, [value])
    scaled = rounded(scale.factor * value, 3)
    places = max(0, 2 - len(str(int(abs(scaled)))) + 1)
    return f"{number(scaled, places)} {scale.unit}".rstrip()


def _nearest(aim: Aim, place: str, confirmed: Met) -> str:
    """An aim, with the setting that comes nearest to it."""
    nearest = min(
        (measured for measured, _ in confirmed), key=lambda measured: aim.shortfall(_value(aim, place, measured))
    )
    side = "least" if aim.side == "<" else "most"
    value = metric_text(aim.metric, _value(aim, place, nearest))
    return f"{aim.text} (the {side} is {value}, with {nearest.setting.label})"


def _without_limit(aim: Aim, place: str, measured: Measured) -> str:
    value = _value(aim, place, measured)
    if aim.shortfall(value) > 0:
        return (
            f"A queue without a limit, which loses nothing, has {metric_text(aim.metric, value)} in this time: "
            "the load leaves the link idle, and no queue changes that"
        )
    delay = measured.summary(place, "delay_p99_s").mean
    return (
        f"A queue without a limit, which loses nothing, would meet {aim.text} with a delay of "
        f"{metric_text('delay_p99_s', delay)} at the 99th percentile: losses hold the flows back, and they are too few "
        "to fill the link between them"
    )


def _alone(aim: Aim, others: Sequence[Aim], place: str, confirmed: Met) -> str:
    """A setting that meets one aim, and what it has of the others."""
    meeting = [measured for measured, met in confirmed if met.get(aim.text)]
    if not meeting:
        return f"{aim.text} is met by none for sure"
    best = min(meeting, key=lambda measured: sum(other.shortfall(_value(other, place, measured)) for other in others))
    beside = " and ".join(
        f"{metric_text(other.metric, _value(other, place, best))} instead of {other.text}"
        for other in others
        if other.shortfall(_value(other, place, best)) > 0
    )
    return f"{best.setting.label} meets {aim.text}" + (f", with {beside}" if beside else "")
