"""Writes `_metric_types.py`: the attributes of `Metrics` with their types, from the catalogue of metrics."""

from __future__ import annotations

from pathlib import Path

from penstock.results.distribution import is_distribution
from penstock.results.metrics import METRICS, Metric

TARGET = Path(__file__).with_name("_metric_types.py")

_HEAD = '''"""The metrics as typed attributes. Made by `make gen`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


class MetricTypes(Mapping[str, Any]):
    """The metrics of a place: numbers, and distributions as arrays over 0, 1, 2, ...; None where a run has none."""

    flows: Mapping[str, npt.NDArray[Any]]
'''


def source() -> str:
    """The text of the generated file."""
    return _HEAD + "".join(_attribute(metric) for metric in METRICS if metric.name.isidentifier())


def _attribute(metric: Metric) -> str:
    title = metric.title[0].upper() + metric.title[1:]
    return f'    {metric.name}: {_type(metric)}\n    """{title}."""\n'


def _type(metric: Metric) -> str:
    if is_distribution(metric.name):
        return "npt.NDArray[np.float64]"
    return "int" if metric.quantity == "count" else "float"


if __name__ == "__main__":
    TARGET.write_text(source(), encoding="utf-8")
