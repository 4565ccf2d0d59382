"""Captures of links, against a parser of the test's own, and what another program reads in them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from .test_cli import penstock

TSHARK = shutil.which("tshark")
needs_tshark = pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")

ONE_FLOW = """
duration = "5s"
[links.bottleneck]
from = "R1"
to = "R2"
rate = "10Mbit"
delay = "20ms"
queue = { scheme = "droptail", limit = "60p" }
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
[traffic.bulk]
kind = "tcp"
flavour = "sack"
profile = "linux"
from = "S"
to = "D"
"""

MIXED = """
duration = "10s"
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

# No connection ends with FIN: the simulator's do not.
FIN, SYN, ACK, ECE, CWR = 0x01, 0x02, 0x10, 0x40, 0x80


@dataclass
class Packet:
    """What a record says."""

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
    """The sum of RFC 1071; a right checksum makes it 0xffff."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data[: len(data) // 2 * 2]))
    total += data[-1] << 8 if len(data) % 2 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def packets(file: Path) -> list[Packet]:
    """Every record, with its lengths, checksums and order checked."""
    data = file.read_bytes()
    assert struct.unpack_from("<IHHIIII", data) == (0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    found, at = [], 24
    while at < len(data):
        seconds, nanos, kept, length = struct.unpack_from("<IIII", data, at)
        assert nanos < 10**9
        assert kept == length
        found.append(packet(seconds * 10**9 + nanos, data[at + 16 : at + 16 + kept]))
        at += 16 + kept
    assert at == len(data)
    assert [p.t_ns for p in found] == sorted(p.t_ns for p in found)
    return found


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
    found = dict(options(body[20:header]))
    return Packet(
        **common, payload=len(body) - header, seq=seq, ack=ack, flags=flags, window=window, options=found
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
    """A run with the captures and, where asked for, the trace of the bottleneck's departures."""

    result: dict[str, Any]
    folder: Path

    def packets(self, name: str = "bottleneck") -> list[Packet]:
        return packets(self.folder / f"{name}.pcap")

    def departures(self, kinds: str = "data,ack,udp") -> list[tuple[int, str, int, int]]:
        """`(t_ns, kind, seq, size_bytes)` of what left the bottleneck's queue."""
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


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    return run(MIXED, tmp_path_factory.mktemp("mixed"))


def test_a_capture_has_what_crossed_the_link_in_both_directions(mixed: Captured) -> None:
    found = mixed.packets()
    link = mixed.result["links"]["bottleneck"]
    there = [p for p in found if p.ends[0] == bytes([10, 0, 0, 1])]
    assert len(there) == link["departures"] > 1000
    assert [p.t_ns for p in there] == [row[0] for row in mixed.departures()]
    assert sum(p.ecn == 3 for p in there) == link["marks"] > 10
    assert Counter(p.protocol for p in there)[17] == len([p for p in there if p.dscp == 46]) > 100
    back = [p for p in found if p.protocol == 17 and p.ends[0] != bytes([10, 0, 0, 1])]
    assert {p.length for p in back} == {1228}


def test_lengths_are_those_of_real_headers(mixed: Captured) -> None:
    """Datagrams, and TCP without options, are as long as in the simulator; each block of options adds its words."""
    there = [p for p in mixed.packets() if p.ends[0] == bytes([10, 0, 0, 1])]
    extra: Counter[tuple[str, bool, int]] = Counter()
    for p, (_, kind, _, size) in zip(there, mixed.departures(), strict=True):
        words = {2: 4, 3: 4, 4: 4, 8: 12, 5: 4 + len(p.options.get(5, b""))}
        more = sum(words[option] for option in p.options)
        # ns-2's SACK blocks are 8 bytes each without the option's own head.
        less = len(p.options.get(5, b""))
        assert p.length == size + more - less
        extra[kind, bool(p.flags & SYN), p.length - size] += 1
    assert extra["udp", False, 0] > 100
    # Profile "linux" has timestamps in packets that count as 1500 bytes; opening packets of "ns2" have options.
    assert extra["data", False, 12] > 100
    assert extra["data", True, 12] > 10
    assert extra["data", False, 0] > 100


@pytest.mark.parametrize(
    ("profile", "data", "ack", "opening"),
    [("ns2", 1040, 40, 52), ("ns2-2001", 1040, 40, None), ("ns2-2003", 1040, 40, 52), ("linux", 1512, 52, None)],
)
def test_lengths_of_the_profiles_are_those_of_the_documented_table(
    profile: str, data: int, ack: int, opening: int | None, tmp_path: Path
) -> None:
    found = run(ONE_FLOW, tmp_path, f"traffic.bulk.profile={profile}", "duration=1s").packets()
    assert {p.length for p in found if p.is_data} == {data}
    assert {p.length for p in found if not p.is_data and not p.flags & SYN} - {
        ack + 4 + 8 * blocks for blocks in (1, 2, 3)
    } == {ack}
    assert {p.length for p in found if p.flags & SYN} == ({opening} if opening else set())


