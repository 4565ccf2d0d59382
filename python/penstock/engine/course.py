"""The course of a run, for its page: rates, windows, delays, drops and marks in equal intervals."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock import _native
from penstock.engine.trace import RecordedRun
from penstock.scenario.budget.estimate import estimate_run
from penstock.scenario.resolve import Resolved

__all__ = ["has_course", "run_course"]

INTERVALS: Final = 200
"""Number of intervals of a run: the number of points that a chart on a page resolves."""

MOST_EVENTS: Final = 4_000_000
"""Maximum estimated number of events of a run whose packets are counted: about 300 MB of memory and 2 s.

A longer run has no course.
"""

MOST_SENDERS: Final = 12
"""Maximum number of senders of a group whose windows are kept."""

Floats = NDArray[np.float64]
Column = NDArray[Any]


def run_course(recorded: RecordedRun) -> dict[str, Any]:
    """The course of a run whose packet events have been recorded, with its series.

    The course has the ends of the intervals `t_ns`; by traffic group the throughput `rate_bps` and, of watched senders,
    the `cwnd_pkts`; and for each watched link by group the mean queueing delay `delay_s` of the packets that
    left, and `drops` and `marks` per second. Groups without any are left out. It is empty for a run without events.
    """
    if not recorded.events:
        return {}
    windows = {name: _windows(senders) for name, senders in recorded.run.senders.items()}
    return {
        **_course(PacketEvents.from_recorded_run(recorded), recorded.resolved.canonical),
        "cwnd_pkts": {name: group_windows for name, group_windows in windows.items() if group_windows},
    }


def has_course(resolved: Resolved) -> bool:
    """Whether a run is short enough to count its packets."""
    return estimate_run(resolved).total_events <= MOST_EVENTS


@dataclass(frozen=True)
class PacketEvents:
    """The packet events of a run, as columns of equal length; `link` and `flow` count from 0."""

    t_ns: Column
    event: Column
    kind: Column
    link: Column
    flow: Column
    seq: Column
    size_bytes: Column
    waited_ns: Column

    @classmethod
    def from_recorded_run(cls, recorded: RecordedRun) -> PacketEvents:
        """The packet events of a run."""
        return cls(*(recorded.column(name) for name in cls.__dataclass_fields__))

    def select(self, chosen: NDArray[Any]) -> PacketEvents:
        """The chosen events, by flags or by their places."""
        return PacketEvents(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def _course(events: PacketEvents, canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The course of a run of this canonical scenario from its packet events, without the windows."""
    width = int(canonical["duration_ns"]) / INTERVALS
    seconds = width / 1e9
    groups = [str(entry["name"]) for entry in canonical["traffic"]]
    group_of = np.repeat(np.arange(len(groups)), [int(entry["count"]) for entry in canonical["traffic"]])
    words, kinds, _ = _native.trace_words()
    is_data = events.kind != kinds.index("ack")

    def by_group(some: PacketEvents, weights: Floats | None = None) -> dict[str, Floats]:
        """Sums of the weights in each interval, by group."""
        at = np.minimum((some.t_ns / width).astype(np.int64), INTERVALS - 1)
        group = group_of[some.flow]
        sums = np.bincount(group * INTERVALS + at, weights, minlength=len(groups) * INTERVALS)
        rows = sums.reshape(len(groups), INTERVALS).astype(float)
        return {name: row for name, row in zip(groups, rows, strict=True) if row.any()}

    def per_second(some: PacketEvents, weights: Floats | None = None) -> dict[str, list[float | None]]:
        return {name: _rounded(row / seconds) for name, row in by_group(some, weights).items()}

    received = events.select(is_data & (events.event == words.index("receive")))
    rates = per_second(received, received.size_bytes * 8.0)
    links: dict[str, Any] = {}
    for number, link in enumerate(canonical["links"]):
        if not link.get("watch"):
            continue
        here = events.select(events.link == number)
        departures = here.select(here.event == words.index("dequeue"))
        sums, counts = by_group(departures, departures.waited_ns / 1e9), by_group(departures)
        links[link["name"]] = {
            "delay_s": {name: _rounded(_divided(sums.get(name, 0 * count), count)) for name, count in counts.items()},
            **{f"{word}s": per_second(here.select(here.event == words.index(word))) for word in ("drop", "mark")},
        }
    ends = [round(width * (at + 1)) for at in range(INTERVALS)]
    return {"t_ns": ends, "rate_bps": rates, "links": links}


def _windows(senders: Sequence[Mapping[str, Any]]) -> list[list[float | None]]:
    """The mean congestion windows of the first senders of a group, in the intervals of the course."""
    windows = []
    for sender in senders[:MOST_SENDERS]:
        means = (sender.get("cwnd") or {}).get("mean") or []
        # A short run has fewer samples than intervals, so several intervals share a sample.
        cuts = [len(means) * at // INTERVALS for at in range(INTERVALS + 1)]
        parts = [
            [value for value in means[start : max(end, start + 1)] if value is not None]
            for start, end in itertools.pairwise(cuts)
        ]
        windows.append([float(f"{sum(part) / len(part):.4g}") if part else None for part in parts])
    return [means for means in windows if any(value is not None for value in means)]


def _divided(sums: Floats, counts: Floats) -> Floats:
    quotients: Floats = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return quotients


def _rounded(values: Floats) -> list[float | None]:
    """Numbers with four digits, None where there is none."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values]
