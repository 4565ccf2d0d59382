"""The explanation of a metric: definition, unit, range, and preferred direction."""

from __future__ import annotations

import math
import textwrap
from dataclasses import asdict
from typing import Any

from penstock.results.metrics import METRICS, Metric

__all__ = ["find_metric", "metric_entry", "metric_text"]

UNITS = {
    "count": "a number of events",
    "ratio": "a ratio",
    "share": "a fraction of 1, printed in percent",
    "time": "seconds",
    "rate": "bits per second",
    "packets": "packets",
    "packets2": "packets squared",
    "bytes": "bytes",
    "number": "a number",
}


def find_metric(name: str) -> Metric | None:
    """The metric of this name; None if there is none."""
    return next((entry for entry in METRICS if entry.name == name), None)


def metric_entry(metric: Metric) -> dict[str, Any]:
    """The metric as plain values; an infinite end of its range is null."""
    ends = [None if math.isinf(end) else end for end in metric.range]
    return {**asdict(metric), "unit": UNITS[metric.quantity], "range": ends}


def metric_text(metric: Metric, width: int = 100) -> str:
    """The explanation in lines of at most `width` characters."""
    low, high = ("" if math.isinf(end) else f"{end:g}" for end in metric.range)
    limits = f", from {low} to {high}" if low and high else f", at least {low}" if low else ""
    lines = [
        metric.title,
        "=" * len(metric.title),
        f"name    {metric.name}",
        f"unit    {UNITS[metric.quantity]}{limits}",
        f"group   {metric.group}",
        *([f"better  {metric.better}"] if metric.better else []),
        "",
        *textwrap.wrap(metric.doc, width),
    ]
    return "\n".join(lines) + "\n"
