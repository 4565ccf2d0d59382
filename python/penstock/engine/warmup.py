"""The warm-up of a scenario: the transient of its watched queues in a pilot run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.errors import ErrorDetail, ScenarioError
from penstock.results.transient import BATCH, InitialTransient, batch_means, biasing_transient, transient_batch_count
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.head import AUTO
from penstock.units import format_time, parse_time

__all__ = [
    "POINTS",
    "Pilot",
    "QueueMeans",
    "RunBatch",
    "has_automatic_warmup",
    "pilot_scenario",
    "queue_means_by_link",
    "with_warmup",
    "with_warmup_seconds",
]

RunBatch = Callable[[Sequence[str], Sequence[int]], list[str]]

POINTS = 2000
"""Number of intervals of the series from which the transient is determined."""


@dataclass(frozen=True)
class QueueMeans:
    """The mean length of a queue in consecutive batches of a whole run.

    Attributes:
        step_s: duration of a batch in seconds.
        means: mean length in packets in each batch.

    """

    step_s: float
    means: tuple[float, ...]

    def transient_s(self) -> float | None:
        """The end of the transient in seconds; None if it takes more than half of the run."""
        end = transient_batch_count(self.means)
        return None if end is None else end * self.step_s

    def after(self, warmup_s: float) -> tuple[float, InitialTransient] | None:
        """The transient that has not ended at a warm-up, with the time at which its series begins; None without one."""
        first = math.ceil(warmup_s / self.step_s - 1e-9)
        rest = biasing_transient(self.means[first:])
        return None if rest is None else (first * self.step_s, rest)


def queue_means_by_link(series: Mapping[str, Any], duration_s: float) -> dict[str, QueueMeans]:
    """The queues of a run by link, from its series."""
    return {link: _means(entry, duration_s) for link, entry in series.items()}


def _means(series: Any, duration_s: float) -> QueueMeans:
    times, queue = np.array(series["t_ns"], dtype=float), np.array(series["queue"]["mean"], dtype=float)
    if not len(times) or times[0] <= 0:
        return QueueMeans(duration_s, (0.0, 0.0))  # of a queue that no packet has reached
    # A series may be shorter than the run if nothing changes at its end.
    count = max(round(duration_s * 1e9 / times[0]) - len(queue), 0)
    means = batch_means(np.concatenate([queue, np.full(count, queue[-1])]))
    return QueueMeans(BATCH * times[0] / 1e9, tuple(means.tolist()))


def pilot_scenario(document: Document) -> Resolved:
    """The scenario of the pilot run: without warm-up. Raises `ScenarioError`."""
    return document.set("warmup", "0s", _origin(document)).resolve()


def with_warmup(document: Document, run_batch: RunBatch) -> Document:
    """The scenario, with the transient of a pilot run as its warm-up if that is "auto".

    `run_batch` (`penstock.engine.run`) makes the pilot run, with the seed of the scenario. Raises `ScenarioError` for
    each watched queue whose transient takes more than half of the duration.
    """
    if not has_automatic_warmup(document):
        return document
    resolved = pilot_scenario(document)
    text = resolved.for_engine(flows=False, series=True, series_points=POINTS)
    (result,) = run_batch([text], [int(resolved.readable["seed"])])
    queues = queue_means_by_link(json.loads(result)["series"], parse_time(resolved.readable["duration"]) / 1e9)
    pilot = Pilot("", document, queues)
    if errors := pilot.errors():
        raise ScenarioError(dict.fromkeys(errors))
    return with_warmup_seconds(document, pilot.transient_s())


@dataclass(frozen=True)
class Pilot:
    """A pilot run: a name for messages, the scenario, and the watched queues by link."""

    name: str
    document: Document
    queues: Mapping[str, QueueMeans]

    def transient_s(self) -> float:
        """The longest transient of its queues in seconds, without queues that have not settled."""
        return max((end for queue in self.queues.values() if (end := queue.transient_s()) is not None), default=0.0)

    def errors(self) -> list[ErrorDetail]:
        """An error for each queue that has not settled."""
        where = f" with {self.name}" if self.name else ""
        advice = 'make the duration longer, or give a time, such as "10s"'
        return [
            ErrorDetail(
                "warmup", f"the queue of {link}{where} has not settled after half of the duration; {advice}", AUTO,
                _origin(self.document),
            )
            for link, queue in self.queues.items()
            if queue.transient_s() is None
        ]  # fmt: skip


def has_automatic_warmup(document: Document) -> bool:
    """Whether the warm-up is "auto"."""
    return bool(document.tree.get("warmup") == AUTO)


def with_warmup_seconds(document: Document, seconds: float) -> Document:
    """The scenario with this warm-up instead of one that is "auto"."""
    if not has_automatic_warmup(document):
        return document
    return document.set("warmup", format_time(round(seconds * 1e9)), _origin(document))


def _origin(document: Document) -> str:
    return document.origins.get("warmup", "warmup")
