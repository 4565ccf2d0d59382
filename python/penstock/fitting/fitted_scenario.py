"""The scenario file of a fit, and the captures of the datagrams that it replays."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from penstock.fitting.bottleneck import DROPTAIL, FAIR, Bottleneck
from penstock.fitting.fitted_link import FittedFlow, FittedLink
from penstock.fitting.flows import Flow
from penstock.fitting.packets import Packets
from penstock.fitting.senders import BBR, LOSS, MIN_PACKETS, SCALABLE
from penstock.units import format_rate, format_time

__all__ = ["FORWARD", "REVERSE", "datagram_file_name", "datagram_pcap", "scenario_text"]

FORWARD, REVERSE = "forward", "reverse"

MAX_REQUEST_BYTES = 4000
"""Largest size in bytes of the smaller flow of a connection that is omitted, as requests of the larger flow.

About three packets: too few to change the queue in the direction of the requests.
"""

FLAVOURS = {LOSS: "cubic", BBR: "bbr", SCALABLE: "prague"}
"""The congestion control that represents each kind."""

MIX = ("cubic", "bbr")
"""Congestion controls assigned in turn to long flows if no flow has an estimate."""

PATH_TOLERANCE = 0.03
"""Flows share a path of the twin if their round trips differ by less than this share, or by less than 1 ms.

The accuracy of round trips in tests of simulated captures.
"""

IPV4_HEADER = 20
"""Bytes of an IPv4 header without options (RFC 791, section 3.1)."""

RAW_IP = 101
"""Link type of captures of IP packets: https://www.tcpdump.org/linktypes.html."""


def datagram_file_name(stem: str, direction: str) -> str:
    """The name of the capture of datagrams that the scenario `{stem}.toml` replays."""
    return f"{stem}-{direction}.pcap"


