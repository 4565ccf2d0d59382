"""The networks that `penstock challenge` searches: a bottleneck with long flows, datagrams and short transfers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from penstock.results.display import joined, spaced
from penstock.scenario.scenario import Document, Scenario
from penstock.units import format_rate, format_time

__all__ = ["CONTROLS", "COORDINATES", "PACKETS", "Coordinate", "Network", "drawn", "rate_words", "time_words"]

PACKETS = 200_000
"""Largest number of full packets that the bottleneck can send in a run; it bounds the rate."""

FEWEST_PACKETS = 2_000
"""Full packets that the bottleneck can send in the shortest run; they make runs on slow links longer."""

ROUND_TRIPS = 100
"""Length of a run in the longest round trip."""

DURATIONS_S = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60)

WARMUP, UDP_START = 0.3, 0.6
"""Parts of a run after which the statistics and the datagrams start."""

FULL_BITS = 12_000
"""A full packet of 1500 bytes."""

FEWEST_PLACES = 10
"""Smallest limit of the queue in packets: an initial window fits."""

TRANSFER_BYTES = 30_000


CONTROLS = {"cubic": "CUBIC", "reno": "Reno", "bbr": "BBR"}
"""Congestion controls with their names."""


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of the space.

    Attributes:
        low: smallest value.
        high: largest value.
        off: the value of half of the networks; None if there is no such value.
        choices: the values of a coordinate that is not a number, the simplest one first.
        simple: round values, the most usual one first.
        linear: whether equal steps are equally likely, instead of equal factors.

    """

    low: float = 0.0
    high: float = 1.0
    off: float | None = None
    choices: tuple[Any, ...] = ()
    simple: tuple[float, ...] = ()
    linear: bool = False

    def value(self, u: float, high: float | None = None, *, on: bool = False) -> Any:
        """The value at a place from 0 to 1, rounded to two digits; `on` leaves out the value `off`."""
        if self.choices:
            return self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)]
        if self.off is not None and not on:
            if u < 0.5:
                return self.off
            u = 2 * u - 1
        top = self.high if high is None else min(self.high, high)
        value = self.low + u * (top - self.low) if self.linear else self.low * (top / self.low) ** u
        return float(f"{value:.2g}")


COORDINATES: dict[str, Coordinate] = {
    "rtt": Coordinate(0.005, 0.6, simple=(0.1, 0.05, 0.2, 0.02, 0.5, 0.01, 0.005)),
    "far": Coordinate(2, 20, off=1, simple=(1, 2, 5, 10, 20)),
    "rate": Coordinate(1e6, 1e9, simple=(1e7, 1e8, 1e6, 2e7, 5e7, 5e6, 2e6, 2e8, 5e8, 1e9)),
    "flows": Coordinate(1, 100, simple=(1, 2, 5, 10, 20, 50, 100)),
    "buffer": Coordinate(0.1, 10, simple=(1, 2, 0.5, 5, 0.2, 10, 0.1)),
    "udp": Coordinate(0.05, 1.2, off=0, simple=(0, 1, 0.5, 0.2, 0.1), linear=True),
    "short": Coordinate(0.02, 0.5, off=0, simple=(0, 0.1, 0.2, 0.5), linear=True),
    "control": Coordinate(choices=tuple(CONTROLS)),
    "ecn": Coordinate(choices=(False, True)),
}
"""The space. The rate depends on the coordinates before it: see `PACKETS`."""


