"""Warnings about queues whose transient has not ended at the warm-up of a run."""

from __future__ import annotations

from collections.abc import Mapping

from penstock.engine.warmup import QueueMeans
from penstock.explain.warnings import LinkWarning
from penstock.scenario.resolve import Resolved
from penstock.units import format_time, parse_time

__all__ = ["unsettled_queue_warnings"]

SOURCE = "MSER-5: K. P. White, M. J. Cobb, S. C. Spratt, 2000"


def unsettled_queue_warnings(resolved: Resolved, queues: Mapping[str, QueueMeans]) -> list[LinkWarning]:
    """A warning for each queue that has not settled when the statistics start; `queues` are those of a run by link."""
    warmup = str(resolved.readable["warmup"])
    warnings = []
    for place, queue in queues.items():
        after = queue.after(parse_time(warmup) / 1e9)
        if after is None:
            continue
        start_s, rest = after
        means = f"{rest.mean:.3g} packets on average from {warmup} on"
        if rest.end is None:
            says = f"the queue has not settled: {means}, and {rest.steady_mean:.3g} in the second half of this time"
            advice = "make the duration longer, and the warm-up too"
        else:
            end = format_time(round((start_s + rest.end * queue.step_s) * 1e9))
            says = f"the statistics include a transient of the queue: {means}, but {rest.steady_mean:.3g} from {end} on"
            advice = f'set warmup = "{end}", or warmup = "auto"'
        warnings.append(LinkWarning(place, "unsettled", says, advice, SOURCE))
    return warnings
