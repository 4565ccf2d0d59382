"""Fits to captures of the same packets at several points as one fit: each estimate from the capture that tells most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from penstock.fitting.bottleneck import Bottleneck
from penstock.fitting.estimate import Estimate
from penstock.fitting.fitted import Fitted

__all__ = ["merged"]

F = TypeVar("F", bound=Fitted)


def merged(fits: Sequence[F]) -> F:
    """The fit that knows the most of the bottleneck, with what only the others know.

    A flow is the one of that capture, with the round trip of the smallest interval.
    """
    first, *others = sorted(fits, key=lambda fit: -_known(fit.forward))
    flows = []
    for flow in first.flows:
        same = [each for other in others for each in other.flows
                if (each.flow.sender, each.flow.receiver) == (flow.flow.sender, flow.flow.receiver)]  # fmt: skip
        totals = [flow.round_trip, *(each.round_trip for each in same)]
        known = [trip for trip in totals if trip.total.value is not None]
        trip = min(known, key=lambda each: _width(each.total)) if known else flow.round_trip
        controls = [flow.sender.control, *(each.sender.control for each in same)]
        control = next((each for each in controls if each.value is not None), controls[0])
        flows.append(replace(flow, round_trip=trip, sender=replace(flow.sender, control=control)))
    return replace(
        first,
        files=tuple(file for fit in fits for file in fit.files),
        forward=_best([first.forward, *(other.forward for other in others)]),
        reverse=_best([first.reverse, *(other.reverse for other in others)]),
        flows=tuple(flows),
        notes=tuple(note for fit in fits for note in fit.notes),
    )


def _known(link: Bottleneck) -> int:
    return sum(each.value is not None for each in (link.rate, link.queue, link.buffer))


def _best(links: Sequence[Bottleneck]) -> Bottleneck:
    """The first link, with the estimates that only a later one knows."""
    first = links[0]
    for other in links[1:]:
        if first.rate.value is None and other.rate.value is not None:
            first = replace(first, rate=other.rate, levels=other.levels)
        if first.queue.value is None and other.queue.value is not None:
            first = replace(first, queue=other.queue, buffer=other.buffer)
    return first


def _width(estimate: Estimate) -> float:
    return float("inf") if estimate.low is None or estimate.high is None else estimate.high - estimate.low
