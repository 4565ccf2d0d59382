"""Estimates of the events and memory of a run, good to an order of magnitude and rather too high than too low.

The network is approximated as a fluid. Sources that do not slow down (datagrams, independently arriving transfers) are
limited to the rate of each link in turn; sources that share a link are reduced in proportion. TCP flows share the
remaining capacity of the links by max-min fairness; no flow exceeds its window per round trip or the size of its
transfer.

Events: a datagram's emission; a packet's arrival at each simulated queue, and its departure unless it is precomputed;
its arrival behind each computed link; the same for its acknowledgement, but one event for a row of computed links;
`PER_CONNECTION` for a connection; each change of a link; the timers of the AQMs. Samples of queues cost no event.

Memory: every flow and link; packets on the wire, which are rate x delay on each link; packets in queues, which are the
limit, or without one all that arrives beyond the link's rate; outstanding packets of TCP, at most the windows; open
connections, which accumulate where transfers arrive faster than the links carry them, and finished ones, whose
durations are kept; and for a traced run all events and samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.scenario.budget.offered import ENDLESS, Stream, traffic_streams
from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.draws import mean_value

__all__ = ["RunEstimate", "estimate_run", "offered_streams"]

# Measured sizes in bytes; for vectors that grow by doubling, half of the reserve is included.
PER_FLOW = 1500
PER_LINK = 3000
PER_CONNECTION_OPEN = 1000
PER_CONNECTION_DONE = 50
PER_PACKET_ON_WIRE = 70
PER_PACKET_QUEUED = 80
PER_PACKET_OUTSTANDING = 120
# Bytes per packet of the limit of a watched queue: time and samples at each length, and their distributions in the
# result.
PER_LENGTH = 60
PER_TRACED_EVENT = 60
PER_TRACED_SAMPLE = 200

FORESEEN = ("droptail", "red")
"""Schemes whose departures are computed in advance and cost no events while the link is steady."""
PER_CONNECTION = 6
TIMERS_PER_SECOND = 100
"""Assumed period of the timers of AQMs: most timers act every 10 ms or less often."""

SHARING_STEPS = 20_000
"""Maximum number of steps of the search for fair shares."""


@dataclass
class RunEstimate:
    """Events of a run and bytes of memory, by the part of the scenario that makes them, such as `traffic.bulk`."""

    events: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    memory: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def total_events(self) -> float:
        """All events."""
        return sum(self.events.values())

    @property
    def total_memory(self) -> float:
        """All bytes."""
        return sum(self.memory.values())


@dataclass(frozen=True)
class _Line:
    """A link direction: name, bits per second, seconds of delay, the limit of its queue if any, events, a flag.

    `events` is the number of events of a packet at the queue, 0 if the link is computed.
    """

    name: str
    rate: float
    delay: float
    limit: Mapping[str, float] | None
    events: int
    watched: bool


def offered_streams(resolved: Resolved) -> Iterator[Stream]:
    """The streams of a scenario's traffic."""
    return _streams(resolved, [_line(link, traced=False) for link in resolved.canonical["links"]])


def _streams(resolved: Resolved, lines: Sequence[_Line]) -> Iterator[Stream]:
    delay, pace = {line.name: line.delay for line in lines}, {line.name: line.rate for line in lines}
    return traffic_streams(resolved.canonical, resolved.route, delay, pace)


def estimate_run(resolved: Resolved, *, traced: bool = False) -> RunEstimate:
    """Estimate a run of a valid scenario; a `traced` run keeps all its events in memory."""
    canonical = resolved.canonical
    result = RunEstimate()
    lines = {link["name"]: _line(link, traced=traced) for link in canonical["links"]}
    seconds = canonical["duration_ns"] / 1e9
    _links(result, canonical, seconds)
    offered = list(_streams(resolved, list(lines.values())))
    carried = _carried(offered, lines)
    full = _full(offered, carried, lines)
    for stream, rates in zip(offered, carried, strict=True):
        _events(result, stream, rates, lines)
        _connections(result, stream, rates)
        if stream.is_elastic:
            _outstanding(result, stream, rates, lines, full)
        else:
            _held(result, stream, rates, lines)
    for group in canonical["traffic"]:
        count = len(group["from"]) if group["kind"] == "incast" else group["count"]
        result.memory[f"traffic.{group['name']}"] += PER_FLOW * count
    if traced:
        result.memory["--trace"] += result.total_events * PER_TRACED_EVENT
        watched = sum(line.watched for line in lines.values())
        result.memory["sampling"] += watched * canonical["duration_ns"] / canonical["sampling_ns"] * PER_TRACED_SAMPLE
    return result


