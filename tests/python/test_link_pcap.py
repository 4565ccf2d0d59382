"""Captures of real links, read by a parser of the tests' own, beside the trace and the counts of the same run."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from penstock.cli.app import app
from typer.testing import CliRunner

from .capturing import ones_complement

SCENARIO = """
duration = "2s"
[links.core]
from = "R"
to = "D"
rate = "10Mbit"
delay = "5ms"
queue = { scheme = "codel", target = "1ms", interval = "20ms", ecn = true }
watch = true
[links.left]
from = "S"
to = "R"
rate = "100Mbit"
delay = "1ms"
[traffic.bulk]
kind = "tcp"
flavour = "cubic"
ecn = true
from = "S"
to = "D"
[traffic.voice]
kind = "cbr"
rate = "400kbit"
packet = "160B"
dscp = 46
from = "S"
to = "D"
"""


class Record(NamedTuple):
    """A packet of a capture: its time, its length on the link, and the captured bytes."""

    t_ns: int
    length: int
    captured: bytes

    @property
    def ecn(self) -> int:
        return self.captured[1] & 3

    @property
    def dscp(self) -> int:
        return self.captured[1] >> 2

    @property
    def source(self) -> bytes:
        return self.captured[12:16]


def records(file: Path, snaplen: int) -> Iterator[Record]:
    """The packets, with the fields of the format and the checksum of the IP header checked."""
    data = file.read_bytes()
    assert struct.unpack_from("<IHHIIII", data) == (0xA1B23C4D, 2, 4, 0, 0, snaplen, 101)
    at = 24
    while at < len(data):
        seconds, nanos, captured, length = struct.unpack_from("<IIII", data, at)
        content = data[at + 16 : at + 16 + captured]
        assert nanos < 10**9
        assert captured == len(content) == min(snaplen, length)
        assert struct.unpack_from("!BBH", content)[::2] == (0x45, length)
        assert ones_complement(content[:20]) == 0xFFFF
        yield Record(seconds * 10**9 + nanos, length, content)
        at += 16 + captured


def penstock(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "penstock", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def departures(folder: Path, place: str) -> list[tuple[int, int, int]]:
    """Time, size and ECN field of the packets that left the queue of a link before the end of the scenario."""
    with duckdb.connect() as base:
        return base.execute(
            f"SELECT t_ns, size_bytes, ecn FROM '{folder}/packets.parquet' "
            f"WHERE event = 'dequeue' AND place = '{place}' AND t_ns < 2000000000 ORDER BY t_ns, seq"
        ).fetchall()


@pytest.mark.link
@pytest.mark.slow
def test_a_capture_of_a_real_run_has_the_departures_of_the_link(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO)
    options = ["--pcap", "core.pcap", "--pcap", "left=left.pcap", "--snaplen", "60"]
    process = penstock(
        "run", "link.toml", "--on", "link", *options, "--trace", "trace", "--json", "run.json", cwd=tmp_path
    )
    assert process.returncode in (0, 1), process.stderr  # 1: the machine is too busy for valid numbers
    link = json.loads((tmp_path / "run.json").read_text())["links"]["core"]
    packets = list(records(tmp_path / "core.pcap", 60))
    assert [packet.t_ns for packet in packets] == sorted(packet.t_ns for packet in packets)
    there = [packet for packet in packets if packet.source == packets[0].source]
    assert [(packet.t_ns, packet.length, packet.ecn) for packet in there] == departures(tmp_path / "trace", "core")
    assert len(there) == link["departures"] > 500
    assert sum(packet.length for packet in there) * 8 == pytest.approx(link["utilization"] * 10e6 * 2, rel=2e-3)
    assert sum(packet.ecn == 3 for packet in there) > 5
    voice = [packet for packet in there if packet.dscp == 46]
    assert {(packet.length, packet.captured[9]) for packet in voice} == {(188, 17)}
    back = [packet for packet in packets if packet.source != packets[0].source]
    assert [(packet.t_ns, packet.length, packet.ecn) for packet in back] == departures(
        tmp_path / "trace", "core.reverse"
    )
    # Every packet crosses the left link first: unmarked, and those that the queue drops too.
    first = [packet for packet in records(tmp_path / "left.pcap", 60) if packet.source == packets[0].source]
    assert len(first) >= link["departures"] + link["drops"]
    assert not any(packet.ecn == 3 for packet in first)


@pytest.mark.link
@pytest.mark.slow
def test_a_capture_of_a_command_has_the_bytes_that_it_received(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO)
    fetch = (
        "import os, sys, time, urllib.request\n"
        "url = f\"http://{os.environ['PENSTOCK_PEER']}/100kB\"\n"
        "sys.stdout.buffer.write(urllib.request.urlopen(url, timeout=20).read())\n"
        "time.sleep(0.2)\n"
    )
    command = [sys.executable, "-m", "penstock", "link", "link.toml", "--pcap", "core.pcap"]
    process = subprocess.run(
        [*command, "--", sys.executable, "-c", fetch], cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    assert process.returncode == 0, process.stderr
    stream: dict[int, bytes] = {}
    for packet in records(tmp_path / "core.pcap", 65535):
        body = packet.captured[20:]
        pseudo = packet.captured[12:20] + struct.pack("!BBH", 0, 6, len(body))
        assert ones_complement(pseudo + body) == 0xFFFF
        source, _, seq, _, offset = struct.unpack_from("!HHIIB", body)
        if source == 80 and (payload := body[offset // 16 * 4 :]):
            stream[seq] = payload
    content = b"".join(payload for _, payload in sorted(stream.items()))
    assert content.startswith(b"HTTP/1.")
    assert content.endswith(process.stdout)
    assert len(process.stdout) == 100_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "link.toml", "--on", "link", "--snaplen", "60"], "--snaplen: requires --pcap FILE"),
        (["run", "link.toml", "--on", "link", "--pcap", "cor=a.pcap"], 'there is no link "cor"; did you mean "core"?'),
        (["link", "link.toml", "--snaplen", "60", "--", "true"], "--snaplen: requires --pcap FILE"),
        (["link", "link.toml", "--pcap", "cor=a.pcap", "--", "true"], 'there is no link "cor"; did you mean "core"?'),
        (
            ["link", "link.toml", "--pcap", "a.pcap", "--scheme", "codel", "--scheme", "red", "--", "true"],
            "--pcap: requires a single scheme",
        ),
    ],
)
def test_wrong_captures_are_refused_before_a_link_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link.toml").write_text(SCENARIO)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("a.pcap").exists()
