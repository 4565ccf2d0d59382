"""What users feel: an application's requirements of the network, and groups whose load short connections probe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from penstock.errors import kind_of, nearest
from penstock.scenario.resolve.forms import TrafficForm
from penstock.scenario.resolve.reader import Table
from penstock.scenario.resolve.transfers import is_drawn
from penstock.units import UnitError, format_number, format_rate, format_time, parse_probability, parse_rate, parse_time

T = TypeVar("T", int, float)
EXAMPLE = '{ delays = { "99%" = ["200ms", "500ms"] }, loss = ["1%", "5%"] }'
"""Part of the example of draft-ietf-ippm-qoo."""


def read_outcome(table: Table, *, measured: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The requirements of an application, `qoo`, for the engine and to show; `measured`: its delays are."""
    if "qoo" not in table.values:
        return {}, {}
    if not measured:
        table.error("qoo", "needs the delays of the data packets: add delays = true")
    qoo = table.table("qoo")
    if qoo is None:
        return {}, {}
    qoo.check_keys(("delays", "loss", "throughput"))
    delays = qoo.take("delays", _delays, {}) or {}
    loss = qoo.take("loss", _ends(parse_probability, '["1%", "5%"]'))
    throughput = qoo.take("throughput", parse_rate)
    if qoo.values.keys() <= {"throughput"}:
        table.error("qoo", f"needs delays, loss or both, such as {EXAMPLE}")
    readable: dict[str, Any] = {}
    if delays:
        readable["delays"] = {
            f"{format_number(100 * share)}%": [format_time(end) for end in ends] for share, ends in delays.items()
        }
    if loss is not None:
        readable["loss"] = loss
    if throughput is not None:
        readable["throughput"] = format_rate(throughput)
    return {"qoo": {"delays": sorted(delays.items()), "loss": loss, "throughput": throughput}}, {"qoo": readable}


def check_loads(tables: Mapping[str, Table], specs: Iterable[TrafficForm]) -> None:
    """Report names in `rpm_of` that are not those of TCP flows that last for the whole run."""
    for spec in specs:
        for load in spec.canonical.get("rpm_of", ()):
            other = tables.get(load)
            if other is None:
                tables[spec.name].error("rpm_of", f'there is no traffic "{load}"{nearest(load, tables)}')
            elif other.values.get("kind") != "tcp" or is_drawn(other):
                tables[spec.name].error("rpm_of", f'"{load}" is no tcp that sends during the whole run')


def _delays(value: Any) -> dict[float, list[int]]:
    if not isinstance(value, Mapping) or not value:
        raise UnitError(f'must be a table of percentiles, {{ "99%" = ["200ms", "500ms"] }}, not {kind_of(value)}')
    ends = _ends(parse_time, '["200ms", "500ms"]')
    return {parse_probability(share): ends(pair) for share, pair in value.items()}


def _ends(parse: Callable[[object], T], example: str) -> Callable[[Any], list[T]]:
    """An optimal value and a larger unacceptable one."""

    def parse_ends(value: Any) -> list[T]:
        if not isinstance(value, list) or len(value) != 2:
            raise UnitError(f"must be the optimal and the unacceptable value, such as {example}")
        optimal, unacceptable = (parse(end) for end in value)
        if optimal >= unacceptable:
            raise UnitError(f"the first value, the optimal one, must be below the second: {example}")
        return [optimal, unacceptable]

    return parse_ends
