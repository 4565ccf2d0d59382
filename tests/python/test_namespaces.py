"""Hosts in network namespaces: their processes, and what is left of them after penstock was killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from penstock._native import Namespace
from penstock.link import processes
from penstock.link.namespace import Host

pytestmark = pytest.mark.link


@pytest.fixture
def host() -> Iterator[Host]:
    with Host() as host:
        yield host


def identity(path: str) -> int:
    return Path(path).stat().st_ino


def devices() -> set[str]:
    text = Path("/proc/thread-self/net/dev").read_text()
    return {line.partition(":")[0].strip() for line in text.splitlines()[2:]}


def until(condition: object, patience: float = 5.0) -> bool:
    last = time.monotonic() + patience
    while time.monotonic() < last:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False


def running(pid: int) -> bool:
    return processes._started(pid) is not None


def name(pid: int) -> str:
    return processes._text(pid, "comm").strip()


def holders(inode: int) -> list[str]:
    """The processes in a network namespace, and the open files that keep it alive."""
    paths = []
    for process in Path("/proc").glob("[0-9]*"):
        for entry in (process / "ns" / "net", *process.glob("fd/*")):
            try:
                if str(entry.readlink()) == f"net:[{inode}]":
                    paths.append(str(entry))
            except OSError:
                continue
    return paths


def test_a_host_is_a_namespace_of_its_own(host: Host) -> None:
    home = identity("/proc/thread-self/ns/net")
    inside = host.call(lambda: identity("/proc/thread-self/ns/net"))
    assert inside != home
    assert identity("/proc/thread-self/ns/net") == home
    assert os.fstat(host.namespace.fileno()).st_ino == inside
    child = host.start(["readlink", "/proc/self/ns/net"], stdout=subprocess.PIPE)
    assert child.communicate()[0].decode().strip() == f"net:[{inside}]"
    assert Namespace.open(f"/proc/{os.getpid()}/ns/net").fileno() >= 0


def test_a_host_can_be_an_existing_namespace_whose_own_processes_stay(host: Host) -> None:
    owner = host.start(["sleep", "100"])
    with Host(Namespace.open(f"/proc/{owner.pid}/ns/net")) as guest:
        assert guest.call(devices) == host.call(devices)
        other = subprocess.Popen(
            ["nsenter", f"--net=/proc/{owner.pid}/ns/net", "sleep", "100"],
            env={**os.environ, processes.MARK: "of:others"},
        )
        mine = guest.start(["sleep", "100"])
    try:
        assert mine.returncode == -signal.SIGTERM
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_devices_and_settings_concern_the_namespace_alone(host: Host) -> None:
    before = devices()
    host.namespace.try_tun()
    assert "penstock0" not in host.call(devices) | devices()
    assert devices() == before
    ecn = Path("/proc/sys/net/ipv4/tcp_ecn")
    own = ecn.read_text()
    host.namespace.set("ipv4/tcp_ecn", "1")
    assert (host.call(ecn.read_text).strip(), ecn.read_text()) == ("1", own)
    with pytest.raises(OSError, match=r"route 10\.0\.0\.0/8 through emu0: "):
        host.namespace.add_route("10.0.0.0", 8, "emu0")
    with pytest.raises(ValueError, match=r"10\.0: "):
        host.namespace.add_route("10.0", 8, "emu0")


def test_the_host_reaches_itself_and_not_the_outside(host: Host) -> None:
    def listen() -> socket.socket:
        return socket.create_server(("127.0.0.1", 0))

    server = host.call(listen)
    with server, host.call(lambda: socket.create_connection(server.getsockname(), 5)) as connection:
        assert connection.getpeername() == server.getsockname()
    with pytest.raises(OSError, match="unreachable"):
        host.call(lambda: socket.create_connection(("192.0.2.1", 80), 1))


def test_closing_ends_all_processes_also_stubborn_and_unmarked_ones() -> None:
    host = Host()
    inode = os.fstat(host.namespace.fileno()).st_ino
    shell = "trap '' TERM HUP; setsid env -i sleep 100 & (trap '' TERM; sleep 100) & echo ready; wait"
    child = host.start(["sh", "-c", shell], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == b"ready\n"
        file = host.namespace.fileno()
        assert until(lambda: [name(pid) for pid in processes.processes_in(file)].count("sleep") == 2)
        host.close()
    assert child.returncode == -signal.SIGKILL
    del host
    assert until(lambda: not holders(inode))


def test_a_command_that_cannot_be_started_is_an_error(host: Host) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-command"):
        host.start(["no-such-command"])


CHILD = """
import os, sys, time
from penstock.link.namespace import Host
host = Host()
host.namespace.try_tun()
# The direct child dies with penstock; its own children do not, one without a terminal and one in another session.
host.start(["sh", "-c", "echo shell $$; sleep 1000 & echo sleep $!; setsid sleep 1000 & echo daemon $!; wait"])
print("namespace", os.fstat(host.namespace.fileno()).st_ino, flush=True)
time.sleep(100)
"""


def test_kill_9_leaves_no_namespace_device_or_process_after_the_next_start() -> None:
    before = devices()
    penstock = subprocess.Popen([sys.executable, "-c", textwrap.dedent(CHILD)], stdout=subprocess.PIPE, text=True)
    assert penstock.stdout is not None
    with penstock.stdout:
        words = dict(penstock.stdout.readline().split() for _ in range(4))
    shell, sleep, daemon, inode = (int(words[name]) for name in ("shell", "sleep", "daemon", "namespace"))
    assert until(lambda: name(daemon) == "sleep")
    mark = f"{penstock.pid}:{processes._started(penstock.pid)}"

    def killed() -> set[tuple[int, str]]:
        # Of this test: others may use real links at the same time.
        return {(process.pid, process.name) for process in processes.kill_leftovers() if process.mark == mark}

    assert not killed(), "the processes of a living penstock are spared"
    penstock.kill()
    penstock.wait()
    assert until(lambda: not running(shell)), "the direct child ends with penstock"
    assert running(sleep)
    assert running(daemon)
    assert killed() == {(sleep, "sleep"), (daemon, "sleep")}
    assert until(lambda: not running(sleep) and not running(daemon))
    assert until(lambda: not holders(inode))
    assert devices() == before
    assert not killed()


def test_a_mark_that_is_no_mark_is_nobodys() -> None:
    child = subprocess.Popen(["sleep", "100"], env={**os.environ, processes.MARK: "whatever"})
    try:
        assert until(lambda: name(child.pid) == "sleep")
        assert child.pid not in {process.pid for process in processes.kill_leftovers()}
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
