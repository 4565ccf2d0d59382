"""Captures of real links as traffic: formats, link types, super-frames, notes and errors."""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import penstock as ps
import pytest
from penstock import _native
from penstock.errors import PenstockError
from penstock.scenario.budget.estimate import offered_streams
from penstock.scenario.captures import recorded_load

from .test_cli import penstock

ETHERNET, LINUX_SLL, RAW, LINUX_SLL2 = 1, 113, 101, 276
ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD


def tcp(payload: int, flags: int = 0x10, options: bytes = b"", *, reverse: bool = False) -> bytes:
    ports = (2000, 1000) if reverse else (1000, 2000)
    header = struct.pack(">HHIIBBHHH", *ports, 1, 1, (5 + len(options) // 4) << 4, flags, 512, 0, 0)
    return header + options + bytes(payload)


def ipv4(payload: bytes, *, number: int = 0, protocol: int = 6, reverse: bool = False) -> bytes:
    ends = (b"\n\0\0\2", b"\n\0\0\1") if reverse else (b"\n\0\0\1", b"\n\0\0\2")
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), number, 0, 64, protocol, 0) + b"".join(ends) + payload


def ipv6(payload: bytes, protocol: int = 6) -> bytes:
    return struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64) + bytes([0xFD] * 16) + bytes([0xFE] * 16) + payload


def frame(kind: int, payload: bytes) -> bytes:
    """An Ethernet frame, padded to its least length."""
    return (bytes([2] * 12) + struct.pack(">H", kind) + payload).ljust(60, b"\xee")


def tagged(kind: int, payload: bytes) -> bytes:
    return struct.pack(">HH", 7, kind) + payload


def session(protocol: int, payload: bytes) -> bytes:
    return struct.pack(">BBHHH", 0x11, 0, 1, len(payload) + 2, protocol) + payload


LABELS = struct.pack(">II", 16 << 12 | 64, 17 << 12 | 1 << 8 | 64)


def cooked(kind: int, payload: bytes) -> bytes:
    return struct.pack(">HHHQH", 0, 1, 6, 0, kind) + payload


def cooked2(kind: int, payload: bytes) -> bytes:
    return struct.pack(">HHIHBBQ", kind, 0, 3, 1, 0, 6, 0) + payload


