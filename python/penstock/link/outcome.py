"""The Quality of Outcome of datagrams over a real link, from the reported percentiles of their delays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["has_quality_of_outcome", "quality_of_outcome"]

_DELAYS = {0.5: "owd_p50_s", 0.95: "owd_p95_s", 0.99: "owd_p99_s", 0.999: "owd_p999_s"}
"""The reported percentiles of one-way delays."""


def has_quality_of_outcome(group: Mapping[str, Any]) -> bool:
    """Whether a group of datagrams has requirements, at reported percentiles of the delay only.

    Those of `fec` are about its data after repair, which real links do not report.
    """
    delays = group["qoo"]["delays"] if group.get("qoo") else [(0.0, [])]
    is_plain = "tcp" not in group and group["kind"] != "fec"
    return is_plain and all(round(share, 9) in _DELAYS for share, _ in delays)


def quality_of_outcome(needs: Mapping[str, Any], metrics: Mapping[str, float], goodput: float | None) -> float | None:
    """The Quality of Outcome from 0 to 100 (draft-ietf-ippm-qoo); None if nothing arrived.

    `needs` has pairs of optimal and unacceptable values: `delays` in ns by percentile, and `loss`; and `throughput`, a
    minimum of `goodput`, the mean of the flows in bit/s.
    """
    pairs = [(metrics.get(_DELAYS[round(share, 9)]), [1e-9 * end for end in ends]) for share, ends in needs["delays"]]
    pairs += [] if needs["loss"] is None else [(metrics.get("loss_rate"), needs["loss"])]
    shares = [(ends[1] - value) / (ends[1] - ends[0]) for value, ends in pairs if value is not None]
    if len(shares) < len(pairs) or goodput is None:
        return None
    is_enough = needs["throughput"] is None or goodput >= needs["throughput"]
    return 100 * min(1.0, max(0.0, min(shares))) if is_enough else 0.0
