"""Packet sizes on the wire, from the canonical form of the traffic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Final

from penstock.aqms.catalog import tcp_keys
from penstock.scenario.resolve.draws import mean_value

__all__ = ["FULL_PACKET", "LargestPackets", "full_packet_bytes"]

FULL_PACKET: Final = 1500
"""Bytes of a full packet on an Ethernet link, where no traffic gives a size."""


def full_packet_bytes(group: Mapping[str, Any]) -> float | None:
    """Bytes of a full data packet of this traffic with its headers, the mean if drawn.

    None for recorded packets, and for a size that is an error.
    """
    if "tcp" in group:
        tcp = group["tcp"]
        sizes = _tcp_sizes(tcp["profile"]) | {
            key: value["bytes"] for key, value in tcp["settings"].items() if key in ("packet", "headers")
        }
        return None if None in sizes.values() else float(sizes["packet"] + sizes["headers"])
    sender = group.get("udp") or group.get("video")
    if sender is None or sender["payload"] is None or sender["headers"] is None:
        return None
    return float(mean_value(sender["payload"]) + sender["headers"])


class LargestPackets:
    """The largest full data packet on each link direction."""

    def __init__(self, groups: Sequence[tuple[Mapping[str, Any], Callable[[], Iterable[str]]]]) -> None:
        """From the groups of traffic, each with a function that returns the link directions that its data cross."""
        self._groups = groups

    @cached_property
    def _largest(self) -> Mapping[str, float]:
        largest: dict[str, float] = {}
        for group, crossed in self._groups:
            if size := full_packet_bytes(group):
                largest |= {name: max(size, largest.get(name, 0.0)) for name in crossed()}
        return largest

    def largest_packet_on(self, place: str) -> float:
        """The largest full data packet that crosses a link direction, in bytes with headers.

        Where no data cross, the largest packet of the scenario; `FULL_PACKET` if no traffic has a size.
        """
        return self._largest.get(place) or max(self._largest.values(), default=float(FULL_PACKET))


@cache
def _tcp_sizes(profile: str) -> dict[str, float]:
    """Payload and headers of a packet in bytes, for a profile."""
    return {
        param.name: param.with_profile_default(profile).default
        for param in tcp_keys().params
        if param.name in ("packet", "headers")
    }
