"""The search space of `penstock challenge`: a bottleneck with long flows, datagrams and short transfers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from penstock.results.display import join_with_and, with_spaced_unit
from penstock.scenario.document import Document
from penstock.scenario.scenario import Scenario
from penstock.units import format_rate, format_time

__all__ = [
    "BOTTLENECK",
    "CONTROLS",
    "COORDINATES",
    "FULL_BITS",
    "MAX_PACKETS",
    "Coordinate",
    "Network",
    "network_at",
    "rate_words",
    "time_words",
]

BOTTLENECK = "bottleneck"
"""Name of the link whose queue is replaced by each scheme."""

MAX_PACKETS = 200_000
"""Maximum number of full packets that the bottleneck can send in a run; it bounds the rate.

Own decision: such a run takes about 0.2 s (`penstock.studies.run_time`), so that a minute allows hundreds of them."""

MIN_PACKETS = 2_000
"""Minimum number of full packets that the bottleneck can send in a run; it makes runs on slow links longer.

After the warm-up, 1400 packets are left: the 99th percentile of their delay is exceeded by 14."""

RUN_ROUND_TRIPS = 100
"""Minimum duration of a run in multiples of the longest round trip, up to the longest of `DURATIONS_S`.

Of these, 70 are measured. Reno grows by a packet per round trip (RFC 5681), so they contain at least one cycle of a
window of 140 packets."""

DURATIONS_S = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60)
"""Durations of runs in seconds: round values, at most a third apart. Own decision."""

WARMUP, UDP_START = 0.3, 0.6
"""Fractions of a run after which the statistics and the datagrams start.

Long flows start in the first half of the warm-up, so that each has at least 15 round trips for its slow start: enough
to double a window of 10 packets (RFC 6928) beyond `MAX_PACKETS`. The datagrams start near the middle of the measured
time, to show the reaction to their start. The fractions are an own decision."""

FULL_BITS = 12_000
"""Size of a full packet in bits: 1500 bytes."""

MIN_LIMIT_PACKETS = 10
"""Minimum limit of the queue in packets: an initial window (RFC 6928)."""

TRANSFER_BYTES = 30_000
"""Size of a short transfer in bytes: 21 packets of 1460, which take two rounds, of 10 (RFC 6928) and of 20 packets."""

CONTROLS = {"cubic": "CUBIC", "reno": "Reno", "bbr": "BBR"}
"""Congestion controls: the keys of scenarios and the names in print."""


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of the space.

    Attributes:
        low: smallest value.
        high: largest value.
        off: the value without this feature, which half of the sample has; None if the coordinate is never off.
        choices: the values of a coordinate that is not a number, the simplest first; empty for a number.
        simple_values: round values, the most usual first.
        is_linear: whether the value is uniformly distributed; otherwise its logarithm is.

    """

    low: float = 0.0
    high: float = 1.0
    off: float | None = None
    choices: tuple[Any, ...] = ()
    simple_values: tuple[float, ...] = ()
    is_linear: bool = False

    def value(self, u: float, high: float | None = None, *, is_never_off: bool = False) -> Any:
        """The value at `u` from 0 to 1, rounded to two digits. A number is at most `high`, before rounding."""
        if self.choices:
            return self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)]
        if self.off is not None and not is_never_off:
            if u < 0.5:
                return self.off
            u = 2 * u - 1
        top = self.high if high is None else min(self.high, high)
        value = self.low + u * (top - self.low) if self.is_linear else self.low * (top / self.low) ** u
        return float(f"{value:.2g}")


COORDINATES: dict[str, Coordinate] = {
    "rtt": Coordinate(0.005, 0.6, simple_values=(0.1, 0.05, 0.2, 0.02, 0.5, 0.01, 0.005)),
    "far": Coordinate(2, 20, off=1, simple_values=(1, 2, 5, 10, 20)),
    "rate": Coordinate(1e6, 1e9, simple_values=(1e7, 1e8, 1e6, 2e7, 5e7, 5e6, 2e6, 2e8, 5e8, 1e9)),
    "flows": Coordinate(1, 100, simple_values=(1, 2, 5, 10, 20, 50, 100)),
    "buffer": Coordinate(0.1, 10, simple_values=(1, 2, 0.5, 5, 0.2, 10, 0.1)),
    "udp": Coordinate(0.05, 1.2, off=0, simple_values=(0, 1, 0.5, 0.2, 0.1), is_linear=True),
    "short": Coordinate(0.02, 0.5, off=0, simple_values=(0, 0.1, 0.2, 0.5), is_linear=True),
    "control": Coordinate(choices=tuple(CONTROLS)),
    "ecn": Coordinate(choices=(False, True)),
}
"""The space. The longest run that the round trips need bounds the rate: see `MAX_PACKETS`.

Own decision: access links from DSL uplinks to fibre; round trips from a server in the same city to a geostationary
satellite; buffers from a tenth of the rule of thumb to ten times that; datagrams up to an overload of 20 %; short
transfers up to half of the link, so that the long flows still matter. The most usual values are those of a
measurement of an access link: 10 Mbit/s, 100 ms (RFC 8289 assumes as much), one flow, one BDP."""


