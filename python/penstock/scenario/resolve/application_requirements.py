"""The keys `qoo` and `rpm_of`: requirements of an application, and probes of the responsiveness under load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from penstock.errors import did_you_mean
from penstock.scenario.resolve.reader import Table, list_parser, parse_string
from penstock.scenario.resolve.resolved_tables import ResolvedTrafficTable
from penstock.scenario.resolve.transfers import has_connection_per_transfer
from penstock.units import (
    UnitError,
    format_percent,
    format_rate,
    format_time,
    parse_probability,
    parse_rate,
    parse_time,
)

T = TypeVar("T", int, float)
_ENDS = frozenset({"packets", "bytes", "writes", "stop"})
EXAMPLE = '{ delays = { "99%" = ["200ms", "500ms"] }, loss = ["1%", "5%"] }'
"""Part of the example of draft-ietf-ippm-qoo."""


def read_qoo(table: Table, *, measured: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table `qoo`, for the engine and for display. `measured`: whether the traffic has measured one-way delays."""
    if "qoo" not in table.values:
        return {}, {}
    if not measured:
        table.add_error("qoo", "needs the delays of the data packets: add delays = true")
    qoo = table.inner_table("qoo")
    if qoo is None:
        return {}, {}
    qoo.check_keys(("delays", "loss", "throughput"))
    delays = _delays(qoo)
    loss = qoo.parse_key("loss", _ends(parse_probability, '["1%", "5%"]'))
    throughput = qoo.parse_key("throughput", parse_rate)
    if qoo.values.keys() <= {"throughput"}:
        table.add_error("qoo", f"needs delays, loss or both, such as {EXAMPLE}")
    if not all(delays.values()):
        return {}, {}
    readable: dict[str, Any] = {}
    if delays:
        readable["delays"] = {
            format_percent(share): [format_time(end) for end in ends] for share, ends in delays.items()
        }
    if loss is not None:
        readable["loss"] = loss
    if throughput is not None:
        readable["throughput"] = format_rate(throughput)
    return {"qoo": {"delays": sorted(delays.items()), "loss": loss, "throughput": throughput}}, {"qoo": readable}


def check_probed_groups(tables: Mapping[str, Table], specs: Iterable[ResolvedTrafficTable]) -> None:
    """Report each name in `rpm_of` that is not a group of TCP flows that send during the whole run."""
    for spec in specs:
        for load in spec.canonical.get("rpm_of", ()):
            other = tables.get(load)
            if other is None:
                tables[spec.name].add_error("rpm_of", f'there is no traffic "{load}"{did_you_mean(load, tables)}')
            elif other.values.get("kind") != "tcp" or has_connection_per_transfer(other) or _ENDS & other.values.keys():
                message = f'"{load}" must be tcp that sends during the whole run: without {", ".join(sorted(_ENDS))}'
                tables[spec.name].add_error("rpm_of", message)


def read_responsiveness_probes(table: Table, own: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The key `rpm_of`, for the engine and for display. Each transfer of `own` must be a handshake and one packet."""
    loads = table.parse_key("rpm_of", list_parser(parse_string, 'names of traffic, such as ["downloads"]'))
    if loads is None:
        return {}, {}
    if not own["tcp"]["settings"].setdefault("syn", True):
        table.add_error("syn", "must be true with rpm_of: the handshake is measured")
    if own["tcp"]["flavour"] == "vegas":
        table.add_error("flavour", "cannot be vegas with rpm_of: it has no handshake")
    if table.values.get("packets") != 1:
        table.add_error("rpm_of", "needs transfers of one packet: give packets = 1, and its payload as packet")
    if not {"arrivals", "load"} & table.values.keys():
        table.add_error("rpm_of", 'needs transfers that repeat, such as arrivals = "100ms"')
    return {"rpm_of": loads}, {"rpm_of": loads, "syn": True}


def _delays(qoo: Table) -> dict[float, list[int]]:
    """Pairs of delays in ns, by percentile."""
    table = qoo.inner_table("delays")
    if table is None:
        return {}
    if not table.values:
        qoo.add_error("delays", 'needs a percentile, such as "99%" = ["200ms", "500ms"]')
    pairs: dict[float, list[int]] = {}
    for percentile in table.values:
        ends = table.parse_key(percentile, _ends(parse_time, '["200ms", "500ms"]'))
        try:
            share = parse_probability(percentile)
        except UnitError as error:
            table.add_error(percentile, str(error))
            continue
        if share in pairs:
            table.add_error(percentile, "this percentile is given twice")
        pairs[share] = ends or []
    return pairs


def _ends(parse: Callable[[object], T], example: str) -> Callable[[Any], list[T]]:
    """A parser of pairs: an optimal value and a larger unacceptable one."""

    def parse_ends(value: Any) -> list[T]:
        if not isinstance(value, list) or len(value) != 2:
            raise UnitError(f"must be the optimal and the unacceptable value, such as {example}")
        optimal, unacceptable = (parse(end) for end in value)
        if optimal >= unacceptable:
            raise UnitError(f"the first value, the optimal one, must be below the second: {example}")
        return [optimal, unacceptable]

    return parse_ends
