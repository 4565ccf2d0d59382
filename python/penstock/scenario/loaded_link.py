"""A link and its load, as the numbers that design rules need: rate, round trip, buffer, packet size, flows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.draws import mean_value

__all__ = ["LARGEST_BDP", "LoadedLink", "queue_table"]

DEFAULT_RTT_S = 0.1
"""For a link that no flow's round trip crosses; RFC 8289 assumes 100 ms for the Internet."""

LARGEST_BDP = 4.0
"""Assumed buffer of a queue without a limit, in bandwidth-delay products; at least 4 packets."""


@dataclass(frozen=True)
class LoadedLink:
    """A link direction and its load.

    Attributes:
        place: name of the direction, such as `bottleneck` or `bottleneck.reverse`.
        rate_bps: rate in bit/s; the mean of a rate that is drawn for each run.
        rtt_s: longest propagation round trip of its flows.
        buffer_pkts: limit of the queue in packets of `packet_bytes`.
        packet_bytes: size of a full packet with headers.
        flows: number of endless TCP flows of the scenario (kind `tcp`), at least 1.
        has_tcp_flows: whether the scenario has such flows, and a round trip over this link is known.
        receive_window_sum: sum of the receive windows of these flows in packets; infinite if any is random or
            unknown.
        drop_precedences: number of drop precedences among the codepoints of the traffic (RFC 2597), at least 1.
        is_scalable: whether there are TCP flows, and all of them are DCTCP or Prague.

    """

    place: str
    rate_bps: float
    rtt_s: float
    buffer_pkts: float
    packet_bytes: float
    flows: int
    has_tcp_flows: bool = True
    receive_window_sum: float = math.inf
    drop_precedences: int = 1
    is_scalable: bool = False

    @property
    def packet_s(self) -> float:
        """Transmission time of a full packet in seconds."""
        return 8 * self.packet_bytes / self.rate_bps

    @property
    def capacity(self) -> float:
        """Full packets per second."""
        return 1 / self.packet_s

    @property
    def bdp(self) -> float:
        """Bandwidth-delay product in packets."""
        return self.rtt_s * self.capacity

    def weight(self, trips: float) -> float:
        """RED's w_q for an average with a time constant t of this number of round trips: 1 - exp(-1 / (C t))."""
        return -math.expm1(-1 / (self.capacity * trips * self.rtt_s))

    @classmethod
    def from_scenario(cls, resolved: Resolved, place: str) -> LoadedLink:
        """The link direction `place` of a scenario."""
        canonical = resolved.canonical
        entry = next(link for link in canonical["links"] if link["name"] == place)
        groups = [group for group in canonical["traffic"] if group["kind"] == "tcp"]
        packet = resolved.largest_packet_on(place)
        trip = resolved.round_trip(place)
        rtt = trip / 1e9 if trip else DEFAULT_RTT_S
        limit = (entry["queue"] or {}).get("limit") or {}
        rate = mean_value(entry["rate"])
        bdp = rtt * rate / (8 * packet)
        buffer = limit["packets"] if "packets" in limit else limit["bytes"] / packet if "bytes" in limit else None
        flows = sum(int(group.get("count", 1)) for group in groups)
        room = float(buffer or max(4.0, LARGEST_BDP * bdp))
        windows = sum(int(group.get("count", 1)) * _window(resolved, group["name"]) for group in groups)
        return cls(
            place,
            rate,
            rtt,
            room,
            packet,
            max(flows, 1),
            bool(trip) and flows > 0,
            windows or math.inf,
            _precedences(canonical["traffic"]),
            bool(groups) and all(group["tcp"]["flavour"] in ("dctcp", "prague") for group in groups),
        )


def _precedences(traffic: Sequence[Mapping[str, Any]]) -> int:
    """The number of drop precedences among the codepoints of assured forwarding AF11 to AF43 (RFC 2597, section 6)."""
    points = {group["dscp"] for group in traffic if isinstance(group["dscp"], int)}
    assured = {dscp % 8 // 2 for dscp in points if 10 <= dscp <= 38 and dscp % 8 in (2, 4, 6)}
    return max(1, len(assured))


def _window(resolved: Resolved, name: str) -> float:
    """The receive window of a flow of this traffic in packets; infinite if it is random or unknown."""
    window = resolved.readable["traffic"].get(name, {}).get("window")
    return float(window) if isinstance(window, (int, float)) else math.inf


def queue_table(resolved: Resolved, place: str) -> Any:
    """The queue of a link direction as `check` shows it; None if it has none."""
    link = resolved.readable["links"][place.removesuffix(".reverse")]
    back = link.get("reverse", {}).get("queue")
    return back if place.endswith(".reverse") and back != "same" else link.get("queue")