def datagram_pcap(packets: Packets) -> bytes:
    """A pcap file of IPv4 headers with the size, DSCP and ECN field of each packet; the first packet has time 0."""
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, IPV4_HEADER, RAW_IP)]
    columns = (packets.t_ns - packets.t_ns[0], packets.size, packets.dscp << 2 | packets.ecn)
    for t_ns, size, traffic_class in zip(*(column.tolist() for column in columns), strict=True):
        length = size if size <= 0xFFFF else 0  # 0: the reader uses the length of the frame
        header = struct.pack(">BBH16x", 0x45, traffic_class, length)[:size]
        parts.append(struct.pack("<IIII", t_ns // 10**9, t_ns % 10**9, len(header), size) + header)
    return b"".join(parts)


def scenario_text(fit: FittedLink, stem: str) -> str:
    """The scenario as TOML, with comments on assumed values."""
    paths = _paths(fit)
    shortest = min(trip for trip, _ in paths)
    zero = min(
        [each.first_sent_s for each in fit.flows if each.name in {name for _, names in paths for name in names}] + [0.0]
    )
    lines = [
        "# Written by penstock fit. Comments give the reason for each assumed value.",
        f"duration = {_quoted(_time(max(1.0, fit.duration_s - zero + 0.01)))}",
        "",
        *_bottleneck(fit, shortest / 4),
    ]
    for number, (trip, _) in enumerate(paths, 1):
        fast = max(1e9, 10 * _rate(fit.forward))
        lines += [
            "",
            f"[links.path{number}]",
            f'from = "S{number}"',
            'to = "R1"',
            f"rate = {_quoted(format_rate(fast))}",
        ]
        lines += [f"delay = {_quoted(_time(trip / 2 - shortest / 4))}"]
    node = {name: f"S{number}" for number, (_, names) in enumerate(paths, 1) for name in names}
    lines += _traffic(fit, node, zero)
    for direction, packets in fit.datagrams.items():
        ends = ('"S1"', '"R2"') if direction == FORWARD else ('"R2"', '"S1"')
        start = float(packets.t_ns[0] - fit.start_ns) / 1e9 - zero
        lines += ["", f"[traffic.datagrams-{direction}]", 'kind = "replay"', f"from = {ends[0]}", f"to = {ends[1]}"]
        lines += [f"file = {_quoted(datagram_file_name(stem, direction))}", f"start = {_quoted(_time(start))}"]
    return "\n".join(lines) + "\n"


def _bottleneck(fit: FittedLink, delay: float) -> list[str]:
    link = fit.forward
    lines = ["[links.bottleneck]", 'from = "R1"', 'to = "R2"']
    if link.rate.value is None:
        lines += [f"# The rate is unknowable: {link.rate.why}. This is the highest rate observed.".replace("\n", " ")]
    lines += [f"rate = {_quoted(_rate_text(_first_rate(link)))}", f"delay = {_quoted(_time(delay))}"]
    lines += [f"queue = {_queue(link)}", "watch = true"]
    if len(link.rate_steps) > 1:
        steps = [
            f"{{ at = {_quoted(_time(at))}, rate = {_quoted(_rate_text(rate))} }}" for at, rate in link.rate_steps[1:]
        ]
        lines += [f"change = [{', '.join(steps)}]"]
    if link.queue.value is None:
        lines.insert(3, f"# The kind of the queue is unknowable: {link.queue.why}. Drop-tail is assumed.")
    if fit.reverse.rate.value is None:
        lines += ["# The rate of the other direction is unknowable: the same rate is assumed."]
    else:
        rate = _quoted(_rate_text(_first_rate(fit.reverse)))
        lines += [f"reverse = {{ rate = {rate}, queue = {_queue(fit.reverse)}, watch = true }}"]
    return lines


def _queue(link: Bottleneck) -> str:
    """The queue: CoDel for an AQM, FQ-CoDel for fair queueing, else drop-tail with at least the observed buffer."""
    ecn = ", ecn = true" if link.has_marks else ""
    if link.queue.value == FAIR:
        return f'{{ scheme = "fq-codel"{ecn} }}'
    if link.queue.value not in (DROPTAIL, None):
        return f'{{ scheme = "codel", limit = "1000p"{ecn} }}'
    if link.buffer.value is not None:
        return (
            f'{{ scheme = "droptail", limit = "{max(2, round(float(link.buffer.value) / link.mean_packet_bytes))}p" }}'
        )
    longest_bytes = 0.0 if link.delays is None else float(link.delays.wait_s.max()) * _rate(link) / 8
    return f'{{ scheme = "droptail", limit = "{max(100, round(1.2 * longest_bytes / link.mean_packet_bytes))}p" }}'


def _traffic(fit: FittedLink, node: dict[str, str], zero: float) -> Iterator[str]:
    flavours = _flavours(fit)
    for each in fit.flows:
        if each.name not in node:
            continue
        yield from _flow(each, node[each.name], flavours[each.name], each.first_sent_s - zero)
    for number, (quic, is_forward) in enumerate(fit.quic, 1):
        ends = (node[f"quic{number}"], "R2") if is_forward else ("R2", node[f"quic{number}"])
        start = _quoted(_time(float(quic.t[0]) - zero))
        yield from (
            "",
            f"[traffic.quic{number}]",
            f"# QUIC from {quic.sender} to {quic.receiver}: its congestion control is unknowable",
        )
        yield from ('kind = "tcp"', f'flavour = "{MIX[number % 2]}"', f'from = "{ends[0]}"', f'to = "{ends[1]}"')
        yield from (
            f"start = {start}",
            f'bytes = "{quic.payload_bytes}B"',
            f'packet = "{quic.segment_bytes}B"',
            'headers = "28B"',
        )


def _flow(each: FittedFlow, node: str, flavour: str, start: float) -> Iterator[str]:
    flow, hand = each.flow, each.flow.handshake
    ends = (node, "R2") if each.is_forward else ("R2", node)
    opens = hand.is_opened_by_sender and hand.syn_t == hand.syn_t
    yield from ("", f"[traffic.{each.name}]", f"# {flow.sender} to {flow.receiver}")
    if each.sender.congestion_control.value is None and len(flow.t) >= MIN_PACKETS:
        yield f"# The congestion control is unknowable: {each.sender.congestion_control.why}."
    yield from ('kind = "tcp"', f'flavour = "{flavour}"', f'from = "{ends[0]}"', f'to = "{ends[1]}"')
    yield f"start = {_quoted(_time(start))}"
    if opens:
        yield "syn = true"
    writes = each.sender.application_writes
    if len(writes) > 1:
        yield "writes = ["
        yield from (f"    [{_quoted(_time(at))}, {_quoted(f'{size}B')}]," for at, size in writes if size > 0)
        yield "]"
    elif not each.is_open:
        yield f'bytes = "{flow.payload_bytes}B"'
    yield from (
        f'packet = "{flow.segment_bytes}B"',
        f'headers = "{flow.header_bytes}B"',
        f'ack_size = "{_ack_size(flow)}B"',
    )
    if isinstance(each.sender.window.value, int):
        yield f"window = {max(1, each.sender.window.value // flow.segment_bytes)}"
    if each.sender.ecn:
        yield "ecn = true"


def _flavours(fit: FittedLink) -> dict[str, str]:
    """The flavour of each flow; long flows without an estimate take the flavours of the others in turn."""
    controls = [each.sender.congestion_control.value for each in fit.flows]
    estimated = [FLAVOURS[str(control)] for control in controls if control is not None]
    turn, result = 0, {}
    for each in fit.flows:
        kind = each.sender.congestion_control.value
        if kind is not None:
            result[each.name] = FLAVOURS[str(kind)]
        elif len(each.flow.t) < MIN_PACKETS:
            result[each.name] = "cubic"
        else:
            mix = estimated or MIX
            result[each.name] = mix[turn % len(mix)]
            turn += 1
    return result


def _paths(fit: FittedLink) -> list[tuple[float, list[str]]]:
    """Round trips, each with the names of its flows; flows without an estimate get the median."""
    trips: dict[str, float | None] = {}
    busy = {frozenset((each.flow.sender, each.flow.receiver)): each.flow.payload_bytes for each in fit.flows}
    for each in fit.flows:
        key = frozenset((each.flow.sender, each.flow.receiver))
        busy[key] = max(busy[key], each.flow.payload_bytes)
    for each in fit.flows:
        largest = busy[frozenset((each.flow.sender, each.flow.receiver))]
        if each.flow.payload_bytes > MAX_REQUEST_BYTES or each.flow.payload_bytes == largest:
            value = each.round_trip.total.value
            trips[each.name] = None if value is None else float(value)
    for number, (quic, _) in enumerate(fit.quic, 1):
        value = quic.to_sender_s + quic.to_receiver_s
        trips[f"quic{number}"] = value if value == value else None
    estimated = [trip for trip in trips.values() if trip]
    usual = float(np.median(estimated)) if estimated else 0.05
    paths: list[tuple[float, list[str]]] = []
    for name, trip in sorted(trips.items(), key=lambda item: item[1] or usual):
        value = trip or usual
        if paths and value - paths[-1][0] < max(PATH_TOLERANCE * paths[-1][0], 1e-3):
            paths[-1][1].append(name)
        else:
            paths.append((value, [name]))
    return paths


def _ack_size(flow: Flow) -> int:
    acks = flow.acks
    pure = acks.size[(acks.payload == 0) & (acks.sack_to < 0)]
    return int(np.median(pure)) if len(pure) else 40


def _rate(link: Bottleneck) -> float:
    return float(link.rate.value or link.highest_rate)


def _first_rate(link: Bottleneck) -> float:
    return link.rate_steps[0][1] if link.rate_steps else _rate(link)


def _rate_text(rate: float) -> str:
    """A rate with four significant digits."""
    return format_rate(float(f"{rate:.4g}"))


def _time(seconds: float) -> str:
    """A time in whole microseconds."""
    return format_time(round(seconds * 1e6) * 1000)


def _quoted(value: str) -> str:
    return f'"{value}"'