@dataclass(frozen=True)
class Network:
    """A point of the space.

    Attributes:
        rtt: round trip without queueing in s.
        far: ratio of the longer round trip, of half of the long flows, to `rtt`; 1 if all are equal.
        rate: rate of the bottleneck in bit/s.
        flows: number of long flows.
        buffer: limit of the queue in bandwidth-delay products of the longest round trip.
        udp: rate of the datagrams as a fraction of the link; they start at `UDP_START`.
        short: load of the short transfers as a fraction of the link.
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
        """`bdp` divided by the number of long flows."""
        return self.bdp / self.flows

    @property
    def duration_s(self) -> int:
        """Duration of a run in s."""
        needed = max(RUN_ROUND_TRIPS * self.longest_rtt, MIN_PACKETS * FULL_BITS / self.rate)
        return next((seconds for seconds in DURATIONS_S if seconds >= needed - 1e-9), DURATIONS_S[-1])

    @property
    def is_within_bounds(self) -> bool:
        """Whether the round trips and the packets of a run are within the limits of the space."""
        is_far_possible = self.far == 1 or self.flows > 1
        is_rtt_allowed = self.longest_rtt <= COORDINATES["rtt"].high * (1 + 1e-9)
        return (
            is_far_possible and is_rtt_allowed and self.rate * self.duration_s <= MAX_PACKETS * FULL_BITS * (1 + 1e-9)
        )

    def with_coordinate(self, name: str, value: Any) -> Network:
        """A copy with another value of the coordinate `name`; with a single flow, the ratio `far` becomes 1."""
        changes: dict[str, Any] = {name: int(value) if name == "flows" else value}
        if name == "flows" and value < 2:
            changes["far"] = 1
        return replace(self, **changes)

    def document(self, seed: int = 1) -> Document:
        """The scenario, with a drop-tail queue that each scheme replaces."""
        far_count = self.flows // 2 if self.far > 1 else 0
        warmup = WARMUP * self.duration_s
        links: dict[str, Any] = {
            BOTTLENECK: {
                "from": "R1",
                "to": "R2",
                "rate": format_rate(self.rate),
                "delay": _time(self.rtt / 2),
                "queue": {"scheme": "droptail", "limit": f"{max(MIN_LIMIT_PACKETS, round(self.buffer * self.bdp))}p"},
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
        hosts = {"from": "S", "to": "R2"}
        return {"kind": "tcp", "flavour": self.control, **hosts, "count": count, "start": start, **ecn}

    def scenario_toml(self, seed: int) -> str:
        """The text of the scenario file."""
        return Scenario.from_tree(self.document(seed).tree).to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The coordinates as plain values."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The network in words, after "on"."""
        parts = [f"{self.flows} {CONTROLS[self.control]} flow{'' if self.flows == 1 else 's'}"]
        if self.ecn:
            parts[0] += " with ECN"
        if self.far > 1:
            parts[0] += f" (half with a round trip of {time_words(self.longest_rtt)})"
        if self.udp:
            parts.append(f"datagrams at {100 * self.udp:.3g} % of the link")
        if self.short:
            parts.append(f"short transfers at {100 * self.short:.3g} % of the link")
        path = [f"a round trip of {time_words(self.rtt)}", f"a buffer of {self.buffer:.3g} BDP"]
        return f"a link of {rate_words(self.rate)} with {join_with_and([*path, *parts])}"


def network_at(u: Mapping[str, float], never_off: frozenset[str] = frozenset()) -> Network:
    """The network at a point of the unit cube; the coordinates in `never_off` are not off."""
    flows = COORDINATES["flows"].value(u["flows"])
    flows = max(2, round(flows)) if "far" in never_off else round(flows)
    far = COORDINATES["far"].value(u["far"], is_never_off="far" in never_off) if flows > 1 else 1.0
    rtt = COORDINATES["rtt"].value(u["rtt"], COORDINATES["rtt"].high / far)
    duration_s = Network(rtt=rtt, far=far, rate=1e9, flows=flows, buffer=1).duration_s
    rate = COORDINATES["rate"].value(u["rate"], MAX_PACKETS * FULL_BITS / duration_s)
    rest = {
        name: COORDINATES[name].value(u[name], is_never_off=name in never_off)
        for name in ("buffer", "udp", "short", "control", "ecn")
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
    return with_spaced_unit(format_rate(bits))
