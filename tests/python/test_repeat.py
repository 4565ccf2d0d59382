"""The block "Reproduce these numbers" of a page: it runs as printed in an empty folder, with the same numbers."""

from __future__ import annotations

import dataclasses
import html
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import penstock as ps
import pytest
from penstock.report.shell_script import shell_script

LAW = """
import penstock as ps


@ps.aqm("short")
class Short(ps.Aqm):
    \"\"\"Drops above k packets.\"\"\"

    k: int = 10

    def on_arrival(self, cx, pkt):
        return ps.DROP if cx.queue.packets >= self.k else ps.PASS
"""

CELL = """
name = "cell & 'co'"
duration = "4s"
warmup = "1s"

[links.radio]
from = "a"
to = "b"
rate = "10Mbit"
delay = "10ms"
queue = { scheme = "codel", limit = "2BDP" }
watch = true
change = [{ capacity = "radio.mahi" }]

[traffic.bulk]
kind = "tcp"
count = 2
from = "a"
to = "b"

[traffic.old]
kind = "replay"
file = "old.pcap"
from = "a"
to = "b"
"""

LINE = """
duration = "3s"
[links.line]
from = "a"
to = "b"
rate = "5Mbit"
delay = "5ms"
[traffic.bulk]
kind = "tcp"
count = 1
from = "a"
to = "b"
"""

