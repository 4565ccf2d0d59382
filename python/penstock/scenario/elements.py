"""The parts of a scenario: links, queues, traffic. Values are stored as written; `Scenario.check` says what is wrong.

Fields have the names of the keys in scenario files (`from_` stands for `from`, a word that Python keeps for itself).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penstock.errors import nearest
from penstock.laws.queue import Element, Queue

__all__ = ["Cbr", "Fec", "Link", "Poisson", "Replay", "Reverse", "Traffic", "Video"]

Value = str | Mapping[str, Any]
"""A text with a unit, or a table that says how to draw it: `{"uniform": ["20ms", "100ms"]}`."""

Names = str | Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Reverse(Element):
    """The other direction of a link where it differs: by default the same rate and delay, and it never drops.

    The changes of the link hold for it too where it has neither a rate, a delay nor changes of its own, and so do the
    outages where it has none of its own.
    """

    rate: Value | None = None
    delay: Value | None = None
    queue: Queue | str | None = None
    watch: bool | None = None
    loss: Mapping[str, Any] | None = None
    edge: Sequence[Mapping[str, Any]] | None = None
    jitter: Value | None = None
    reorder: Mapping[str, Any] | None = None
    change: Sequence[Mapping[str, Any]] | None = None
    outage: Sequence[Mapping[str, Any]] | None = None
    device_queue: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Link(Element):
    """A duplex link, or `count` copies of one with `{i}` in their nodes' names.

    Attributes:
        from_: one node.
        to: the other node.
        rate: bits per second, such as "1.5Mbit".
        delay: propagation delay, such as "20ms".
        queue: the queue in front of it, also as text such as "red:min_th=5"; by default an infinite FIFO.
        reverse: where the other direction differs.
        watch: whether its queue is measured.
        count: number of copies.
        loss: losses in front of the queue: {"rate": 0.01}, {"arrivals": [14, 28]} or in bursts,
            {"gilbert": {"p": 0.01, "r": 0.3}}.
        edge: conditioners and shapers between these and the queue, in order: [{"kind": "tsw", "rate": "2.5Mbit"}].
        jitter: what each packet takes longer than the delay, drawn for each, such as {"exp": "2ms"}; none overtakes
            another by it.
        reorder: packets that others overtake: {"rate": 0.01, "delay": "5ms"} makes one in a hundred 5 ms late.
        change: changes of rate and delay: [{"every": "500ms", "rate": {"uniform": ["1Mbit", "3Mbit"]}}], or with "at";
            or a trace of capacity, [{"capacity": "trace.mahi"}].
        outage: times in which nothing is sent: [{"at": "10s", "for": "2s"}].
        device_queue: limit of a queue of the network card below the discipline, such as 3 (packets) or "9kB"; none by
            default.
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
    change: Sequence[Mapping[str, Any]] | None = None
    outage: Sequence[Mapping[str, Any]] | None = None
    device_queue: int | str | None = None
    rtt: str | None = None


@dataclass(frozen=True, kw_only=True)
class Traffic(Element):
    """A group of like flows.

    Attributes:
        from_: node where the data comes from, a list of them, or "S{i}".
        to: node where it goes.
        count: number of flows.
        path: nodes that the data passes; by default the shortest way by delay.
        start: "2s", {"first": "3.5s", "every": "100ms", "jitter": "100ms"} or {"uniform": ["0s", "5s"]}.
        stop: when it stops sending.
        dscp: code point, 0 to 63 or a name such as "EF".

    """

    kind: ClassVar[str] = ""

    from_: Names | None = None
    to: Names | None = None
    count: int = 1
    path: Sequence[str] | None = None
    start: Value = "0s"
    stop: str | None = None
    dscp: int | str = 0

    def _heads(self) -> Mapping[str, str]:
        return {"kind": self.kind}


@dataclass(frozen=True, kw_only=True)
class Cbr(Traffic):
    """Packets at a constant rate.

    Attributes:
        rate: bits on the wire per second.
        packet: payload of a packet.
        headers: what is added to each packet.
        phase: "zero": the first packet leaves at the start; "random": within the first gap.
        jitter: each gap is drawn uniformly from 1 - jitter to 1 + jitter times its length.
        ecn: whether the packets may be marked instead of dropped (ECT(0)).

    """

    kind: ClassVar[str] = "cbr"

    rate: Value
    packet: Value
    headers: str = "28B"
    phase: Literal["zero", "random"] = "zero"
    jitter: float | str = 0.0
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Poisson(Traffic):
    """Packets at exponentially distributed gaps.

    Attributes:
        rate: bits on the wire per second, on average.
        packet: payload of a packet; a drawn size such as {"exp": "1000B"} is drawn for each.
        headers: what is added to each packet.
        ecn: whether the packets may be marked instead of dropped (ECT(0)).

    """

    kind: ClassVar[str] = "poisson"

    rate: Value
    packet: Value
    headers: str = "28B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Fec(Traffic):
    """Forward error correction: blocks of `k` data and `h` redundancy packets, which any `k` of them restore.

    Attributes:
        k: data packets of a block.
        h: redundancy packets of a block.
        rate: bits on the wire per second without the redundancy, which makes it 1 + h/k times as much.
        packet: payload of a packet, one size for all.
        headers: what is added to each packet.
        spacing: "poisson": exponentially distributed gaps; "constant": all alike.
        phase: at constant gaps: "zero": the first packet leaves at the start; "random": within the first gap.
        ecn: whether the packets may be marked instead of dropped (ECT(0)).

    """

    kind: ClassVar[str] = "fec"

    k: int
    h: int
    rate: Value
    packet: str
    headers: str = "28B"
    spacing: Literal["poisson", "constant"] = "poisson"
    phase: Literal["zero", "random"] = "zero"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Video(Traffic):
    """Frames at a constant rate, each sent at once in as many packets as it needs.

    Attributes:
        rate: bits on the wire per second, on average.
        fps: frames per second.
        gop: types of the frames in the order of sending, again and again.
        sizes: mean sizes of the types in proportion, such as {"I": 5, "P": 3, "B": 1}.
        variation: standard deviation / mean of the lognormal sizes of one type.
        packet: largest payload of a packet.
        headers: what is added to each packet.
        phase: "zero": the first frame is sent at the start; "random": within the first distance between frames.
        adu: what XRED sees as one unit, the "frame" or the "gop"; I is more important than P, P than B.
        dependence: whether a frame is useless without those that it refers to.
        ecn: whether the packets may be marked instead of dropped (ECT(0)).

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
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Replay(Traffic):
    """Packets with the sizes and the distances of those in a file.

    Attributes:
        file: a pcap file with microseconds or nanoseconds, of raw IP or of Ethernet.
        headers: bytes of each packet that are no payload.
        ecn: whether the packets may be marked instead of dropped (ECT(0)).

    """

    kind: ClassVar[str] = "replay"

    file: str
    headers: str = "28B"
    ecn: bool = False


def build(cls: type[Any], table: Mapping[str, Any], **parts: Any) -> Any:
    """The element of a table; `parts` are its inner elements. Raises `TypeError` on a missing or unknown key."""
    names = cls.keys()
    values = {}
    for key, value in table.items():
        if key in names:
            values[names[key]] = value
        elif not (key in ("kind", "scheme") and hasattr(cls, key)):
            raise TypeError(f'{cls.__name__} has no key "{key}"{nearest(key, names)}')
    return cls(**(values | parts))