def _line(link: Mapping[str, Any], *, traced: bool) -> _Line:
    """A link direction, with the largest mean rate and delay that it has during the run."""
    rate = max(
        [mean_value(link["rate"]), *(mean_value(change["rate"]) for change in link["change"] if "rate" in change)]
    )
    delay = max(
        [mean_value(link["delay"]), *(mean_value(change["delay"]) for change in link["change"] if "delay" in change)]
    )
    if link["capacity_ms"]:
        rate = 1500 * 8e3 * len(link["capacity_ms"]) / link["capacity_ms"][-1]
    if link["jitter"] and not _is_around(link["jitter"]):
        delay += mean_value(link["jitter"])
    queue = link["queue"]
    limit = None if queue is None or queue["limit"] == "inf" else queue["limit"]
    steady = not any(link[key] for key in ("change", "outage", "capacity_ms", "jitter", "reorder", "duplicate"))
    simulated = bool(queue or link["loss"] or link["edge"] or link["watch"] or not steady)
    scheme = queue["scheme"] if queue else "droptail"
    foreseen = steady and not (traced or link["edge"] or link.get("device_queue")) and scheme in FORESEEN
    events = (1 if foreseen else 2) if simulated else 0
    return _Line(link["name"], max(rate, 1.0), delay / 1e9, limit, events, link["watch"])


def _is_around(jitter: Any) -> bool:
    """Whether jitter is around the delay, and so leaves its mean."""
    return isinstance(jitter, Mapping) and "deviation" in jitter


def _links(result: RunEstimate, canonical: Mapping[str, Any], seconds: float) -> None:
    """Changes of links and timers of AQMs."""
    result.memory["links"] += PER_LINK * len(canonical["links"])
    for link in canonical["links"]:
        for i, change in enumerate(link["change"]):
            every = change["when"].get("every_ns")
            if every:
                result.events[f"links.{link['name']}.change[{i}]"] += seconds * 1e9 / every
        if link["queue"]:
            result.events[f"links.{link['name']}.queue"] += TIMERS_PER_SECOND * seconds


def _carried(offered: list[Stream], lines: Mapping[str, _Line]) -> list[list[float]]:
    """For each stream, the packets per second that arrive at each link of its route and at its end."""
    rates = [[stream.packet_rate] * (len(stream.route) + 1) if not stream.is_elastic else [] for stream in offered]
    load: dict[str, float] = {}
    copies = _copies(offered)
    # Each round propagates the reduction at a link to the next link.
    for _ in range(5):
        load = defaultdict(float)
        for stream, at in zip(offered, rates, strict=True):
            for link, rate in zip(stream.route, at, strict=False):
                load[link] += rate * stream.packet_bits
        for stream, at in zip(offered, rates, strict=True):
            for k, link in enumerate(stream.route if at else ()):
                at[k + 1] = at[k] * min(1.0, lines[link].rate * copies[link] / max(load[link], 1e-9))
    left = {
        link: max(lines[link].rate * copies[link] - load[link], 0.01 * lines[link].rate)
        for stream in offered
        for link in stream.route
    }
    elastic = [number for number, stream in enumerate(offered) if stream.is_elastic]
    shares = _fair_shares([offered[number] for number in elastic], left)
    for number, share in zip(elastic, shares, strict=True):
        rates[number] = [share] * (len(offered[number].route) + 1)
    return rates


def _copies(offered: list[Stream]) -> Mapping[str, float]:
    """For each link, the number of links that it represents, because the only stream on it represents several."""
    users: dict[str, list[float]] = defaultdict(list)
    for stream in offered:
        for link in stream.route:
            users[link].append(stream.represented_pairs)
    return {link: copies[0] if len(copies) == 1 else 1.0 for link, copies in users.items()}


