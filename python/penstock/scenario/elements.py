"""The parts of a scenario: links, queues, traffic. Values are stored as written; `Scenario.check` reports errors.

Fields have the names of the keys in scenario files (`from_` stands for `from`, which is reserved in Python).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penstock.aqms.queue import Element, Queue
from penstock.errors import did_you_mean

__all__ = ["Cbr", "Fec", "Link", "Poisson", "Replay", "Reverse", "Traffic", "Video"]

Value = str | Mapping[str, Any]
"""A text with a unit, or a table that says how to draw it: `{"uniform": ["20ms", "100ms"]}`."""

Names = str | Sequence[str]

EcnField = Literal["not", "ect0", "ect1", "ce"] | bool
"""An ECN field; `True` is "ect0", `False` "not"."""


QooRequirements = Mapping[str, Any]
"""An application's requirements on `delays`, `loss` and `throughput`, for its Quality of Outcome."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Reverse(Element):
    """Settings of the reverse direction of a link, which by default has the same rate and delay, but no queue.

    Inherits the link's framing, its changes unless it sets rate, delay or `change`, and its outages unless it sets
    `outage`.
    """

    rate: Value | None = None
    delay: Value | None = None
    queue: Queue | str | None = None
    watch: bool | None = None
    loss: Mapping[str, Any] | None = None
    edge: Sequence[Mapping[str, Any]] | None = None
    jitter: Value | None = None
    reorder: Mapping[str, Any] | None = None
    duplicate: Mapping[str, Any] | None = None
    change: Sequence[Mapping[str, Any]] | None = None
    outage: Sequence[Mapping[str, Any]] | None = None
    device_queue: int | str | None = None
    framing: str | Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Link(Element):
    """A duplex link, or `count` copies of one, with `{i}` in the names of their nodes.

    Attributes:
        from_: one node.
        to: the other node.
        rate: bits per second, such as "1.5Mbit".
        delay: propagation delay, such as "20ms".
        queue: the queue in front of the link, also as text such as "red:min_th=5"; by default drop-tail of one
        bandwidth-delay product and at least 20 packets if the link is watched, else an infinite FIFO.
        reverse: settings of the reverse direction that differ.
        watch: whether the queue is measured; if no link has `watch`, the slowest link is measured.
        count: number of copies.
        loss: losses in front of the queue: {"rate": 0.01}, {"arrivals": [14, 28]} or in bursts,
            {"gilbert": {"p": 0.01, "r": 0.3}}; also {"correlated": {"rate": 0.01, "correlation": 0.25}} and
            {"states": {"p13": 0.01}}, as netem has them.
        edge: conditioners and shapers between the losses and the queue, in order: [{"kind": "tsw", "rate": "2.5Mbit"}].
        jitter: random delay added to each packet, such as {"exp": "2ms"}; packets keep their order. Or, as in netem, a
            random delay around that of the link, which reorders: {"deviation": "10ms", "distribution": "normal"}.
        reorder: packets delayed so that others overtake them: {"rate": 0.01, "delay": "5ms"} delays one in a hundred by
            5 ms; {"rate": 0.25, "early": True, "gap": 5} sends some packets without the delay of the link.
        duplicate: packets that reach the queue twice: {"rate": 0.01}.
        change: changes of rate and delay: [{"every": "500ms", "rate": {"uniform": ["1Mbit", "3Mbit"]}}], or with "at";
            or a trace of capacity, [{"capacity": "trace.mahi"}], or of seconds and Mbit/s, [{"rates": "trace.csv"}].
        outage: intervals during which the link sends nothing: [{"at": "10s", "for": "2s"}].
        device_queue: limit of a queue of the network card below the discipline, such as 3 (packets) or "9kB"; none by
            default.
        framing: the size of a packet on the wire: a name of tc-cake(8), such as "docsis", or
            {"overhead": "44B", "mpu": "64B", "cells": "atm"}; by default the size of the IP packet.
        rtt: round-trip time without queueing, for lengths in BDP.

    """

    from_: str
    to: str
    rate: Value
    delay: Value
    queue: Queue | str | None = None
    reverse: Reverse | None = None
    watch: bool | None = None
    count: int | None = None
    loss: Mapping[str, Any] | None = None
    edge: Sequence[Mapping[str, Any]] | None = None
    jitter: Value | None = None
    reorder: Mapping[str, Any] | None = None
    duplicate: Mapping[str, Any] | None = None
    change: Sequence[Mapping[str, Any]] | None = None
    outage: Sequence[Mapping[str, Any]] | None = None
    device_queue: int | str | None = None
    framing: str | Mapping[str, Any] | None = None
    rtt: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Traffic(Element):
    """A group of flows of the same kind.

    Attributes:
        from_: source node of the data, a list of nodes, or "S{i}".
        to: destination node.
        count: number of flows.
        path: nodes along the route of the data; by default the path of least delay.
        start: "2s", {"first": "3.5s", "every": "100ms", "jitter": "100ms"} or {"uniform": ["0s", "5s"]}; by default
        0 s, for `Tcp` drawn uniformly from the first second.
        stop: time at which the flows stop sending.
        dscp: code point, 0 to 63 or a name such as "EF".
        qoo: requirements of the application, as pairs of an optimal and an unacceptable value, for its Quality of
            Outcome (`qoo`): {"delays": {"99%": ["200ms", "500ms"]}, "loss": ["1%", "5%"], "throughput": "4Mbit"}.

    """

    kind: ClassVar[str] = ""

    from_: Names | None = None
    to: Names | None = None
    count: int = 1
    path: Sequence[str] | None = None
    start: Value | None = None
    stop: str | None = None
    dscp: int | str = 0
    qoo: QooRequirements | None = None

    def _heads(self) -> Mapping[str, str]:
        return {"kind": self.kind}


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbr(Traffic):
    """Packets at a constant rate.

    Attributes:
        rate: bits on the wire per second.
        packet: payload of a packet.
        headers: what is added to each packet.
        phase: "zero": the first packet leaves at the start; "random": within the first gap.
        jitter: each gap is drawn uniformly from 1 - jitter to 1 + jitter times its length.
        ecn: ECN field of the packets: "not", "ect0", "ect1" or "ce"; True is "ect0".
        call: codec of a telephone call, whose quality (`mos`) is computed: "g711" with packet-loss concealment,
            "g711-plain" without, or "g729a".

    """

    kind: ClassVar[str] = "cbr"

    rate: Value
    packet: Value
    headers: str = "28B"
    phase: Literal["zero", "random"] = "zero"
    jitter: float | str = 0.0
    ecn: EcnField = "not"
    call: Literal["g711", "g711-plain", "g729a"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Poisson(Traffic):
    """Packets at exponentially distributed gaps.

    Attributes:
        rate: bits on the wire per second, on average.
        packet: payload of a packet; a drawn size such as {"exp": "1000B"} is drawn for each.
        headers: what is added to each packet.
        ecn: ECN field of the packets: "not", "ect0", "ect1" or "ce"; True is "ect0".

    """

    kind: ClassVar[str] = "poisson"

    rate: Value
    packet: Value
    headers: str = "28B"
    ecn: EcnField = "not"


@dataclass(frozen=True, kw_only=True, repr=False)
class Fec(Traffic):
    """Forward error correction: blocks of `k` data and `h` redundancy packets; any `k` packets restore a block.

    Attributes:
        k: data packets of a block.
        h: redundancy packets of a block.
        rate: bits on the wire per second without the redundancy; with it, 1 + h/k times as many.
        packet: payload of a packet, one size for all.
        headers: what is added to each packet.
        spacing: "poisson": exponentially distributed gaps; "constant": equal gaps.
        phase: for constant gaps: "zero": the first packet leaves at the start; "random": within the first gap.
        ecn: ECN field of the packets: "not", "ect0", "ect1" or "ce"; True is "ect0".

    """

    kind: ClassVar[str] = "fec"

    k: int
    h: int
    rate: Value
    packet: str
    headers: str = "28B"
    spacing: Literal["poisson", "constant"] = "poisson"
    phase: Literal["zero", "random"] = "zero"
    ecn: EcnField = "not"


@dataclass(frozen=True, kw_only=True, repr=False)
class Video(Traffic):
    """Video frames at a constant rate, each sent as a burst of packets.

    Attributes:
        rate: bits on the wire per second, on average.
        fps: frames per second.
        gop: types of the frames in the order of sending; the pattern repeats.
        sizes: mean sizes of the types relative to each other, such as {"I": 5, "P": 3, "B": 1}.
        variation: standard deviation / mean of the lognormal sizes of one type.
        packet: maximum payload of a packet.
        headers: what is added to each packet.
        phase: "zero": the first frame is sent at the start; "random": within the first frame interval.
        adu: the application data unit for XRED, "frame" or "gop"; I frames are more important than P, P than B.
        dependence: whether a frame is useless without the frames that it refers to.
        ecn: ECN field of the packets: "not", "ect0", "ect1" or "ce"; True is "ect0".

    """

    kind: ClassVar[str] = "video"

    rate: str
    fps: float = 30
    gop: str = "IBBPBBPBB"
    sizes: Mapping[str, float] | None = None
    variation: float = 0.3
    packet: str = "1000B"
    headers: str = "28B"
    phase: Literal["zero", "random"] = "zero"
    adu: Literal["frame", "gop"] = "frame"
    dependence: bool = False
    ecn: EcnField = "not"


@dataclass(frozen=True, kw_only=True, repr=False)
class Replay(Traffic):
    """Packets with the sizes and intervals recorded in a file.

    Attributes:
        file: a pcap or pcapng file, plain or compressed by gzip or zstd.
        headers: bytes of each packet that are not payload.
        dscp: code point of all packets; "recorded": each packet keeps its own.
        ecn: ECN field of all packets, as in other traffic; "recorded": each packet keeps its own.

    """

    kind: ClassVar[str] = "replay"

    file: str
    headers: str = "28B"
    dscp: int | str = "recorded"
    ecn: EcnField | Literal["recorded"] = "recorded"


def build_element(cls: type[Any], table: Mapping[str, Any], **parts: Any) -> Any:
    """The element of a table; `parts` are its inner elements. Raises `TypeError` on a wrong or missing key."""
    names = cls.field_names_by_key()
    values = {}
    for key, value in table.items():
        if key in names:
            values[names[key]] = value
        elif not (key in ("kind", "scheme") and hasattr(cls, key)):
            raise TypeError(f'{cls.__name__} has no key "{key}"{did_you_mean(key, names)}')
    return cls(**(values | parts))
