"""The dumbbell of RFC 7928, section 3.1, and its numbers: sizes, loads, buffers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.scenario.document import Document

__all__ = ["HEAVY", "MEDIUM", "MILD", "Dumbbell", "Table", "traffic_table"]

Table = dict[str, Any]

MILD, MEDIUM, HEAVY = 0.036, 0.081, 0.114
"""Flows per packet of S, section 8.2.1: N = S sqrt(l_r / 0.76), for losses of 0.1, 0.5 and 1 % behind drop-tail."""


@dataclass(frozen=True)
class Dumbbell:
    """The bottleneck, and the lengths of runs.

    Attributes:
        rate_bps: rate of the bottleneck in bit/s.
        rtt_ms: round trip without queueing.
        packet_bytes: size of a data packet in bytes, headers included.
        duration_s: duration of a run; doubled for the fairness of round trips.
        start_s: time from which numbers count, and at which changing loads and capacities begin: by then all flows
            have left the slow start in which they began.

    """

    rate_bps: float = 10e6
    rtt_ms: float = 100.0
    packet_bytes: int = 1500
    duration_s: float = 300.0
    start_s: float = 40.0

    @property
    def bdp(self) -> float:
        """Bandwidth-delay product in packets."""
        return self.rate_bps * self.rtt_ms / 1e3 / 8 / self.packet_bytes

    def buffer(self, rtt_ms: float | None = None) -> int:
        """Section 3.2: the bandwidth-delay product of the longest round trip, in packets, at least 10."""
        return max(10, round(self.bdp * (rtt_ms or self.rtt_ms) / self.rtt_ms))

    def flows(self, share: float) -> int:
        """Section 8.2.1: the number of flows, ROUND(share S) with S = BDP + buffer, at least 1."""
        return max(1, round(share * (self.bdp + self.buffer())))

    def scenario(
        self,
        name: str,
        traffic: Mapping[str, Table],
        *,
        trips_ms: Mapping[str, float] | None = None,
        duration_s: float | None = None,
        link: Mapping[str, Any] | None = None,
        back: bool = False,
    ) -> Document:
        """A dumbbell with these groups of traffic; nodes with a round trip other than the usual one are given with it.

        Senders are at "A" and receivers at "B", routers "L" and "R"; with `back` the queue works in both directions.
        """
        trips = {"A": self.rtt_ms, **(trips_ms or {})}
        core = min(trips.values()) / 2 * 0.9
        links: dict[str, Table] = {
            "bottleneck": {
                "from": "L",
                "to": "R",
                "rate": _rate(self.rate_bps),
                "delay": _ms(core),
                "queue": {"scheme": "droptail", "limit": f"{self.buffer(max(trips.values()))}p"},
                "watch": True,
                **({"reverse": {"queue": "same", "watch": True}} if back else {}),
                **(link or {}),
            },
            "right": {"from": "R", "to": "B", "rate": _rate(10 * self.rate_bps), "delay": "0ms"},
        }
        for node, trip in trips.items():
            links[f"left-{node}"] = {
                "from": node,
                "to": "L",
                "rate": _rate(10 * self.rate_bps),
                "delay": _ms(trip / 2 - core),
            }
        return Document(
            {
                "name": name,
                "duration": f"{duration_s or self.duration_s:g}s",
                "warmup": f"{self.start_s:g}s",
                "links": links,
                "traffic": {label: dict(table) for label, table in traffic.items()},
            }
        )

    def tcp(self, count: int = 1, flavour: str = "sack", **more: Any) -> Table:
        """Long-lived flows that start within the first second, by default NewReno with SACK (section 3.3)."""
        return {
            **traffic_table("tcp"),
            "flavour": flavour,
            "profile": "linux",
            "count": count,
            "packet": f"{self.packet_bytes - 40}B",
            "start": {"uniform": ["0s", "1s"]},
            **more,
        }


def traffic_table(kind: str, source: str = "A", to: str = "B") -> Table:
    """The head of a group of traffic."""
    return {"kind": kind, "from": source, "to": to}


def _rate(bits: float) -> str:
    return f"{bits / 1e3:g}kbit"


def _ms(value: float) -> str:
    return f"{value:.6g}ms"
