"""Hostile arguments of every verb: an exit code and a message in seconds, no traceback, and nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import penstock as ps
import pytest
import typer
from penstock.cli.app import app
from penstock.errors import PenstockError
from penstock.link import nesting
from penstock.scenario.resolve import resolve
from penstock.studies.where import parse_condition
from typer.core import TyperArgument
from typer.testing import CliRunner

from .test_scenario import small

VERBS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
SEEDS = range(2)
EACH = 30
SECONDS = 10
CODES = {0, 1, 2, 3, 4, 5}

TEXTS = (
    "", " ", "-", "--", "[/x]", "[red]x[/red]", "$(id)", "'; DROP TABLE runs; --", "a\nrm -rf /", "\u202e", "é" * 300,
    "x" * 5000,    "\udcff", "../..", "None", "{i}", "%s", "[" * 5000, "a=b=c", "=", ":",
    "red:max_p=0.1,max_p=0.2", "@/dev/zero", "all",
    "SELECT '[/x]'", "/nonexistent/x/y",
)  # fmt: skip
NUMBERS = (
    "0", "-1", "1", "1e999", "nan", "inf", "99999999999999999999", "0x10", "1.5", "1s", "-1s", "0%", "1e-400s", "10Mbit"
)  # fmt: skip
SLOW = {"doctor"}
"""Verbs whose work does not depend on what they are given."""


def files(folder: Path) -> list[str]:
    """Paths of files that no verb should take, and of some that are sound."""
    os.mkfifo(folder / "fifo.toml")
    (folder / "folder.toml").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "zeros").write_bytes(bytes(1000))
    (folder / "nested.json").write_text("[" * 100_000)
    (folder / "nested.toml").write_text("x = " + "[" * 100_000)
    (folder / "latin.toml").write_bytes(b"name = '\xff'")
    (folder / "law.py").write_text("raise SystemExit(7)\n")
    (folder / "store").mkdir()
    (folder / "store" / "store.json").write_text("[" * 100_000)
    small(duration="200ms").save(folder / "good.toml")
    with (folder / "sparse.toml").open("wb") as sparse:
        sparse.truncate(1 << 40)
    return ["/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", *map(str, sorted(folder.iterdir()))]


def value(paths: list[str], rng: random.Random) -> str:
    return rng.choice((*TEXTS, *NUMBERS, *paths, *paths))


def commands(verb: str, paths: list[str], rng: random.Random) -> Iterator[list[str]]:
    """Arguments of a verb: one to four of its parameters with any value, mostly after a sound scenario."""
    params: list[Any] = typer.main.get_command(app).commands[verb].params  # type: ignore[attr-defined]
    good = next(path for path in paths if path.endswith("good.toml"))
    for _ in range(EACH):
        line = []
        for param in params:
            if isinstance(param, TyperArgument):
                line += [good if rng.random() < 0.5 else value(paths, rng)]
        for param in rng.sample(params, min(len(params), rng.randrange(4))):
            if not isinstance(param, TyperArgument) and param.name != "help":
                line += [rng.choice(param.opts), *([] if param.is_flag else [value(paths, rng)])]
        yield line


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in SLOW])
def test_hostile_arguments_end_with_a_code_and_a_message(
    verb: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs, work = tmp_path / "in", tmp_path / "work"
    inputs.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.setenv("SHELL", "/bin/true")
    paths = files(inputs)
    rng = random.Random(f"{verb} {seed}")
    for line in commands(verb, paths, rng):
        begun = time.monotonic()
        result = CliRunner().invoke(app, [verb, *line])
        seconds = time.monotonic() - begun
        report = f"{verb} {line}\n{result.output[-2000:]}"
        assert result.exception is None or isinstance(result.exception, SystemExit), (report, result.exc_info)
        # The exit code of link is that of the command, also where it cannot be started.
        assert result.exit_code in CODES | ({126, 127} if verb == "link" else set()), report
        # A file of the user's own that fails is shown with the place in it.
        assert "Traceback" not in result.output or "law.py cannot be loaded" in result.output, report
        assert seconds < SECONDS, report
        leftovers = [
            path.name for path in [*work.rglob("*"), *inputs.rglob("*")] if path.name.endswith((".tmp", ".part"))
        ]
        assert leftovers == [], report
        if result.exit_code == 2:
            assert result.output.strip(), report


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["run", "good.toml", "--seed", "1", "--seed", "2"], "--seed is given twice"),
        (["run", "good.toml", "--set", "duration=1s", "--set", "duration=2s"], "duration is set twice"),
        (["compare", "good.toml", "--scheme", "red:max_p=0.1,max_p=0.2"], "max_p is given twice"),
        (["compare", "good.toml", "--scheme", "red", "--store", ""], "the name of the folder is empty"),
        (["run", "/dev/zero"], "it is a device, not a regular file"),
        (["run", "fifo.toml"], "it is a FIFO, not a regular file"),
        (["results", "store"], "too deeply nested"),
        (["new", "aqm", "x", "--into", "none"], "there is no such folder"),
        (["new", "aqm", "x", "--into", ""], "--into: the name of the folder is empty"),
        (["run", "good.toml", "--json", ""], "--json: the name of the file is empty"),
        (["live", "good.toml", "-o", "page.pdf", "--no-open"], "-o page.pdf: the file must end in .html"),
        (["fit", "good.toml", "-o", "good.html"], "-o good.html: the file must end in .toml"),
        (["challenge", "red", "--against", "pi", "-o", "worst.html"], "-o worst.html: the file must end in .toml"),
        (["explain", "--rate", "20"], "--rate: requires a scheme"),
        (["explain", "metrics", "--scenario", "good.toml"], "--scenario: requires a scheme"),
        (["results", "none", "--status"], "no store none: there is no such folder"),
        (["convert", "fq_codel", "--device", "eth0; rm -rf /"], "no name of a device"),
        (["link", "good.toml", "--dev", "lo", "lo", "--", "true"], "--dev lo: the loopback device"),
        (["link", "good.toml", "--dev", "eth0", "eth0", "--", "true"], "one device is named twice"),
    ],
    ids=lambda item: " ".join(item)[:40] if isinstance(item, list) else "",
)
def test_an_error_names_what_is_wrong(
    line: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(map(str, tmp_path.rglob("*")))
    result = CliRunner().invoke(app, line)
    if line[0] == "link" and result.exit_code == 4:
        pytest.skip("this machine cannot make links")
    assert (result.exit_code, message in " ".join(result.output.split())) == (2, True), result.output
    assert sorted(map(str, tmp_path.rglob("*"))) == before


def test_seeds_and_counts_of_python() -> None:
    with pytest.raises(PenstockError, match="seed=-1: must be a whole number from 0 to"):
        ps.run(small(duration="100ms"), seed=-1)
    assert ps.run(small(duration="100ms"), seed=np.int64(3)).seed == 3  # type: ignore[arg-type]
    assert (
        resolve({"traffic": {"x": {"kind": "tcp", "from": "A", "to": "B", "count": np.int64(3)}}}).errors
        == resolve({"traffic": {"x": {"kind": "tcp", "from": "A", "to": "B", "count": 3}}}).errors
    )


def test_a_condition_computes_with_numbers_alone() -> None:
    for text in ("'a' * 100000000000 == 'b'", "'%1000000000d' % 1 == 'b'", "(1,) * 10000000000 == 1"):
        with pytest.raises(PenstockError, match="is not a number"):
            parse_condition(text, ["flows"])(flows=1)
    with pytest.raises(ValueError, match="a condition has at most"):
        parse_condition("not " * 1000 + "flows", ["flows"])


def test_links_nest_as_deep_as_there_are_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    inode = os.stat("/proc/self/ns/net").st_ino  # noqa: PTH116
    monkeypatch.setenv(nesting.NAMESPACE, f"{nesting.MAX_DEPTH}:{inode}")
    assert nesting.current_depth() == nesting.MAX_DEPTH
    monkeypatch.setenv(nesting.NAMESPACE, f"{nesting.MAX_DEPTH + 1}:{inode}")
    with pytest.raises(PenstockError, match="no addresses left"):
        nesting.current_depth()


ENDLESS = """
import penstock as ps

