"""The load offered by the traffic of a resolved scenario: packets, connections and windows, before any queue.

A group of flows becomes one `Stream` for each pair of ends. All values are means over a run: a drawn value is replaced
by its mean, a start by the mean remaining time of a flow. The load of senders that wait for answers (`web`, `incast`
and `onoff` over TCP) is bounded by their round trip without queueing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, lcm
from typing import Any

from penstock.aqms.catalog import tcp_keys
from penstock.scenario.captures import recorded_load
from penstock.scenario.resolve.draws import mean_value
from penstock.scenario.resolve.packet_sizes import full_packet_bytes

__all__ = ["ENDLESS", "Route", "Stream", "traffic_streams"]

ENDLESS = 1e30
"""Represents "unlimited": packets or connections per second of a source without gaps."""

MAX_PAIRS = 2000
"""Maximum number of pairs of ends considered per group; if there are more, evenly spaced ones represent the others."""

_SETTINGS = ("packet", "window", "packets", "bytes", "initial_window")
MAX_DOUBLINGS = 60

Route = Callable[[str, str, Sequence[str] | None], list[str]]
"""A function that returns the link directions between two nodes, along a given path or the shortest one."""


@dataclass
class Stream:
    """Flows of one group between the same two ends.

    Attributes:
        group: name of the traffic.
        route: link directions of the data.
        reverse_route: link directions of the acknowledgements; empty for datagrams.
        flows: number of flows; of incast, of senders.
        represented_pairs: number of pairs of sender and receiver that this pair stands for.
        active_s: mean time that a flow is active.
        packet_bits: size of a packet on the wire.
        packet_rate: packets per second that the flows offer together if nothing is lost, at most `ENDLESS`.
        is_elastic: whether they offer less when packets are lost. Transfers that arrive by themselves are not elastic.
        round_trip_s: propagation in both directions, and one packet's transmission on every link of the route.
        max_window: packets that one connection has outstanding at most.
        connections_per_second: connections that all flows together open per second, even if earlier ones are open.
        session_transfer_pkts: packets of a connection that is opened by a session, else 0.
        max_open_connections: connections that the sessions have open together at most.

    """

    group: str
    route: list[str]
    reverse_route: list[str]
    flows: float
    represented_pairs: float
    active_s: float
    packet_bits: float
    packet_rate: float
    is_elastic: bool = False
    round_trip_s: float = 0.0
    max_window: float = 0.0
    connections_per_second: float = 0.0
    session_transfer_pkts: float = 0.0
    max_open_connections: float = ENDLESS

    @property
    def is_limited_by_window(self) -> bool:
        """Whether the windows of long-lived flows limit the offered load."""
        lasts = self.is_elastic and not self.session_transfer_pkts and self.round_trip_s > 0
        return lasts and self.packet_rate >= 0.999 * self.flows * self.max_window / self.round_trip_s


def traffic_streams(
    canonical: Mapping[str, Any], route: Route, delay: Mapping[str, float], pace: Mapping[str, float]
) -> Iterator[Stream]:
    """The streams of all traffic; `delay` gives the seconds and `pace` the bits per second of each link direction."""
    for group in canonical["traffic"]:
        started, seconds = _activity(group, canonical["duration_ns"])
        flows = started * (len(group["from"]) if group["kind"] == "incast" else group["count"])
        if flows <= 0 or seconds <= 0:
            continue
        pairs, copies = _pairs(group)
        settings = _settings(group["tcp"]) if "tcp" in group else {}
        for source, target in pairs:
            there = route(source, target, group["path"])
            back = route(target, source, group["path"] and group["path"][::-1]) if "tcp" in group else []
            stream = Stream(group["name"], there, back, flows / len(pairs), copies, seconds, 8000.0, ENDLESS)
            if "tcp" in group:
                _tcp(stream, group, settings, delay, pace)
            else:
                stream.packet_bits, rate = _datagrams(group, seconds)
                stream.packet_rate = min(rate * stream.flows, ENDLESS)
            yield stream


def _activity(group: Mapping[str, Any], duration_ns: int) -> tuple[float, float]:
    """The fraction of the flows that start within the run, and the mean time in seconds that these are active."""
    end = min(duration_ns, group["stop_ns"]) if group["stop_ns"] is not None else duration_ns
    start = group["start"]
    if "uniform_ns" in start:
        first, last = start["uniform_ns"]
        within = 1.0
        if last > end:
            within, last = (end - first) / (last - first), end
    else:
        first, every, count = start["first_ns"], start["every_ns"], group["count"]
        starting = min(count, (end - first) / every + 1) if every else count
        within, last = starting / max(count, 1), first + every * max(starting - 1, 0)
    return within, max(end - (first + last) / 2, 0.0) / 1e9


def _pairs(group: Mapping[str, Any]) -> tuple[list[tuple[str, str]], float]:
    """The ends of the flows, at most `MAX_PAIRS` of them, and the number of pairs that each stands for."""
    sources, targets = group["from"], group["to"]
    every = group["kind"] in ("web", "incast")
    number = len(sources) * len(targets) if every else min(group["count"], lcm(len(sources), len(targets)))
    step = max(number / MAX_PAIRS, 1.0)
    chosen = [int(i * step) for i in range(int(number / step))]
    if every:
        return [(sources[i // len(targets)], targets[i % len(targets)]) for i in chosen], step
    return [(sources[i % len(sources)], targets[i % len(targets)]) for i in chosen], step


def _datagrams(group: Mapping[str, Any], seconds: float) -> tuple[float, float]:
    """Size of a packet on the wire in bits, and packets per second of one flow."""
    if "replay" in group:
        load = recorded_load(group["replay"]["file"])
        return 8.0 * load.total_bytes / load.packet_count, load.packet_count / max(seconds, load.duration_s)
    bits = 8.0 * max(full_packet_bytes(group) or 0.0, 1.0)
    if "video" in group:
        return bits, group["video"]["rate"] / bits + group["video"]["fps"]
    udp = group["udp"]
    rate = mean_value(udp["rate"]) / bits
    if "fec" in group:
        rate *= (group["fec"]["k"] + group["fec"]["h"]) / group["fec"]["k"]
    if "onoff" in group and rate:
        on, off = mean_value(group["onoff"]["on"]), mean_value(group["onoff"]["off"], seconds * 1e9)
        on = on * 1e9 / rate if group["onoff"]["unit"] == "packets" else on
        rate *= on / max(on + off, 1)
    return bits, rate


def _tcp(
    stream: Stream,
    group: Mapping[str, Any],
    settings: Mapping[str, float],
    delay: Mapping[str, float],
    pace: Mapping[str, float],
) -> None:
    """Fill in the load of TCP flows or connections."""
    stream.is_elastic = True
    stream.packet_bits = 8 * (full_packet_bytes(group) or 0.0)
    stream.max_window = settings["window"]
    ways = [*stream.route, *stream.reverse_route]
    stream.round_trip_s = sum(delay[link] for link in ways) + sum(
        stream.packet_bits / pace[link] for link in stream.route
    )
    trip, seconds = max(stream.round_trip_s, 1e-9), stream.active_s
    # Slow start doubles the window in every round trip.
    doublings = min(seconds / trip + 1, MAX_DOUBLINGS)
    most = min(stream.max_window / trip, settings["initial_window"] * 2**doublings / seconds)
    size = settings["packets"] or (settings["bytes"] and ceil(settings["bytes"] / settings["packet"]))
    if size:
        most = min(most, size / seconds)
    most = min(most, _written(group["tcp"]["settings"], settings["packet"], seconds))
    if _is_session(group):
        _connections(stream, group, settings["packet"], trip)
    else:
        stream.packet_rate = stream.flows * most


def _written(settings: Mapping[str, Any], packet: float, seconds: float) -> float:
    """Packets per second that the application writes."""
    size = settings["write"]["bytes"] if "write" in settings else packet
    if "write_every" in settings:
        return float(ceil(size / packet) * _per_second(settings["write_every"]["ns"]))
    if "write_rate" in settings:
        return float(settings["write_rate"] / (8 * size) * ceil(size / packet))
    if "writes" in settings:
        return float(sum(ceil(write / packet) for write in settings["writes"][1::2]) / seconds)
    return ENDLESS


def _settings(tcp: Mapping[str, Any]) -> dict[str, float]:
    """The parameters that matter here, given or from the profile; 0 for unlimited ones."""
    settings = _defaults(tcp["profile"]) | {key: value for key, value in tcp["settings"].items() if key in _SETTINGS}
    sizes = {key: value["bytes"] if isinstance(value, Mapping) else value for key, value in settings.items()}
    return {key: float(size or 0) for key, size in sizes.items()}


@cache
def _defaults(profile: str) -> dict[str, Any]:
    return {
        param.name: param.with_profile_default(profile).default
        for param in tcp_keys().params
        if param.name in _SETTINGS
    }


def _is_session(group: Mapping[str, Any]) -> bool:
    return bool(group.get("transfers")) or any(key in group for key in ("web", "onoff", "incast"))


def _connections(stream: Stream, group: Mapping[str, Any], packet: float, trip: float) -> None:
    """Fill in the connections that all sessions together open, each of mean size."""
    nanos = stream.active_s * 1e9
    per_flow: float
    if "web" in group:
        web = group["web"]
        objects = max(mean_value(web["objects"]), 1)
        stream.session_transfer_pkts = ceil(max(mean_value(web["size"]), 1) / packet)
        page = mean_value(web["pages"], nanos)
        if web["option"] == 1:
            page += (objects - 1) * mean_value(web["gap"], nanos) + 2e9 * trip
            stream.max_open_connections = stream.flows * objects
        # A request and an answer for each object.
        per_flow = _per_second(page) * objects * 2
        stream.session_transfer_pkts = (stream.session_transfer_pkts + 1) / 2
    elif "onoff" in group:
        stream.session_transfer_pkts = max(mean_value(group["onoff"]["on"]), 1)
        per_flow = _per_second(mean_value(group["onoff"]["off"], nanos) + 1e9 * trip)
        stream.max_open_connections = stream.flows
    else:
        per_flow = _of_transfers(stream, group, packet, trip)
    stream.connections_per_second = min(stream.flows * per_flow, ENDLESS)
    stream.packet_rate = min(stream.connections_per_second * stream.session_transfer_pkts, ENDLESS)
    stream.is_elastic = stream.max_open_connections < ENDLESS


def _of_transfers(stream: Stream, group: Mapping[str, Any], packet: float, trip: float) -> float:
    """Connections per second of one flow whose transfers arrive independently, in rounds, or once."""
    transfers = group["transfers"]
    size = mean_value(transfers["size"])
    stream.session_transfer_pkts = max(ceil(size / packet) if transfers["unit"] == "bytes" else size, 1)
    nanos = stream.active_s * 1e9
    if "incast" in group:
        if group["incast"]["every_ns"] is not None:
            return _per_second(group["incast"]["every_ns"])
        stream.max_open_connections = stream.flows
        return _per_second(mean_value(group["incast"]["pause"], nanos) + 1e9 * trip)
    if transfers.get("arrivals") is not None:
        return _per_second(mean_value(transfers["arrivals"], nanos))
    stream.max_open_connections = stream.flows
    return 1 / stream.active_s


def _per_second(nanos: float) -> float:
    return 1e9 / nanos if nanos > 0 else ENDLESS
