"""The table `real` of a scenario: the hosts' devices, and the bounds beyond which a real run is invalid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from penstock.scenario.resolve.reader import Table, whole_number_parser
from penstock.units import format_size, format_time, parse_probability, parse_size, parse_time

__all__ = ["RealLinkSettings", "read_real_settings"]


@dataclass(frozen=True)
class RealLinkSettings:
    """Settings of a real link, which change nothing in a simulation.

    Attributes:
        mtu: largest IP packet of the hosts' devices, in bytes.
        overhead: bytes that a link carries with each IP packet beside it.
        memory: bytes for the packets on all links.
        lateness_p99_s: lateness in seconds that 99 % of the packets must not exceed.
        lateness_max_s: lateness in seconds that no packet may exceed.
        lost_before_queue: number of packets that may be lost before the queues see them.
        starved: share of the time for which the link may wait for a processor.

    """

    mtu: int = 1500
    overhead: int = 0
    memory: int = 1 << 30
    lateness_p99_s: float = 1e-3
    lateness_max_s: float = math.inf
    lost_before_queue: int = 0
    starved: float = 1.0


def read_real_settings(top: Table) -> tuple[RealLinkSettings, dict[str, Any]]:
    """The table, and its keys in canonical text; the defaults, and nothing, if there is none."""
    table = top.inner_table("real")
    if table is None:
        return RealLinkSettings(), {}
    table.check_keys(("mtu", "overhead", "memory", "lateness_p99", "lateness_max", "lost_before_queue", "starved"))
    usual = RealLinkSettings()
    late = {key: table.parse_key(key, parse_time) for key in ("lateness_p99", "lateness_max")}
    limits = RealLinkSettings(
        mtu=_or(table.parse_key("mtu", parse_size), usual.mtu),
        overhead=_or(table.parse_key("overhead", parse_size), usual.overhead),
        memory=_or(table.parse_key("memory", parse_size), usual.memory),
        lateness_p99_s=usual.lateness_p99_s if late["lateness_p99"] is None else late["lateness_p99"] / 1e9,
        lateness_max_s=usual.lateness_max_s if late["lateness_max"] is None else late["lateness_max"] / 1e9,
        lost_before_queue=_or(
            table.parse_key("lost_before_queue", whole_number_parser(0, 2**63 - 1)), usual.lost_before_queue
        ),
        starved=_or(table.parse_key("starved", parse_probability), usual.starved),
    )
    if not 68 <= limits.mtu <= 65_535:
        table.add_error("mtu", "must be from 68B, the least of IPv4, to 65535B")
    if limits.overhead > 1000:
        table.add_error("overhead", "must be at most 1000B")
    if limits.memory < 1_000_000:
        table.add_error("memory", "must be at least 1MB")
    readable = {
        "mtu": format_size(limits.mtu),
        "overhead": format_size(limits.overhead),
        "memory": format_size(limits.memory),
        "lost_before_queue": limits.lost_before_queue,
        "starved": limits.starved,
    }
    readable |= {key: format_time(nanos) for key, nanos in late.items() if nanos is not None}
    return limits, readable


def _or(value: Any, usual: Any) -> Any:
    return usual if value is None else value
