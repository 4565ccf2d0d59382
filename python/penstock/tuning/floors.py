"""Floors of advised parameters, which hold whatever a simulation of one load finds, and their sources."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.aqms.red_thresholds import RED_KIN, automatic_threshold
from penstock.scenario.loaded_link import LoadedLink
from penstock.units import UnitError, parse_length, parse_time

__all__ = [
    "CODEL_INTERVAL_S",
    "CODEL_TARGET_S",
    "CODEL_VARIANTS",
    "MIN_THRESHOLD",
    "PIE_VARIANTS",
    "length_in_packets",
    "min_interval_s",
    "min_limit",
    "violated_floors",
]

INITIAL_WINDOW = 10
"""Packets that a connection sends at once when it starts (RFC 6928, section 2)."""

GSO_S = 1e-3
"""Linux senders hand over about 1 ms of data per burst at their pacing rate: at least two segments
(`tcp_min_tso_segs`), at most 64 kB."""

GSO_BYTES = 65_536

MIN_THRESHOLD = 5.0
"""Packets; the floor of RED's lower threshold (S. Floyd, R. Gummadi, S. Shenker, Adaptive RED, 2001, section 4.4)."""

RTT_PER_INTERVAL = 3.0
"""RFC 8289, section 4.2: an interval of 100 ms performs excellently up to a round trip of 300 ms."""

CODEL_TARGET_S, CODEL_INTERVAL_S = 0.005, 0.1
"""Defaults of CoDel in seconds (RFC 8289, sections 4.2 and 4.3)."""

CODEL_VARIANTS = ("codel", "fq-codel", "cobalt")
PIE_VARIANTS = ("pie", "fq-pie")
THRESHOLDS = ("min_th", "max_th", "min_in", "max_in", "min_out", "max_out")


def min_limit(link: LoadedLink) -> float:
    """The smallest limit in packets: an initial window, a burst of segmentation offload, and BDP / sqrt(n).

    The last term keeps the link busy with n flows (G. Appenzeller, I. Keslassy, N. McKeown, SIGCOMM 2004). The floor
    never exceeds the present buffer.
    """
    burst = min(max(2.0, GSO_S * link.capacity), GSO_BYTES / link.packet_bytes)
    return min(math.ceil(INITIAL_WINDOW + burst + link.bdp / math.sqrt(link.flows)), link.buffer_pkts)


def min_interval_s(link: LoadedLink) -> float:
    """The smallest interval of CoDel, in seconds."""
    return link.rtt_s / RTT_PER_INTERVAL


def violated_floors(
    scheme: str, parameters: Mapping[str, Any], link: LoadedLink, fixed: Collection[str] = ()
) -> list[str]:
    """The floors that a setting violates, each as a clause; empty if it may be advised.

    The parameters in `fixed`, which the user has given, have no floors.
    """
    settings = {name: value for name, value in _with_defaults(scheme, parameters).items() if name not in fixed}
    reasons = []
    for name in THRESHOLDS if scheme in RED_KIN | {"wred", "rio"} else ():
        values = settings.get(name)
        for value in values if isinstance(values, list) else [values]:
            packets = length_in_packets(name, value, {**settings, "scheme": scheme}, link)
            if packets is not None and packets < MIN_THRESHOLD - 1e-9:
                reasons.append(f"{name} is less than {MIN_THRESHOLD:g} packets")
            if packets is not None and packets > link.buffer_pkts:
                reasons.append(f"{name} exceeds the buffer of {link.buffer_pkts:g} packets")
    target, interval = (_seconds(settings.get(name)) for name in ("target", "interval"))
    if scheme in (*CODEL_VARIANTS, *PIE_VARIANTS) and target is not None and target < link.packet_s * (1 - 1e-9):
        reasons.append(f"target is less than the {1e3 * link.packet_s:.3g} ms to send a packet (RFC 8290, 5.2.2)")
    if scheme in CODEL_VARIANTS and interval is not None and interval < min_interval_s(link) * (1 - 1e-9):
        reasons.append(f"interval is less than a third of the round trip of {1e3 * link.rtt_s:.3g} ms (RFC 8289, 4.2)")
    limit = length_in_packets("limit", settings.get("limit"), {}, link)
    if limit is not None and limit < min_limit(link):
        reasons.append(f"limit is less than initial window + burst + BDP / sqrt(n) = {min_limit(link):.0f} packets")
    return list(dict.fromkeys(reasons))


def length_in_packets(name: str, value: Any, table: Mapping[str, Any], link: LoadedLink) -> float | None:
    """A queue length in packets of the link's size; None if the value is None or not a length."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    share = {
        "packets": 1.0,
        "bytes": 1 / link.packet_bytes,
        "ns": link.capacity / 1e9,
        "buffer": link.buffer_pkts,
        "bdp": link.bdp,
    }
    try:
        length = automatic_threshold(name, {**table, name: value}, link.rate_bps) or parse_length(value)
    except (UnitError, TypeError, ValueError):
        return None
    return float(length.amount) * share[length.unit]


def _with_defaults(scheme: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a setting, and the defaults of those that have floors."""
    names = (*THRESHOLDS, "target", "interval")
    defaults = {param.name: param.default for param in find_scheme(scheme).params if param.name in names}
    return {**{name: value for name, value in defaults.items() if value is not None}, **parameters}


def _seconds(value: Any) -> float | None:
    if isinstance(value, Mapping):
        return float(value["ns"]) / 1e9 if "ns" in value else None
    try:
        return parse_time(value) / 1e9 if isinstance(value, str) else None
    except UnitError:
        return None
