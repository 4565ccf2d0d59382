"""Files are written whole or not at all, through links, and directly into anything that is not a regular file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import penstock as ps
import pytest
from penstock.files import FileError, whole, write_text
from penstock.plots import save, style

from .test_scenario import small


def fill_disk(file: Path) -> None:
    """Let the next write of `file` find a full disk."""
    file.with_name(f"{file.name}.part").symlink_to("/dev/full")


def penstock(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        cwd=cwd, capture_output=True, text=True, timeout=120, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("older")
    file.chmod(0o640)
    with whole(file) as part:
        part.write_text("newer")
        assert file.read_text() == "older"
    assert file.read_text() == "newer"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def write_half(file: Path, error: type[BaseException]) -> None:
    with whole(file) as part:
        part.write_text("half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_a_file_is_as_before(error: type[BaseException], tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("older")
    with pytest.raises(error):
        write_half(file, error)
    assert file.read_text() == "older"
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_told_and_leaves_the_file(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("older")
    fill_disk(file)
    with pytest.raises(FileError, match=r"x\.txt: cannot be written: No space left on device"):
        write_text(file, "newer")
    assert file.read_text() == "older"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("second")
    (tmp_path / "second").symlink_to("folder/real")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "second").is_symlink()
    assert (tmp_path / "folder" / "real").read_text() == "text"


def test_a_fifo_is_written_into(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()))
    reader.start()
    write_text(fifo, "text")
    reader.join(10)
    assert read == ["text"]
    assert fifo.is_fifo()


def test_a_device_is_written_into() -> None:
    with pytest.raises(FileError, match="/dev/full: cannot be written: No space left on device"):
        write_text("/dev/full", "text")
    assert Path("/dev/full").is_char_device()


def test_pages_figures_and_scenarios_are_written_whole(tmp_path: Path) -> None:
    from penstock.report import page

    run = ps.run(small())
    with style.styled():
        figure, _ = style.axes()
    writers: dict[str, Callable[[Path], None]] = {
        "x.html": lambda file: page.write(run.to_dict(), file),
        "x.svg": lambda file: save(figure, file),
        "x.toml": lambda file: small().save(file),
    }
    for name, write in writers.items():
        file = tmp_path / name
        fill_disk(file)
        with pytest.raises(FileError, match="No space left on device"):
            write(file)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ("run", "s.toml", "--html", "x.html"),
        ("run", "s.toml", "--json", "x.html"),
        ("compare", "s.toml", "--scheme", "red", "--runs", "2", "--html", "x.html"),
        ("compare", "s.toml", "--scheme", "red", "--runs", "2", "--json", "x.html"),
    ],
    ids=" ".join,
)
def test_on_a_full_disk_the_table_is_printed_and_no_cut_file_stays(command: tuple[str, ...], tmp_path: Path) -> None:
    small(duration="1s").save(tmp_path / "s.toml")
    fill_disk(tmp_path / "x.html")
    done = penstock(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert "utilization" in done.stdout
    assert done.stderr.endswith("x.html: cannot be written: No space left on device\n")
    assert "Traceback" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["s.toml"]


def test_a_trace_that_cannot_be_written_does_not_lose_the_run(tmp_path: Path) -> None:
    small(duration="1s").save(tmp_path / "s.toml")
    (tmp_path / "trace").mkdir()
    fill_disk(tmp_path / "trace" / "packets.parquet")
    done = penstock("run", "s.toml", "--trace", "trace", cwd=tmp_path)
    assert done.returncode == 1
    assert "utilization" in done.stdout
    assert "--trace trace: cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_output_options_write_into_streams(tmp_path: Path) -> None:
    small(duration="1s").save(tmp_path / "s.toml")
    done = penstock("run", "s.toml", "--json", "/dev/stdout", cwd=tmp_path)
    assert done.returncode == 0
    table, brace, answer = done.stdout.partition("{")
    assert "utilization" in table
    assert json.loads(brace + answer)["seed"] == 1
    done = penstock("run", "s.toml", "--html", "/dev/null", cwd=tmp_path)
    assert done.returncode == 0
    assert Path("/dev/null").is_char_device()
    full = penstock("run", "s.toml", "--pcap", "bottleneck=/dev/full", cwd=tmp_path)
    assert full.returncode == 1
    assert "--pcap /dev/full: cannot be written: No space left on device" in full.stderr
    assert Path("/dev/full").is_char_device()
