"""Combine fits to captures of the same packets at several points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from penstock.fitting.bottleneck import Bottleneck
from penstock.fitting.estimate import Estimate
from penstock.fitting.fitted_link import FittedLink

__all__ = ["merge_fits"]

F = TypeVar("F", bound=FittedLink)


def merge_fits(fits: Sequence[F]) -> F:
    """The fit with most estimates of the forward bottleneck, completed with estimates from the other fits.

    Each flow takes the round trip with the narrowest interval.
    """
    first, *others = sorted(fits, key=lambda fit: -_estimate_count(fit.forward))
    flows = []
    for flow in first.flows:
        same = [each for other in others for each in other.flows
                if (each.flow.sender, each.flow.receiver) == (flow.flow.sender, flow.flow.receiver)]  # fmt: skip
        trips = [flow.round_trip, *(each.round_trip for each in same)]
        estimated = [trip for trip in trips if trip.total.value is not None]
        trip = min(estimated, key=lambda each: _width(each.total)) if estimated else flow.round_trip
        controls = [flow.sender.congestion_control, *(each.sender.congestion_control for each in same)]
        control = next((each for each in controls if each.value is not None), controls[0])
        flows.append(replace(flow, round_trip=trip, sender=replace(flow.sender, congestion_control=control)))
    return replace(
        first,
        files=tuple(file for fit in fits for file in fit.files),
        forward=_completed([first.forward, *(other.forward for other in others)]),
        reverse=_completed([first.reverse, *(other.reverse for other in others)]),
        flows=tuple(flows),
        notes=tuple(note for fit in fits for note in fit.notes),
    )


def _estimate_count(link: Bottleneck) -> int:
    return sum(each.value is not None for each in (link.rate, link.queue, link.buffer))


def _completed(links: Sequence[Bottleneck]) -> Bottleneck:
    """The first link; an unknowable rate or queue is taken from the first other link that has it."""
    first = links[0]
    for other in links[1:]:
        if first.rate.value is None and other.rate.value is not None:
            first = replace(first, rate=other.rate, rate_steps=other.rate_steps)
        if first.queue.value is None and other.queue.value is not None:
            first = replace(first, queue=other.queue, buffer=other.buffer)
    return first


def _width(estimate: Estimate) -> float:
    return float("inf") if estimate.low is None or estimate.high is None else estimate.high - estimate.low
