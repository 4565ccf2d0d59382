"""Runs with captures, and a capture parser that is independent of the capture writer."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from .test_cli import penstock

THREE_LINKS = """
duration = "{duration}"
[links.bottleneck]
from = "R1"
to = "R2"
rate = "10Mbit"
delay = "20ms"
queue = {{ scheme = "droptail", limit = "{limit}" }}
watch = true
[links.left]
from = "S"
to = "R1"
rate = "100Mbit"
delay = "2ms"
[links.right]
from = "R2"
to = "D"
rate = "100Mbit"
delay = "3ms"
"""

ONE_FLOW = (
    THREE_LINKS.format(duration="5s", limit="60p")
    + """
[traffic.bulk]
kind = "tcp"
flavour = "sack"
profile = "linux"
from = "S"
to = "D"
"""
)

MIXED = """
duration = "30s"
[links.bottleneck]
from = "R1"
to = "R2"
rate = "5Mbit"
delay = "20ms"
queue = { scheme = "red", limit = "30p", ecn = true }
watch = true
[links.right]
from = "R2"
to = "D"
rate = "100Mbit"
delay = "3ms"
[traffic.web]
kind = "web"
sessions = 3
pages = "1s"
flavour = "sack"
profile = "ns2"
ecn = true
from = "R1"
to = "D"
[traffic.transfers]
kind = "onoff"
count = 3
on = { packets = 30 }
off = "50ms"
flavour = "newreno"
profile = "linux"
syn = true
ecn = true
from = "R1"
to = "D"
[traffic.voice]
kind = "cbr"
rate = "400kbit"
packet = "160B"
dscp = 46
from = "R1"
to = "D"
[traffic.back]
kind = "poisson"
rate = "200kbit"
packet = "1200B"
from = "D"
to = "R1"
"""

# Simulated connections never end, so no capture has a FIN.
FIN, SYN, PSH, ACK, ECE, CWR, AE = 0x01, 0x02, 0x08, 0x10, 0x40, 0x80, 0x100


@dataclass
class Packet:
    """A decoded record."""

    t_ns: int
    length: int
    ends: tuple[bytes, int, bytes, int]
    protocol: int
    dscp: int
    ecn: int
    payload: int
    seq: int = 0
    ack: int = 0
    flags: int = 0
    window: int = 0
    options: dict[int, bytes] = field(default_factory=dict)

    @property
    def is_data(self) -> bool:
        return self.payload > 0


def ones_complement(data: bytes) -> int:
    """The one's complement sum of RFC 1071: 0xffff if the data includes a correct checksum."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data[: len(data) // 2 * 2]))
    total += data[-1] << 8 if len(data) % 2 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def packets(file: Path) -> list[Packet]:
    """The decoded records of a complete capture, after checks of lengths, checksums and order."""
    assert struct.unpack_from("<IHHIIII", file.read_bytes()) == (0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    decoded = []
    for t_ns, length, raw in records(file):
        assert length == len(raw)
        decoded.append(packet(t_ns, raw))
    assert [p.t_ns for p in decoded] == sorted(p.t_ns for p in decoded)
    return decoded


def records(file: Path) -> Iterator[tuple[int, int, bytes]]:
    """Time in nanoseconds, length of the packet and captured bytes of each record of a penstock capture."""
    data, at = file.read_bytes(), 24
    while at < len(data):
        seconds, nanos, kept, length = struct.unpack_from("<IIII", data, at)
        assert nanos < 10**9
        yield seconds * 10**9 + nanos, length, data[at + 16 : at + 16 + kept]
        at += 16 + kept
    assert at == len(data)


def packet(t_ns: int, raw: bytes) -> Packet:
    version, traffic_class, total, _, fragment, _, protocol, _, source, destination = struct.unpack_from(
        "!BBHHHBBH4s4s", raw
    )
    assert (version, fragment, total) == (0x45, 0x4000, len(raw))
    assert source[0] == destination[0] == 10
    assert ones_complement(raw[:20]) == 0xFFFF
    body = raw[20:]
    pseudo = source + destination + struct.pack("!BBH", 0, protocol, len(body))
    assert ones_complement(pseudo + body) == 0xFFFF
    ports = struct.unpack_from("!HH", body)
    common: dict[str, Any] = {
        "t_ns": t_ns,
        "length": total,
        "ends": (source, ports[0], destination, ports[1]),
        "protocol": protocol,
        "dscp": traffic_class >> 2,
        "ecn": traffic_class & 3,
    }
    if protocol == 17:
        length, checksum = struct.unpack_from("!HH", body, 4)
        assert length == len(body)
        assert checksum != 0
        assert not any(body[8:])
        return Packet(**common, payload=len(body) - 8)
    assert protocol == 6
    seq, ack, offset, flags, window, _, urgent = struct.unpack_from("!IIBBHHH", body, 4)
    header = (offset >> 4) * 4
    assert urgent == 0
    assert not any(body[header:])
    return Packet(
        **common, payload=len(body) - header, seq=seq, ack=ack, flags=(offset & 1) << 8 | flags, window=window,
        options=dict(options(body[20:header])),
    )  # fmt: skip


def options(raw: bytes) -> Iterator[tuple[int, bytes]]:
    while raw:
        if raw[0] == 1:
            raw = raw[1:]
            continue
        yield raw[0], raw[2 : raw[1]]
        raw = raw[raw[1] :]


def sack_blocks(p: Packet) -> list[tuple[int, int]]:
    return list(struct.iter_unpack("!II", p.options.get(5, b"")))


@dataclass
class Captured:
    """A run with its captures and its packet trace."""

    result: dict[str, Any]
    folder: Path

    def packets(self, name: str = "bottleneck") -> list[Packet]:
        return packets(self.folder / f"{name}.pcap")

    def departures(self, kinds: str = "data,ack,udp") -> list[tuple[int, str, int, int]]:
        """`(t_ns, kind, seq, size_bytes)` of each packet that left the bottleneck queue."""
        wanted = ", ".join(f"'{kind}'" for kind in kinds.split(","))
        with duckdb.connect() as base:
            return base.execute(
                f"SELECT t_ns, kind, seq, size_bytes FROM '{self.folder}/trace/packets.parquet' "
                f"WHERE event = 'dequeue' AND place = 'bottleneck' AND kind IN ({wanted})"
            ).fetchall()


def run(scenario: str, folder: Path, *settings: str, links: tuple[str, ...] = ("bottleneck",)) -> Captured:
    file = folder / "scenario.toml"
    file.write_text(scenario, encoding="utf-8")
    chosen = [part for setting in settings for part in ("--set", setting)]
    wanted = [part for link in links for part in ("--pcap", f"{link}={folder / link}.pcap")]
    trace = ["--trace", str(folder / "trace")]
    done = penstock("run", str(file), *chosen, *wanted, *trace, "--json", "-")
    assert done.returncode == 0, done.stderr
    return Captured(json.loads(done.stdout), folder)