def _fair_shares(offered: list[Stream], left: dict[str, float]) -> list[float]:
    """Packets per second of each TCP stream: max-min fair among flows, with `left` bits per second on each link."""
    shares = [0.0] * len(offered)
    waiting = dict(enumerate(offered))
    rounds = max(3, SHARING_STEPS // max(1, sum(len(stream.route) for stream in offered)))
    while waiting:
        rounds -= 1
        flows: dict[str, float] = defaultdict(float)
        for stream in waiting.values():
            for link in stream.route:
                flows[link] += stream.flows
        levels = {}
        for number, stream in waiting.items():
            level = min((left[link] / flows[link] for link in stream.route), default=ENDLESS)
            levels[number] = min(level, stream.packet_rate * stream.packet_bits / stream.flows)
        lowest = min(levels.values()) if rounds > 0 else ENDLESS
        for number in [number for number, level in levels.items() if level <= lowest * (1 + 1e-9)]:
            stream = waiting.pop(number)
            shares[number] = levels[number] * stream.flows / stream.packet_bits
            for link in stream.route:
                left[link] = max(left[link] - levels[number] * stream.flows, 0.0)
    return shares


def _events(result: RunEstimate, stream: Stream, rates: list[float], lines: Mapping[str, _Line]) -> None:
    """Number of events caused by packets and by ACKs."""
    sent = [rate * stream.active_s for rate in rates]
    events = 0.0 if stream.reverse_route else sent[0]
    for link, packets in zip(stream.route, sent, strict=False):
        events += packets * (lines[link].events or 1)
    computed = False
    for link in stream.reverse_route:
        # ACKs cross a row of computed links in one event.
        events += sent[-1] * (lines[link].events or int(not computed))
        computed = lines[link].events == 0
    result.events[f"traffic.{stream.group}"] += events


def _connections(result: RunEstimate, stream: Stream, rates: list[float]) -> None:
    """Connections that sessions open: the number open at the same time, and the number that end."""
    if not stream.session_transfer_pkts:
        return
    group = f"traffic.{stream.group}"
    carried = rates[-1] / stream.session_transfer_pkts
    # Transfers that the links cannot carry stay open, and so do those in progress.
    waiting = max(stream.connections_per_second - carried, 0.0) * stream.active_s + carried * (
        10 * stream.round_trip_s + 0.2
    )
    waiting = min(waiting, stream.max_open_connections)
    opened = min(stream.connections_per_second, carried + waiting / stream.active_s)
    result.events[group] += PER_CONNECTION * opened * stream.active_s
    result.memory[group] += PER_CONNECTION_OPEN * min(waiting, opened * stream.active_s)
    result.memory[group] += PER_CONNECTION_DONE * carried * stream.active_s


def _full(offered: list[Stream], carried: list[list[float]], lines: Mapping[str, _Line]) -> set[str]:
    """Links loaded to nine tenths or more, at which queues grow."""
    load: dict[str, float] = defaultdict(float)
    for stream, rates in zip(offered, carried, strict=True):
        for link, rate in zip(stream.route, rates, strict=False):
            load[link] += rate * stream.packet_bits / stream.represented_pairs
    return {link for link, bits in load.items() if bits >= 0.9 * lines[link].rate}


def _outstanding(
    result: RunEstimate, stream: Stream, rates: list[float], lines: Mapping[str, _Line], full: set[str]
) -> None:
    """TCP packets in flight and in queues: at most the windows, the packets sent, and the capacity of the network."""
    fits = rates[0] * stream.round_trip_s + 64 * stream.flows
    limits = [_limit(lines[link], stream.packet_bits) for link in stream.route if link in full]
    for link in stream.route:
        fits += (_limit(lines[link], stream.packet_bits) or 0.0) * min(
            rates[0] * stream.packet_bits / lines[link].rate, 1.0
        )
    # Losses at a full limited queue also bound the queues without a limit.
    if limits and all(limit is None for limit in limits):
        fits = ENDLESS
    connections = min(stream.flows, stream.max_open_connections)
    packets = min(fits, connections * stream.max_window, 2 * rates[0] * stream.active_s)
    watched = any(lines[link].watched for link in stream.route)
    result.memory[f"traffic.{stream.group}"] += packets * (PER_PACKET_OUTSTANDING + PER_LENGTH * watched)


def _held(result: RunEstimate, stream: Stream, rates: list[float], lines: Mapping[str, _Line]) -> None:
    """Packets of sources that do not slow down, in flight and in queues."""
    connected = stream.max_open_connections < ENDLESS or bool(stream.session_transfer_pkts)
    for k, link in enumerate(stream.route):
        line = lines[link]
        on_wire = rates[k + 1] * min(line.delay, stream.active_s)
        result.memory[f"traffic.{stream.group}"] += on_wire * PER_PACKET_ON_WIRE
        excess = max(rates[k] - rates[k + 1], 0.0) * stream.active_s
        limit = _limit(line, stream.packet_bits)
        if limit is not None:
            excess = min(excess, limit)
        elif connected:
            # Every open connection has at most one window of packets here.
            excess = min(excess, stream.connections_per_second * stream.active_s * stream.max_window)
        result.memory[f"links.{link}.queue"] += excess * (PER_PACKET_QUEUED + PER_LENGTH * line.watched)


def _limit(line: _Line, bits: float) -> float | None:
    """The limit of a queue in packets; None without a limit."""
    if line.limit is None:
        return None
    unit, amount = next(iter(line.limit.items()))
    return amount if unit == "packets" else amount * 8 / bits
