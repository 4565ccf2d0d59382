"""Captures of links, read by a parser of the tests' own."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from .capturing import ACK, ECE, FIN, MIXED, ONE_FLOW, PSH, SYN, Captured, Packet, packets, run, sack_blocks
from .test_cli import penstock
from .test_files import TOO_LARGE, full_disk


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
    # Profile "linux" has timestamps in packets that count as 1500 bytes; SYNs of "ns2" have options.
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
    """30 packets of 1460 bytes each, from the SYN to the last acknowledgement."""
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
    assert len(objects) >= mixed.result["traffic"]["web"]["completed"] > 10
    # Each SYN is answered by one that says so.
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
    # The last packet is pushed, and so is that of each train of two or more; without trains the last packet alone.
    last = 1 + 1460 * 68
    assert last in {p.seq for p in found if p.flags & PSH}
    single = run(ONE_FLOW, tmp_path, "traffic.bulk.bytes=100kB", "traffic.bulk.offload=false").packets()
    assert {p.seq for p in single if p.flags & PSH} == {last}


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


def records(file: Path) -> list[tuple[int, int, int, bytes]]:
    """The time in ns, the kept and the original length, and the bytes of each packet of a capture."""
    content, place, found = file.read_bytes(), 24, []
    while place < len(content):
        seconds, nanos, kept, length = struct.unpack("<IIII", content[place : place + 16])
        found.append((seconds * 10**9 + nanos, kept, length, content[place + 16 : place + 16 + kept]))
        place += 16 + kept
    return found


@pytest.mark.parametrize("snaplen", [1, 30, 60, 65_535])
def test_a_capture_keeps_the_first_bytes_of_each_packet(snaplen: int, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(ONE_FLOW, encoding="utf-8")
    for name, options in (("whole.pcap", ()), ("cut.pcap", ("--snaplen", str(snaplen)))):
        done = penstock("run", "one.toml", "--pcap", name, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    whole, cut = records(tmp_path / "whole.pcap"), records(tmp_path / "cut.pcap")
    assert len(cut) > 100
    assert cut == [(time, min(kept, snaplen), length, data[:snaplen]) for time, kept, length, data in whole]
    header = (tmp_path / "cut.pcap").read_bytes()[:24]
    assert struct.unpack("<I", header[16:20]) == (snaplen,)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("lef=x.pcap", 'there is no link "lef"; did you mean "left"?'),
        ("left=", "a file name must follow ="),
        ("-", "name a file; only JSON goes to standard output"),
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
    with full_disk():
        done = penstock("run", "one.toml", "--pcap", "x.pcap", cwd=tmp_path)
    assert done.returncode == 1
    assert f"--pcap x.pcap: cannot be written: {TOO_LARGE}" in done.stderr
    assert (tmp_path / "x.pcap").read_text(encoding="utf-8") == "older"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.toml", "x.pcap"]


@pytest.mark.slow
def test_an_interrupted_capture_leaves_nothing(tmp_path: Path) -> None:
    """The run is short, the writing of its gigabytes is not: it is under way when the part of the file is there."""
    (tmp_path / "one.toml").write_text(ONE_FLOW, encoding="utf-8")
    done = subprocess.Popen(
        [sys.executable, "-m", "penstock", "run", "one.toml", "--set", "duration=2000s", "--pcap", "x.pcap"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
        # A job in the background inherits SIGINT as ignored, and this test may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not any(tmp_path.glob(".x.pcap.*.tmp")) and done.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert any(tmp_path.glob(".x.pcap.*.tmp"))
    done.send_signal(signal.SIGINT)
    _, errors = done.communicate(timeout=30)
    assert done.returncode == 130, errors
    assert [p.name for p in tmp_path.iterdir()] == ["one.toml"]
