"""Values that no advice goes below, whatever a simulation of one load finds, and their sources."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.aqms.red_thresholds import RED_KIN, automatic_threshold
from penstock.scenario.loaded_link import LoadedLink
from penstock.units import UnitError, parse_length, parse_time

__all__ = ["CODEL_KIN", "INITIAL_WINDOW", "LEAST_THRESHOLD", "below", "in_packets", "least_interval_s", "least_limit"]

INITIAL_WINDOW = 10
"""Packets that a connection sends at once when it starts (RFC 6928, section 2)."""

GSO_S = 1e-3
"""Linux' senders hand over about a millisecond of data at once at their pacing rate (`tcp_min_tso_segs`: at least two
segments; at most 64 kB)."""

GSO_BYTES = 65_536

LEAST_THRESHOLD = 5.0
"""Packets: S. Floyd, R. Gummadi, S. Shenker, Adaptive RED, 2001, section 4.4, for the lower threshold."""

RTT_PER_INTERVAL = 3.0
"""RFC 8289, section 4.2: an interval of 100 ms has excellent performance up to a round trip of 300 ms."""

CODEL_KIN = ("codel", "fq-codel", "cobalt")
PIE_KIN = ("pie", "fq-pie")
THRESHOLDS = ("min_th", "max_th", "min_in", "max_in", "min_out", "max_out")


def least_limit(link: LoadedLink) -> float:
    """Packets that a buffer holds at least: an initial window, a burst of segmentation offload, and BDP / sqrt(n).

    The last part keeps the link busy with n flows (G. Appenzeller, I. Keslassy, N. McKeown, SIGCOMM 2004). A buffer
    that is smaller is no more than it is.
    """
    burst = min(max(2.0, GSO_S * link.capacity), GSO_BYTES / link.packet)
    return min(math.ceil(INITIAL_WINDOW + burst + link.bdp / math.sqrt(link.flows)), link.buffer)


def least_interval_s(link: LoadedLink) -> float:
    """CoDel's interval in seconds, at least."""
    return link.rtt / RTT_PER_INTERVAL


def below(scheme: str, parameters: Mapping[str, Any], link: LoadedLink, given: Collection[str] = ()) -> list[str]:
    """The floors that a setting is below, each as a sentence; an empty list if it may be advised.

    Parameters that the user has given have no floors.
    """
    settings = {name: value for name, value in _with_defaults(scheme, parameters).items() if name not in given}
    reasons = []
    for name in THRESHOLDS if scheme in RED_KIN | {"wred", "rio"} else ():
        values = settings.get(name)
        for value in values if isinstance(values, list) else [values]:
            packets = in_packets(name, value, {**settings, "scheme": scheme}, link)
            if packets is not None and packets < LEAST_THRESHOLD - 1e-9:
                reasons.append(f"{name} is less than {LEAST_THRESHOLD:g} packets")
            if packets is not None and packets > link.buffer:
                reasons.append(f"{name} is beyond the buffer of {link.buffer:g} packets")
    target, interval = (_seconds(settings.get(name)) for name in ("target", "interval"))
    if scheme in (*CODEL_KIN, *PIE_KIN) and target is not None and target < link.packet_s * (1 - 1e-9):
        reasons.append(f"target is less than the {1e3 * link.packet_s:.3g} ms that a packet takes (RFC 8290, 5.2.2)")
    if scheme in CODEL_KIN and interval is not None and interval < least_interval_s(link) * (1 - 1e-9):
        reasons.append(f"interval is less than a third of the round trip of {1e3 * link.rtt:.3g} ms (RFC 8289, 4.2)")
    limit = in_packets("limit", settings.get("limit"), {}, link)
    if limit is not None and limit < least_limit(link):
        reasons.append(f"limit holds less than a start, a burst and BDP / sqrt(n), {least_limit(link):.0f} packets")
    return list(dict.fromkeys(reasons))


def in_packets(name: str, value: Any, table: Mapping[str, Any], link: LoadedLink) -> float | None:
    """A length of a queue in packets of the link; None if it is not given, or not a length."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    share = {
        "packets": 1.0,
        "bytes": 1 / link.packet,
        "ns": link.capacity / 1e9,
        "buffer": link.buffer,
        "bdp": link.bdp,
    }
    try:
        length = automatic_threshold(name, {**table, name: value}, link.rate) or parse_length(value)
    except (UnitError, TypeError, ValueError):
        return None
    return float(length.amount) * share[length.unit]


def _with_defaults(scheme: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a setting with the defaults of those that floors are about."""
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