@ps.aqm("endless")
class Endless(ps.Aqm):
    def on_arrival(self, cx, pkt):
        while True:
            pass
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_workers_end_with_their_parent(number: int, tmp_path: Path) -> None:
    small(duration="1s").save(tmp_path / "good.toml")
    (tmp_path / "endless.py").write_text(ENDLESS)
    line = ["compare", "good.toml", "--scheme", "endless.py:endless", "--runs", "2", "--jobs", "2", "--store", "st"]
    with subprocess.Popen(
        [sys.executable, "-m", "penstock", *line],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=heed_hangups,
    ) as parent:  # fmt: skip
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        deadline = time.monotonic() + 60
        while (
            parent.poll() is None and len(workers := children.read_text().split()) < 2 and time.monotonic() < deadline
        ):
            time.sleep(0.05)
        parent.send_signal(number)
        try:
            parent.wait(10)
        finally:
            parent.kill()
        assert len(workers) == 2
    while any(map(is_running, workers)) and time.monotonic() < deadline + 10:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def heed_hangups() -> None:
    """Undo nohup, whose children inherit that SIGHUP is ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def limited_to(mebibytes: int, folder: Path) -> subprocess.CompletedProcess[str]:
    small().save(folder / "s.toml")
    command = (
        f"ulimit -v {mebibytes << 10}; exec {sys.executable} -m penstock compare s.toml --scheme red --store store"
    )
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("mebibytes", [200, 400, 650, 1000, 2047])
def test_too_little_memory_ends_with_one_message(mebibytes: int, tmp_path: Path) -> None:
    """The check precedes the loading of Arrow and DuckDB, whose libraries abort or hang when an allocation fails."""
    process = limited_to(mebibytes, tmp_path)
    assert process.returncode == 4
    assert process.stderr == (
        f"penstock needs an address space of 2048 MiB, and {mebibytes} MiB are allowed; "
        "raise the memory limit: ulimit -v 2097152\n"
    )
    assert not (tmp_path / "store").exists()


def test_the_least_memory_is_enough(tmp_path: Path) -> None:
    process = limited_to(2048, tmp_path)
    assert process.returncode == 0, process.stderr
