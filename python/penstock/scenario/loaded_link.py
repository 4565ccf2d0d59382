"""A link with its load, in the numbers that rules need: rate, round trip, buffer, packet, flows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.scenario.resolve import Resolved

__all__ = ["LARGEST_BDP", "LoadedLink"]

DEFAULT_RTT_S = 0.1
"""Where no flow's round trip crosses the link; RFC 8289 takes 100 ms for the Internet."""

LARGEST_BDP = 4.0
"""The buffer of a link without a limit, in bandwidth-delay products."""


@dataclass(frozen=True)
class LoadedLink:
    """A link direction with its load.

    Attributes:
        place: its name.
        rate: in bit/s.
        rtt: longest propagation round trip of its flows, in seconds.
        buffer: limit of the queue in packets.
        packet: size of a full packet in bytes, with headers.
        flows: TCP flows of the scenario, at least 1.
        flows_cross: whether there are endless TCP flows, and a round trip over this link is known.
        windows: most packets that they have in flight together, by the windows of their receivers.
        precedences: drop precedences of the traffic's codepoints (RFC 2597), at least 1.
        scalable: whether there are TCP flows, and all of them are DCTCP or Prague.

    """

    place: str
    rate: float
    rtt: float
    buffer: float
    packet: float
    flows: int
    flows_cross: bool = True
    windows: float = math.inf
    precedences: int = 1
    scalable: bool = False

    @property
    def packet_s(self) -> float:
        """Transmission time of a packet in seconds."""
        return 8 * self.packet / self.rate

    @property
    def capacity(self) -> float:
        """Packets a second."""
        return 1 / self.packet_s

    @property
    def bdp(self) -> float:
        """Bandwidth-delay product in packets."""
        return self.rtt * self.capacity

    def weight(self, trips: float) -> float:
        """RED's w_q for an average with a time constant of this number of round trips, 1 - exp(-1 / (C t))."""
        return -math.expm1(-1 / (self.capacity * trips * self.rtt))

    @classmethod
    def of(cls, resolved: Resolved, place: str) -> LoadedLink:
        """The link of a scenario."""
        canonical = resolved.canonical
        entry = next(link for link in canonical["links"] if link["name"] == place)
        groups = [group for group in canonical["traffic"] if group["kind"] == "tcp"]
        packet = resolved.packet_on(place)
        trip = resolved.round_trip(place)
        rtt = trip / 1e9 if trip else DEFAULT_RTT_S
        limit = (entry["queue"] or {}).get("limit") or {}
        rate = float(entry["rate"])
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
            bool(groups) and all(group.get("flavour") in ("dctcp", "prague") for group in groups),
        )


def _precedences(traffic: Sequence[Mapping[str, Any]]) -> int:
    """The number of drop precedences among the codepoints of assured forwarding AF11 to AF43 (RFC 2597, section 6)."""
    points = {group["dscp"] for group in traffic if isinstance(group["dscp"], int)}
    assured = {dscp % 8 // 2 for dscp in points if 10 <= dscp <= 38 and dscp % 8 in (2, 4, 6)}
    return max(1, len(assured))


def _window(resolved: Resolved, name: str) -> float:
    """The receivers' window of this traffic in packets; infinite if it is drawn."""
    window = resolved.readable["traffic"].get(name, {}).get("window")
    return float(window) if isinstance(window, (int, float)) else math.inf
