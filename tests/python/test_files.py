"""Files are written whole or not at all, through links, and directly into anything that is not a regular file."""

from __future__ import annotations

import errno
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import penstock as ps
import pytest
from penstock import files
from penstock.files import MAX_BYTES, FileError, UnsuitableFileError, atomic_replacement, read_bytes, write_text
from penstock.plots import save, style
from penstock.studies.part_claims import PartClaims

from .test_scenario import small

TOO_LARGE = os.strerror(errno.EFBIG)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow, as on a full disk; the error has another number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def penstock(*arguments: str, cwd: Path, full: bool = False) -> subprocess.CompletedProcess[str]:
    with full_disk() if full else nullcontext():
        return subprocess.run(
            [sys.executable, "-m", "penstock", *arguments],
            cwd=cwd, capture_output=True, text=True, timeout=120, env=os.environ | {"NO_COLOR": "1"},
        )  # fmt: skip


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("older")
    file.chmod(0o640)
    with atomic_replacement(file) as part:
        part.write_text("newer")
        assert file.read_text() == "older"
    assert file.read_text() == "newer"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def write_half(file: Path, error: type[BaseException]) -> None:
    with atomic_replacement(file) as part:
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
    with full_disk(), pytest.raises(FileError, match=rf"x\.txt: cannot be written: {TOO_LARGE}"):
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
    with style.figure_style():
        figure, _ = style.single_panel()
    writers: dict[str, Callable[[Path], None]] = {
        "x.html": lambda file: page.write(run.to_dict(), file),
        "x.svg": lambda file: save(figure, file),
        "x.toml": lambda file: small().save(file),
    }
    for name, write in writers.items():
        with full_disk(), pytest.raises(FileError, match=TOO_LARGE):
            write(tmp_path / name)
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
    process = penstock(*command, cwd=tmp_path, full=True)
    assert process.returncode == 1
    assert "utilization" in process.stdout
    assert process.stderr.endswith(f"x.html: cannot be written: {TOO_LARGE}\n")
    assert "Traceback" not in process.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["s.toml"]


def test_a_claim_that_cannot_be_written_makes_nobody_wait(tmp_path: Path) -> None:
    with PartClaims(tmp_path) as claims:
        with full_disk():
            assert claims.try_claim("part")
        assert list(tmp_path.iterdir()) == []
        assert claims.try_claim("part")


def test_a_trace_that_cannot_be_written_does_not_lose_the_run(tmp_path: Path) -> None:
    small(duration="1s").save(tmp_path / "s.toml")
    (tmp_path / "trace").mkdir()
    process = penstock("run", "s.toml", "--trace", "trace", cwd=tmp_path, full=True)
    assert process.returncode == 1
    assert "utilization" in process.stdout
    assert "--trace trace: cannot be written" in process.stderr
    assert "Traceback" not in process.stderr


def test_output_options_write_into_streams(tmp_path: Path) -> None:
    small(duration="1s").save(tmp_path / "s.toml")
    process = penstock("run", "s.toml", "--json", "/dev/stdout", cwd=tmp_path)
    assert process.returncode == 0
    table, brace, answer = process.stdout.partition("{")
    assert "utilization" in table
    assert json.loads(brace + answer)["seed"] == 1
    process = penstock("run", "s.toml", "--html", "/dev/null", cwd=tmp_path)
    assert process.returncode == 0
    assert Path("/dev/null").is_char_device()
    full = penstock("run", "s.toml", "--pcap", "bottleneck=/dev/full", cwd=tmp_path)
    assert full.returncode == 1
    assert "--pcap /dev/full: cannot be written: No space left on device" in full.stderr
    assert Path("/dev/full").is_char_device()


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    file = tmp_path / "o.json"
    for name in (f"{file.name}.part", f".{file.name}.tmp", f"{file.name}.tmp"):
        (tmp_path / name).symlink_to(victim)
    with atomic_replacement(file) as first, atomic_replacement(file) as second:
        assert first.parent == second.parent == tmp_path
        assert first != second
        assert first.name not in {item.name for item in tmp_path.glob("*.part")}
        first.write_text("text")
        second.write_text("text")
    assert victim.read_text() == "kept"


def test_a_temporary_file_is_never_one_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=0))
    (tmp_path / f".o.json.{uuid.UUID(int=0).hex}.tmp").symlink_to(victim)
    with pytest.raises(FileError, match="File exists"):
        write_text(tmp_path / "o.json", "text")
    assert victim.read_text() == "kept"


def test_a_file_with_the_longest_name_is_written(tmp_path: Path) -> None:
    file = tmp_path / ("é" * 127)
    write_text(file, "text")
    assert [item.name for item in tmp_path.iterdir()] == [file.name]


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    kinds = {"fifo": "a FIFO", "link": "a FIFO", "socket": "a socket", "": "a directory", "/dev/zero": "a device"}
    for name, kind in kinds.items():
        with pytest.raises(UnsuitableFileError, match=f"it is {kind}, not a regular file"):
            read_bytes(tmp_path / name)
    sparse = tmp_path / "sparse"
    sparse.touch()
    os.truncate(sparse, MAX_BYTES + 1)
    with pytest.raises(UnsuitableFileError, match="bytes; at most 1073741824 are read"):
        read_bytes(sparse)
    with pytest.raises(OSError, match="null character"):
        read_bytes("a\0b")


def test_a_fifo_without_a_reader_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.setattr(files, "WAIT_FOR_READER_S", 0.1)
    with pytest.raises(FileError, match="it is a FIFO that no process reads"):
        write_text(tmp_path / "fifo", "text")


def test_nested_json_and_lone_surrogates_are_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="too deeply nested"):
        files.parse_json("[" * 100_000)
    write_text(tmp_path / "x.json", json.dumps("\udcff", ensure_ascii=False))
    assert json.loads((tmp_path / "x.json").read_bytes()) == "\udcff"