@dataclass(frozen=True)
class Network:
    """A point of the space.

    Attributes:
        rtt: round trip without queueing in s.
        far: factor by which the round trip of half of the long flows is longer; 1: none is.
        rate: of the bottleneck in bit/s.
        flows: number of long flows.
        buffer: limit of the queue in bandwidth-delay products of the longest round trip.
        udp: rate of the datagrams, which start in mid-run, as a part of the link.
        short: load of short transfers as a part of the link.
        control: congestion control of all TCP flows.
        ecn: whether TCP flows are ECN-capable.

    """

    rtt: float
    far: float
    rate: float
    flows: int
    buffer: float
    udp: float = 0.0
    short: float = 0.0
    control: str = "cubic"
    ecn: bool = False

    @property
    def longest_rtt(self) -> float:
        """The longest round trip in s."""
        return self.rtt * self.far

    @property
    def bdp(self) -> float:
        """Bandwidth-delay product of the longest round trip, in full packets."""
        return self.rate * self.longest_rtt / FULL_BITS

    @property
    def bdp_per_flow(self) -> float:
        """The same divided by the number of long flows."""
        return self.bdp / self.flows

    @property
    def duration_s(self) -> int:
        """Length of a run."""
        needed = max(ROUND_TRIPS * self.longest_rtt, FEWEST_PACKETS * FULL_BITS / self.rate)
        return next((seconds for seconds in DURATIONS_S if seconds >= needed - 1e-9), DURATIONS_S[-1])

    @property
    def is_within_bounds(self) -> bool:
        """Whether it belongs to the space, and its runs are not too long."""
        far_is_possible = self.far == 1 or self.flows > 1
        short_enough = self.longest_rtt <= COORDINATES["rtt"].high * (1 + 1e-9)
        return far_is_possible and short_enough and self.rate * self.duration_s <= PACKETS * FULL_BITS * (1 + 1e-9)

    def changed(self, name: str, value: Any) -> Network:
        """A copy with another value of a coordinate. A single flow has no other with a longer round trip."""
        changes: dict[str, Any] = {name: int(value) if name == "flows" else value}
        if name == "flows" and value < 2:
            changes["far"] = 1
        return replace(self, **changes)

    def document(self, seed: int = 1) -> Document:
        """The scenario; its queue is drop-tail with the limit of the network."""
        far_count = self.flows // 2 if self.far > 1 else 0
        warmup = WARMUP * self.duration_s
        links: dict[str, Any] = {
            "bottleneck": {
                "from": "R1",
                "to": "R2",
                "rate": format_rate(self.rate),
                "delay": _time(self.rtt / 2),
                "queue": {"scheme": "droptail", "limit": f"{max(FEWEST_PLACES, round(self.buffer * self.bdp))}p"},
                "watch": True,
            },
            "access": {"from": "S", "to": "R1", "rate": format_rate(10 * self.rate), "delay": "0ms"},
        }
        traffic: dict[str, Any] = {"near": self._tcp(self.flows - far_count, _uniform(0, warmup / 2))}
        if far_count:
            links["far-access"] = {**links["access"], "from": "F", "delay": _time(self.rtt * (self.far - 1) / 2)}
            traffic["far"] = {**self._tcp(far_count, _uniform(0, warmup / 2)), "from": "F"}
        if self.udp:
            rate, start = format_rate(round(self.udp * self.rate)), _time(UDP_START * self.duration_s)
            traffic["udp"] = {"kind": "cbr", "from": "S", "to": "R2", "rate": rate, "packet": "1472B", "start": start}
        if self.short:
            count = max(1, round(self.short * self.rate * (self.duration_s - warmup) / (8 * TRANSFER_BYTES)))
            transfer = self._tcp(count, _uniform(warmup, self.duration_s))
            traffic["short"] = {**transfer, "bytes": f"{TRANSFER_BYTES // 1000}kB"}
        head = {"name": "challenge", "duration": f"{self.duration_s}s", "warmup": _time(warmup), "seed": seed}
        return Document({**head, "links": links, "traffic": traffic})

    def _tcp(self, count: int, start: Mapping[str, Any]) -> dict[str, Any]:
        """A group of TCP flows."""
        ecn = {"ecn": True} if self.ecn else {}
        ends = {"from": "S", "to": "R2"}
        return {"kind": "tcp", "flavour": self.control, **ends, "count": count, "start": start, **ecn}

    def toml(self, seed: int) -> str:
        """The text of the scenario file."""
        return Scenario.from_tree(self.document(seed).tree).to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The coordinates as plain values."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The network in a few words."""
        parts = [f"{self.flows} {CONTROLS[self.control]} flow{'' if self.flows == 1 else 's'}"]
        if self.ecn:
            parts[0] += " with ECN"
        if self.far > 1:
            parts[0] += f", half of them with {time_words(self.longest_rtt)}"
        if self.udp:
            parts.append(f"datagrams at {100 * self.udp:.3g} % of the link")
        if self.short:
            parts.append(f"short transfers at {100 * self.short:.3g} % of the link")
        link = f"a link of {rate_words(self.rate)} and {time_words(self.rtt)}"
        return f"{link} with {joined([f'a buffer of {self.buffer:.3g} BDP', *parts])}"


def drawn(u: Mapping[str, float], on: frozenset[str] = frozenset()) -> Network:
    """The network at a place in the unit cube; the coordinates in `on` are never off."""
    flows = COORDINATES["flows"].value(u["flows"])
    flows = max(2, round(flows)) if "far" in on else round(flows)
    far = COORDINATES["far"].value(u["far"], on="far" in on) if flows > 1 else 1.0
    rtt = COORDINATES["rtt"].value(u["rtt"], COORDINATES["rtt"].high / far)
    length = Network(rtt=rtt, far=far, rate=1e9, flows=flows, buffer=1).duration_s
    rate = COORDINATES["rate"].value(u["rate"], PACKETS * FULL_BITS / length)
    rest = {
        name: COORDINATES[name].value(u[name], on=name in on) for name in ("buffer", "udp", "short", "control", "ecn")
    }
    network = Network(rtt=rtt, far=far, rate=rate, flows=flows, **rest)
    return network if network.is_within_bounds else replace(network, rate=0.9 * rate)


def _uniform(low: float, high: float) -> dict[str, Any]:
    return {"uniform": [_time(low), _time(high)]}


def _time(seconds: float) -> str:
    return format_time(round(seconds * 1e9))


def time_words(seconds: float) -> str:
    """A time such as `180 ms`."""
    return f"{1e3 * seconds:.3g} ms"


def rate_words(bits: float) -> str:
    """A rate such as `10 Mbit/s`."""
    return spaced(format_rate(bits))
