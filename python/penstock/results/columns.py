"""The columns of a table of runs: labels, columns that identify a run, and results.

The name of a result column is the path of the value in the JSON of `run`: `links.NAME.METRIC`, `traffic.NAME.METRIC`,
`dscp.NAME.METRIC`, `fairness.METRIC`, and `kept.NAME` for numbers that a study computes itself. All other columns are
labels (the scheme and the swept keys), or identify the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.results.metrics import find_metric
from penstock.results.parts import PARTS, place_name

__all__ = [
    "IDENTITY",
    "RESERVED",
    "ResultColumn",
    "is_result_column",
    "result_columns",
    "sorted_columns",
    "typed_label_values",
    "varchar_text",
]

IDENTITY = ("seed", "scenario", "meaning", "penstock", "study")
"""Columns that identify a run: seed, content address of the scenario, meaning and version of penstock, study."""

RESERVED = (*IDENTITY, "events", "cpu_s")
"""Names that a label cannot have."""


@dataclass(frozen=True)
class ResultColumn:
    """A column with a result.

    Attributes:
        name: of the column.
        place: the link, group of traffic or codepoint, as tables name it.
        metric: the name of the number or distribution.

    """

    name: str
    place: str
    metric: str


def is_result_column(column: str) -> bool:
    """Whether a column name is the path of a result, such as `links.bottleneck.drops`.

    >>> is_result_column("traffic.bulk.goodput_bps"), is_result_column("kept.slope")
    (True, True)
    >>> is_result_column("links.bottleneck.queue.limit")
    False
    """
    part, _, rest = column.partition(".")
    place, _, name = rest.rpartition(".")
    return part in ("fairness", "kept") or (part in PARTS and bool(place) and find_metric(name).group != "Other")


def sorted_columns(columns: Iterable[str]) -> list[str]:
    """Columns in the order of a table of runs: labels, columns that identify a run, results by place and metric.

    >>> sorted_columns(["traffic.bulk.loss_rate", "links.core.drops", "seed", "links.core.arrivals", "scheme"])
    ['scheme', 'seed', 'links.core.arrivals', 'links.core.drops', 'traffic.bulk.loss_rate']
    """

    def key(name: str) -> tuple[int, int, tuple[str, ...]]:
        if not is_result_column(name):
            return (1, RESERVED.index(name), ()) if name in RESERVED else (0, 0, ())
        part, _, rest = name.partition(".")
        place, _, metric_name = rest.rpartition(".")
        return 2, [*PARTS, "fairness", "kept"].index(part), (place, metric_name)

    return sorted(columns, key=key)


def result_columns(columns: Iterable[str]) -> list[ResultColumn]:
    """The columns with a result of a place, in the given order.

    >>> result_columns(["scheme", "links.core.reverse.loss_rate", "fairness.jain"])
    [ResultColumn(name='links.core.reverse.loss_rate', place='core.reverse', metric='loss_rate')]
    """
    results = []
    for column in columns:
        part, _, rest = column.partition(".")
        if part == "kept":
            results.append(ResultColumn(column, part, rest))
        elif part in PARTS and is_result_column(column):
            place, _, name = rest.rpartition(".")
            results.append(ResultColumn(column, place_name(part, place), name))
    return results


def typed_label_values(values: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """The SQL type of a label column and the values to store; values of mixed types are stored as text."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {bool} and None not in values:
        return "BOOLEAN", values
    if kinds == {int}:
        return "BIGINT", values
    if kinds <= {int, float}:
        return "DOUBLE", values
    return "VARCHAR", [None if value is None else varchar_text(value) for value in values]


def varchar_text(value: Any) -> str:
    """A value as stored in a VARCHAR column."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value)
    except TypeError:
        return str(value)