STUDY = """
name = "places"
base = ["cell.toml", "line.toml"]
load = ["short.py"]
schemes = ["droptail", "short:k=5"]
seeds = 2
[axes]
flows = { path = "traffic.bulk.count", values = [1, 3] }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with scenarios that read a text and a binary file, an AQM in Python and a study."""
    for name, text in (("short.py", LAW), ("cell.toml", CELL), ("line.toml", LINE), ("study.toml", STUDY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "radio.mahi").write_text("".join(f"{ms}\n" for ms in (1, 2, 5, 9, 20, 30)), encoding="utf-8")
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    packets = b"".join(struct.pack("<IIII", 0, 1000 * i, 0, 200 + i) for i in range(50))
    (tmp_path / "old.pcap").write_bytes(head + packets)
    return tmp_path


def penstock(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "penstock", *arguments]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout


def block(page: Path) -> str:
    """The block of a page, as a reader copies it."""
    match = re.search(r'<pre id="script"[^>]*>(.*?)</pre>', page.read_text(encoding="utf-8"), re.S)
    assert match
    return html.unescape(match[1])


def run_block(page: Path, cache: Path | None = None) -> str:
    """The output of the block of a page, run by a shell in an empty folder, with an empty store unless one is given."""
    elsewhere = page.parent / "elsewhere"
    programs, empty = elsewhere / "bin", elsewhere / "empty"
    for each in (programs, empty):
        each.mkdir(parents=True)
    (programs / "penstock").write_text(f'#!/bin/sh\nexec {sys.executable} -m penstock "$@"\n', encoding="utf-8")
    (programs / "penstock").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(cache or elsewhere)}
    package = str(Path(ps.__file__).parents[1])
    environment["PYTHONPATH"] = f"{package}:{os.environ.get('PYTHONPATH', '')}"
    process = subprocess.run(
        ["sh", "-c", block(page)], cwd=empty, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    shutil.rmtree(elsewhere)
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_a_study_and_its_store_are_repeated_from_their_pages(folder: Path) -> None:
    output = penstock(
        folder, "compare", "study.toml", "--set", "duration=2s", "--store", "store", "--html", "page.html"
    )
    assert run_block(folder / "page.html") == output
    shutil.copytree(folder / "store", folder / "copy")  # as on a colleague's machine
    penstock(folder, "results", "copy", "-o", "stored.html")
    assert run_block(folder / "stored.html") == output


def test_a_comparison_and_its_store_are_repeated_from_their_pages(folder: Path) -> None:
    schemes = ("--scheme", "codel", "--scheme", "short.py:short:k=7", "--scheme", "wfq:classes=[{name='all',weight=1}]")
    swept = ("--vary", "links.radio.rate=5Mbit,10Mbit", "--seed", "9", "--runs", "2")
    output = penstock(folder, "compare", "cell.toml", *schemes, *swept, "--store", "store", "--html", "page.html")
    assert run_block(folder / "page.html") == output
    penstock(folder, "results", "store", "-o", "stored.html")
    assert run_block(folder / "stored.html") == output


def test_a_store_keeps_each_scenario_of_one_name_for_its_pages(folder: Path) -> None:
    for scheme, duration in (("red", "2s"), ("codel", "3s")):
        changes = ("--scheme", scheme, "--scheme", "droptail", "--set", f"duration={duration}", "--runs", "2")
        penstock(folder, "compare", "line.toml", *changes, "--store", "store")
    for scheme, duration in (("red", "2s"), ("codel", "3s")):
        penstock(folder, "results", "store", "--where", f"scheme={scheme}", "-o", "stored.html")
        assert f'duration = "{duration}"' in block(folder / "stored.html")


def test_options_are_in_the_block(folder: Path) -> None:
    goal = ("--at", "line.reverse", "--precision", "utilization=20%", "--runs", "2")
    output = penstock(
        folder, "compare", "line.toml", "--scheme", "red", "--scheme", "pie", *goal, "--html", "page.html"
    )
    assert run_block(folder / "page.html") == output


def test_a_run_is_repeated_from_its_page(folder: Path) -> None:
    output = penstock(
        folder, "run", "cell.toml", "--scheme", "short.py:short:k=7", "--seed", "3", "--html", "page.html"
    )
    assert run_block(folder / "page.html") == output


def test_a_result_of_python_and_a_file_are_repeated_from_their_pages(folder: Path) -> None:
    link = dataclasses.replace(ps.Scenario.load(folder / "cell.toml"), duration="2s")
    runs = ps.compare(link, ["droptail", "codel"], vary={"traffic.bulk.count": [1, 2]}, runs=2)
    runs.save(folder / "page.html")
    assert run_block(folder / "page.html") == repr(runs)
    penstock(folder, "compare", "line.toml", "--scheme", "codel", "--runs", "2", "--json", "result.json")
    output = penstock(folder, "results", "result.json")
    penstock(folder, "results", "result.json", "-o", "page.html")
    assert run_block(folder / "page.html") == output


@pytest.mark.slow
def test_advice_is_repeated_from_its_page(folder: Path) -> None:
    options = ("--aim", "delay p99 < 200ms", "--scheme", "pie", "--budget", "30s", "--capture", "old.pcap")
    output = penstock(folder, "tune", "line.toml", *options, "--html", "page.html")
    assert run_block(folder / "page.html") == output


@pytest.mark.slow
def test_an_evaluation_is_repeated_from_its_page(folder: Path) -> None:
    output = penstock(folder, "evaluate", "codel", "--quick", "--html", "page.html")
    assert run_block(folder / "page.html", Path(os.environ["XDG_CACHE_HOME"])) == output


@pytest.mark.link
def test_a_real_run_is_made_again_from_its_page(folder: Path) -> None:
    slow = ("--on", "link", "--set", "links.line.rate=1Mbit", "--set", "traffic.bulk.profile=linux")
    penstock(folder, "run", "line.toml", *slow, "--html", "page.html")
    assert "line" in run_block(folder / "page.html")


def test_files_of_any_content_are_written_by_a_script(tmp_path: Path) -> None:
    files = {
        "plain.toml": b"x = '$HOME `ls` \\\\'\n", "end.txt": b"EOF\nEOF_\nrest\n", "a b/bytes": bytes(range(256)),
        "dos.txt": b"one\r\ntwo\r\n", "empty": b"\n",
    }  # fmt: skip
    process = subprocess.run(["sh", "-c", shell_script(files, "true")], cwd=tmp_path, check=False)
    assert process.returncode == 0
    assert {name: (tmp_path / name).read_bytes() for name in files} == files
    large = shell_script({"big.pcap": bytes(300_000)}, "true")
    assert large.startswith("# Copy big.pcap here: 300000 bytes, SHA-256 ")