def test_with_room_for_the_options_the_link_carries_what_the_file_says(tmp_path: Path) -> None:
    sizes = ("traffic.bulk.packet=1448B", "traffic.bulk.headers=52B", "traffic.bulk.ack_size=52B")
    done = run(ONE_FLOW, tmp_path, *sizes, "traffic.bulk.flavour=newreno")
    data = [p for p in done.packets() if p.is_data]
    assert {p.length for p in data} == {1500}
    assert [(p.t_ns, p.length) for p in data] == [(t, size) for t, _, _, size in done.departures()]


def test_each_connection_is_a_conversation_of_its_own(mixed: Captured) -> None:
    """30 packets of 1460 bytes each, from the opening packet to the last acknowledgement."""
    by_sender: dict[Any, list[Packet]] = defaultdict(list)
    for p in mixed.packets():
        if p.protocol == 6:
            by_sender[p.ends].append(p)
    opened = [ends for ends, mine in by_sender.items() if any(p.flags & (SYN | ACK) == SYN for p in mine)]
    mss = {ends: struct.unpack("!H", by_sender[ends][0].options[2])[0] for ends in opened}
    transfers = [ends for ends in opened if mss[ends] == 1460]
    objects = [ends for ends in opened if mss[ends] == 1000]
    whole = 0
    for ends in transfers:
        answers = by_sender[(ends[2], ends[3], ends[0], ends[1])]
        whole += max((p.ack for p in answers), default=0) == 1 + 30 * 1460
        assert max(p.seq + p.payload for p in by_sender[ends]) <= 1 + 30 * 1460
        assert all((p.seq - 1) % 1460 == 0 for p in by_sender[ends] if p.is_data)
    completed = mixed.result["traffic"]["transfers"]["completed"]
    assert completed <= whole <= completed + 3
    assert 0 <= len(transfers) - whole <= 3
    assert len(objects) >= mixed.result["traffic"]["web"]["completed"] > 20
    # Each opening packet is answered by one that says so.
    answered = [p for mine in by_sender.values() for p in mine if p.flags & (SYN | ACK) == SYN | ACK]
    assert len({p.ends for p in answered}) >= len(transfers) + len(objects) - 6
    assert all((p.seq, p.ack, p.flags & ECE) == (0, 1, ECE) for p in answered)


def test_sequence_numbers_count_bytes_up_to_a_short_last_packet(tmp_path: Path) -> None:
    found = run(ONE_FLOW, tmp_path, "traffic.bulk.bytes=100kB").packets()
    data = [p for p in found if p.is_data]
    assert {p.seq for p in data} == {1 + 1460 * i for i in range(69)}
    assert data[-1].payload == 100_000 - 68 * 1460
    assert max(p.ack for p in found) == 100_001
    assert not any(p.flags & (SYN | FIN) for p in found)