def pcap(link: int, packets: Sequence[tuple[int, bytes]], kept: int = 65535) -> bytes:
    """A pcap file of packets with their times in microseconds, of which it keeps the first bytes."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, kept, link)
    records = [
        struct.pack("<IIII", t // 10**6, t % 10**6, min(kept, len(packet)), len(packet)) + packet[:kept]
        for t, packet in packets
    ]
    return head + b"".join(records)


Wrap = Callable[[bytes], bytes]
FRAMES: dict[str, tuple[int, Wrap]] = {
    "ethernet": (ETHERNET, lambda packet: frame(IPV4, packet)),
    "vlan": (ETHERNET, lambda packet: frame(0x8100, tagged(IPV4, packet))),
    "qinq": (ETHERNET, lambda packet: frame(0x88A8, tagged(0x8100, tagged(IPV4, packet)))),
    "qinq-9100": (ETHERNET, lambda packet: frame(0x9100, tagged(0x8100, tagged(IPV4, packet)))),
    "pppoe": (ETHERNET, lambda packet: frame(0x8864, session(0x21, packet))),
    "vlan-pppoe": (ETHERNET, lambda packet: frame(0x8100, tagged(0x8864, session(0x21, packet)))),
    "mpls": (ETHERNET, lambda packet: frame(0x8847, LABELS + packet)),
    "sll": (LINUX_SLL, lambda packet: cooked(IPV4, packet)),
    "sll2": (LINUX_SLL2, lambda packet: cooked2(IPV4, packet)),
    "raw": (RAW, lambda packet: packet),
    "ipv4": (228, lambda packet: packet),
    "null": (0, lambda packet: struct.pack("<I", 2) + packet),
    "loop": (108, lambda packet: struct.pack(">I", 2) + packet),
    "ppp": (9, lambda packet: b"\xff\x03\x00\x21" + packet),
}

PAYLOADS = (0, 1, 100, 1460, 3)


@pytest.mark.parametrize("name", FRAMES)
def test_a_packet_has_the_length_of_its_ip_header_in_any_frame(name: str, tmp_path: Path) -> None:
    link, wrap = FRAMES[name]
    file = tmp_path / "link.pcap"
    packets = [(i * 1000, wrap(ipv4(tcp(size), number=i + 1))) for i, size in enumerate(PAYLOADS)]
    for kept in (65535, 80):
        file.write_bytes(pcap(link, packets, kept))
        assert _native.read_capture(file) == (5, sum(PAYLOADS) + 5 * 40, 0.004, [])


def tshark_lengths(file: Path) -> list[int]:
    """The lengths of IP packets as tshark reads them."""
    command = ["tshark", "-n", "-r", str(file), "-T", "fields", "-e", "ip.len", "-e", "ipv6.plen"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    fields = [line.split("\t") for line in done.stdout.splitlines()]
    return [int(four) if four else int(six) + 40 for four, six in fields if four or six]


@pytest.mark.needs("tshark")
@pytest.mark.parametrize("name", FRAMES)
def test_tshark_reads_the_same_lengths(name: str, tmp_path: Path) -> None:
    link, wrap = FRAMES[name]
    old, new, cut = (tmp_path / name for name in ("old.pcap", "new.pcapng", "cut.pcapng"))
    packets = [(i * 1000, wrap(ipv4(tcp(size), number=i + 1))) for i, size in enumerate(PAYLOADS)]
    old.write_bytes(pcap(link, packets))
    subprocess.run(["editcap", "-F", "pcapng", str(old), str(new)], check=True, capture_output=True)
    subprocess.run(["editcap", "-s", "76", str(old), str(cut)], check=True, capture_output=True)
    lengths = tshark_lengths(old)
    assert len(lengths) == 5
    for file in (old, new, cut):
        assert _native.read_capture(file) == (5, sum(lengths), 0.004, [])


@pytest.mark.needs("tshark")
def test_merged_interfaces_of_different_types_are_read_like_by_tshark(tmp_path: Path) -> None:
    wired, cooked_file, merged = (tmp_path / name for name in ("wired.pcap", "any.pcap", "both.pcapng"))
    six = [(i * 2000, frame(IPV6, ipv6(tcp(i * 10)))) for i in range(20)]
    four = [(i * 3000, cooked(IPV4, ipv4(tcp(i * 7), number=i + 1))) for i in range(20)]
    wired.write_bytes(pcap(ETHERNET, [*six, (40_000, frame(ARP, bytes(28)))]))
    cooked_file.write_bytes(pcap(LINUX_SLL, four))
    command = ["mergecap", "-F", "pcapng", "-w", str(merged), str(wired), str(cooked_file)]
    subprocess.run(command, check=True, capture_output=True)
    packets, size, seconds, notes = _native.read_capture(merged)
    assert (packets, size) == (40, sum(tshark_lengths(merged)))
    assert seconds == pytest.approx(0.057)
    assert notes == ["1 frame is not IP and not used: ARP (1)"]


@pytest.mark.needs("tshark")
def test_packets_out_of_order_are_counted_as_by_reordercap(tmp_path: Path) -> None:
    file, sorted_file = tmp_path / "mixed.pcap", tmp_path / "sorted.pcap"
    times = [0, 50, 20, 30, 90, 80, 85, 10, 100]
    file.write_bytes(pcap(RAW, [(t, ipv4(tcp(i), number=i + 1)) for i, t in enumerate(times)]))
    done = subprocess.run(
        ["reordercap", str(file), str(sorted_file)], check=True, capture_output=True, text=True, timeout=60
    )
    assert "9 frames, 3 out of order" in done.stdout + done.stderr
    packets, size, seconds, notes = _native.read_capture(file)
    assert notes == ["3 packets are out of order, by 75µs at most: sorted by time"]
    assert _native.read_capture(sorted_file) == (packets, size, seconds, [])


SCENARIO = """
duration = "5s"
[links.b]
from = "A"
to = "B"
rate = "10Mbit"
delay = "10ms"
watch = true
[traffic.r]
kind = "replay"
from = "A"
to = "B"
file = "{}"
"""


def numbers(file: Path) -> str:
    """The results of a replay."""
    run = ps.run(ps.Scenario.loads(SCENARIO.format(file))).to_dict()
    return json.dumps([run["links"], run["traffic"]], sort_keys=True)


@pytest.mark.needs("tshark")
def test_a_capture_gives_the_same_results_in_every_format(tmp_path: Path) -> None:
    plain = tmp_path / "bottleneck.pcap"
    command = ["run", "scenarios/standard.toml", "--set", "duration=2s", "--set", "warmup=0s", "--pcap", str(plain)]
    assert penstock(*command).returncode == 0
    expected = numbers(plain)
    variants = {"ng": ["-F", "nsecpcap"], "pcapng": ["-F", "pcapng"], "short": ["-s", "60"]}
    for name, options in variants.items():
        file = tmp_path / name
        subprocess.run(["editcap", *options, str(plain), str(file)], check=True, capture_output=True)
        assert numbers(file) == expected, name
    compressed = tmp_path / "without-a-suffix"
    compressed.write_bytes(gzip.compress((tmp_path / "pcapng").read_bytes()))
    assert numbers(compressed) == expected


TIMESTAMP = bytes([1, 1, 8, 10]) + bytes(8)


def test_super_frames_cross_the_link_as_segments(tmp_path: Path) -> None:
    file = tmp_path / "sender.pcap"
    syn = ipv4(tcp(0, 0x12, struct.pack(">BBH", 2, 4, 1400), reverse=True), reverse=True, number=1)
    packets = [syn, *(ipv4(tcp(10 * 1388, options=TIMESTAMP), number=i) for i in (2, 3))]
    file.write_bytes(pcap(ETHERNET, [(i * 10**5, frame(IPV4, packet)) for i, packet in enumerate(packets)], 100))
    with pytest.warns(UserWarning, match=r"sender\.pcap: 2 super-frames are split into 20 packets"):
        run = ps.run(ps.Scenario.loads(SCENARIO.format(file)))
    assert run.traffic["r"].sent_pkts == 21
    # Of each ten segments number i waits for i others; the SYN does not wait.
    assert run.links["b"].delay_mean_s == pytest.approx(20 / 21 * 4.5 * 1440 * 8 / 10e6, rel=1e-6)


def test_notes_are_printed_once_by_every_verb(tmp_path: Path) -> None:
    file, scenario = tmp_path / "lan.pcap", tmp_path / "lan.toml"
    packets = [(0, frame(ARP, bytes(28))), (5, frame(IPV4, ipv4(tcp(9)))), (9, frame(0x88CC, bytes(40)))]
    file.write_bytes(pcap(ETHERNET, packets)[:-1])
    scenario.write_text(SCENARIO.format("lan.pcap"), encoding="utf-8")
    expected = [
        f"{file}: the file ends in the middle of packet 3, which is not used",
        f"{file}: 1 frame is not IP and not used: ARP (1)",
    ]
    compare = ("compare", str(scenario), "--scheme", "droptail", "--scheme", "codel", "--runs", "2")
    tune = ("tune", str(scenario), "--aim", "delay < 1s", "--scheme", "droptail", "--budget", "3s")
    for command in (("check", str(scenario)), ("run", str(scenario)), compare, tune):
        done = penstock(*command)
        assert done.returncode == 0, done.stderr
        assert [line for line in done.stderr.splitlines() if "lan.pcap" in line] == expected, command[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pcap(RAW, [])[:23], "is not a capture: it ends within its header"),
        (pcap(RAW, []), "has no packets"),
        (pcap(127, [(0, bytes(80))]), "has no packets to use: 1 frame is not IP and not used: link type 127 (1)"),
        (b"\xfd7zXZ\0" + bytes(50), "is compressed by xz; decompress it, or compress it with gzip or zstd instead"),
        (gzip.compress(b"text", mtime=0), "is neither a pcap nor a pcapng file: it begins with 74657874"),
        (b"\x1f\x8b" + bytes(50), "cannot be read: invalid gzip header"),
        (b"\x28\xb5\x2f\xfd" + bytes([255] * 50), "cannot be read: "),
        (pcap(RAW, [(0, ipv4(b""))]) + struct.pack("<IIII", 0, 0, 9, 8), "packet 2 has an impossible length: 8 bytes"),
    ],
)
def test_a_file_that_is_no_capture_is_refused_in_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.pcap").write_bytes(content)
    scenario = tmp_path / "bad.toml"
    scenario.write_text(SCENARIO.format("bad.pcap"), encoding="utf-8")
    done = penstock("check", str(scenario))
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "bad.pcap" in line
    assert message in line


def test_the_load_of_a_capture_is_known_before_the_run(tmp_path: Path) -> None:
    file = tmp_path / "hour.pcap.gz"
    content = pcap(RAW, [(i * 40_000, ipv4(tcp(960), number=i % 60_000 + 1)) for i in range(500)], 60)
    file.write_bytes(gzip.compress(content))
    # 20 s of 25 packets per second, of which 5 s are replayed.
    (stream,) = offered_streams(ps.Scenario.loads(SCENARIO.format(file)).resolve())
    assert stream.packet_bits == 8000
    assert stream.packet_rate == pytest.approx(25, rel=0.01)
    file.write_bytes(gzip.compress(content[:-76]))
    assert recorded_load(str(file)).packet_count == 499
    file.unlink()
    with pytest.raises(PenstockError, match=r"hour\.pcap\.gz: cannot be read: No such file"):
        recorded_load(str(file))