def test_sack_blocks_name_the_bytes_that_crossed_and_timestamps_are_echoed(tmp_path: Path) -> None:
    """The receiver of a link without other losses has exactly what crossed it."""
    found = run(ONE_FLOW, tmp_path).packets()
    crossed, sent_at, blocks = set(), set(), 0
    for p in found:
        value, echo = struct.unpack("!II", p.options[8])
        if p.is_data:
            crossed.add((p.seq - 1) // 1460)
            sent_at.add(value)
            assert value <= p.t_ns // 1_000_000 + 1
            assert echo == 0
        else:
            assert echo in sent_at
            for start, end in sack_blocks(p):
                blocks += 1
                assert (start - 1) % 1460 == (end - 1) % 1460 == 0
                assert p.ack < start < end
                assert set(range((start - 1) // 1460, (end - 1) // 1460)) <= crossed
    assert blocks > 100


def test_what_is_captured_changes_no_result(tmp_path: Path) -> None:
    """A link that the simulator would compute is simulated for it, which costs events and nothing else."""
    file = tmp_path / "scenario.toml"
    file.write_text(MIXED, encoding="utf-8")
    plain = json.loads(penstock("run", str(file), "--json", "-").stdout)
    wanted = ["--pcap", str(tmp_path / "b.pcap"), "--pcap", f"right={tmp_path / 'r.pcap'}"]
    with_capture = json.loads(penstock("run", str(file), "--json", "-", *wanted).stdout)
    for result in (plain, with_capture):
        del result["cpu_s"], result["events"]
    assert plain == with_capture
    first = (tmp_path / "b.pcap").read_bytes()
    penstock("run", str(file), "--pcap", str(tmp_path / "b.pcap"))
    assert (tmp_path / "b.pcap").read_bytes() == first
    # On the link behind, everything appears again later, but for what is under way at the end.
    near, far = packets(tmp_path / "b.pcap"), packets(tmp_path / "r.pcap")
    data = [[(p.ends, p.seq, p.length) for p in some if p.ends[0] == bytes([10, 0, 0, 1])] for some in (near, far)]
    assert len(data[0]) - 100 < len(data[1]) <= len(data[0])
    assert data[0][: len(data[1])] == data[1]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("lef=x.pcap", 'there is no link "lef"; did you mean "left"?'),
        ("left=", "no file is named behind ="),
        ("-", "packets go into a file, not to standard output"),
        ("left=here.pcap", "is named twice"),
        (".", "it is a folder"),
    ],
)
def test_a_capture_that_cannot_be_is_refused(option: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(ONE_FLOW, encoding="utf-8")
    done = penstock("run", "one.toml", "--pcap", "here.pcap", "--pcap", option, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["one.toml"]


def test_the_link_must_be_named_where_several_are_watched(tmp_path: Path) -> None:
    text = ONE_FLOW.replace('delay = "2ms"', 'delay = "2ms"\nwatch = true')
    (tmp_path / "two.toml").write_text(text, encoding="utf-8")
    done = penstock("run", "two.toml", "--pcap", "x.pcap", cwd=tmp_path)
    assert done.returncode == 2
    assert "2 links are watched (bottleneck, left)" in done.stderr
    assert "--pcap NAME=x.pcap" in done.stderr


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(ONE_FLOW, encoding="utf-8")
    (tmp_path / "x.pcap").write_text("older", encoding="utf-8")
    (tmp_path / "x.pcap.part").symlink_to("/dev/full")
    done = penstock("run", "one.toml", "--pcap", "x.pcap", cwd=tmp_path)
    assert done.returncode == 2
    assert "--pcap x.pcap: cannot be written: No space left on device" in done.stderr
    assert (tmp_path / "x.pcap").read_text(encoding="utf-8") == "older"
    assert not (tmp_path / "x.pcap.part").is_symlink()


@pytest.mark.slow
def test_an_interrupted_capture_leaves_nothing(tmp_path: Path) -> None:
    """The run is short, the writing of its gigabytes is not: it is under way when the part of the file is there."""
    (tmp_path / "one.toml").write_text(ONE_FLOW, encoding="utf-8")
    part = tmp_path / "x.pcap.part"
    done = subprocess.Popen(
        [sys.executable, "-m", "penstock", "run", "one.toml", "--set", "duration=2000s", "--pcap", "x.pcap"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not part.exists() and done.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert part.exists()
    done.send_signal(signal.SIGINT)
    _, errors = done.communicate(timeout=30)
    assert done.returncode == 130, errors
    assert [p.name for p in tmp_path.iterdir()] == ["one.toml"]


def tshark(file: Path, shown: str, *fields: str) -> list[list[str]]:
    """The fields of the packets that fit, as tshark tells them with all checksums looked at."""
    assert TSHARK is not None
    checks = [part for name in ("ip", "tcp", "udp") for part in ("-o", f"{name}.check_checksum:TRUE")]
    told = [part for name in fields for part in ("-e", name)]
    done = subprocess.run(
        [TSHARK, "-n", *checks, "-r", str(file), "-Y", shown, "-T", "fields", *told],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return [line.split("\t") for line in done.stdout.splitlines()]


FAULTY = (
    '_ws.malformed || ip.checksum.status == "Bad" || tcp.checksum.status == "Bad" || udp.checksum.status == "Bad" '
    "|| ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"
)
CHECKED = "(tcp.checksum.status == 1 || udp.checksum.status == 1) && ip.checksum.status == 1"


@needs_tshark
@pytest.mark.parametrize("ecn", [False, True], ids=["plain", "ecn"])
@pytest.mark.parametrize("flavour", ["tahoe", "reno", "newreno", "sack", "vegas"])
def test_tshark_finds_nothing_odd_in_a_flow_without_losses(flavour: str, ecn: bool, tmp_path: Path) -> None:
    settings = [f"traffic.bulk.flavour={flavour}", "traffic.bulk.syn=true", "traffic.bulk.window=120"]
    settings += ["duration=3s", "links.bottleneck.queue.limit=1000p"]
    if ecn:
        settings += ["traffic.bulk.ecn=true", "links.bottleneck.queue.scheme=bernoulli"]
        settings += ["links.bottleneck.queue.p=0.005", "links.bottleneck.queue.ecn=true"]
    done = run(ONE_FLOW, tmp_path, *settings)
    assert done.result["traffic"]["bulk"]["retransmitted_pkts"] == 0
    file, found = tmp_path / "bottleneck.pcap", done.packets()
    assert tshark(file, FAULTY, "frame.number") == []
    told = tshark(file, CHECKED, "tcp.analysis.flags", "tcp.stream", "ip.dsfield.ecn", "tcp.flags.syn")
    assert len(told) == len(found) > 500
    assert {(flags, stream) for flags, stream, _, _ in told} == {("", "0")}
    marks = done.result["links"]["bottleneck"]["marks"]
    assert sum(field == "3" for _, _, field, _ in told) == marks
    # Vegas opens with data in this profile too.
    assert sum(syn == "1" for _, _, _, syn in told) == (2 if flavour != "vegas" else 0)
    flags = [(p.is_data, bool(p.flags & ECE), bool(p.flags & CWR)) for p in found if not p.flags & SYN]
    if not ecn:
        assert not any(echo or reduced for _, echo, reduced in flags)
        return
    # RFC 3168, section 6.1.3: the echo of a mark lasts until the sender says that it has reduced its window.
    echoes = [echo for is_data, echo, _ in flags if not is_data]
    runs = sum(echo and not before for before, echo in pairwise([False, *echoes]))
    reduced = sum(is_data and reduced for is_data, _, reduced in flags)
    assert 0 < runs - 1 <= reduced <= marks


@needs_tshark
@pytest.mark.parametrize("flavour", ["tahoe", "reno", "newreno", "sack"])
@pytest.mark.parametrize("profile", ["linux", "ns2"])
def test_tshark_counts_our_retransmissions(profile: str, flavour: str, tmp_path: Path) -> None:
    """In front of the queue it sees each packet sent; behind it, those that crossed after a later one did."""
    settings = [f"traffic.bulk.flavour={flavour}", f"traffic.bulk.profile={profile}", "traffic.bulk.window=400"]
    done = run(ONE_FLOW, tmp_path, *settings, links=("left", "bottleneck"))
    again = (
        "tcp.analysis.retransmission || tcp.analysis.fast_retransmission || tcp.analysis.spurious_retransmission "
        "|| tcp.analysis.out_of_order"
    )
    traffic = done.result["traffic"]["bulk"]
    assert len(tshark(tmp_path / "left.pcap", again, "frame.number")) == traffic["retransmitted_pkts"] > 20
    newest, crossed = -1, 0
    for _, _, seq, _ in done.departures("data"):
        crossed += seq <= newest
        newest = max(newest, seq)
    assert len(tshark(tmp_path / "bottleneck.pcap", again, "frame.number")) == crossed > 20
    assert tshark(tmp_path / "bottleneck.pcap", FAULTY, "frame.number") == []


@needs_tshark
def test_tshark_measures_our_round_trips(tmp_path: Path) -> None:
    """At the sender's own link it misses the way home of the acknowledgement: 2 ms and 40 bytes at 100 Mbit/s."""
    settings = ("traffic.bulk.delayed_ack=off", "traffic.bulk.window=60")
    done = run(ONE_FLOW, tmp_path, *settings, links=("left",))
    told = [float(row[0]) for row in tshark(tmp_path / "left.pcap", "tcp.analysis.ack_rtt", "tcp.analysis.ack_rtt")]
    mean = sum(told) / len(told) + 0.002 + 40 * 8 / 100e6
    # A packet may wait for at most one other at that link.
    assert 0 <= done.result["traffic"]["bulk"]["rtt_mean_s"] - mean < 1500 * 8 / 100e6


@needs_tshark
def test_tshark_reads_connections_that_come_and_go(mixed: Captured) -> None:
    file = mixed.folder / "bottleneck.pcap"
    assert tshark(file, FAULTY, "frame.number") == []
    assert len(tshark(file, CHECKED, "frame.number")) == len(mixed.packets())
    conversations = {frozenset((p.ends[:2], p.ends[2:])) for p in mixed.packets() if p.protocol == 6}
    assert len({row[0] for row in tshark(file, "tcp", "tcp.stream")}) == len(conversations)
    assert tshark(file, "tcp.analysis.reused_ports", "frame.number") == []
