"""`penstock link`: commands, namespaces and devices on a real link, and what is left when things go wrong."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from penstock.link import processes
from penstock.link.namespace import Host
from penstock.link.offloads import active_offloads, switch_offloads

pytestmark = [pytest.mark.link, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]

SCENARIO = """
name = "a small link"
duration = "10s"

[links.left]
from = "A"
to = "R"
rate = "100Mbit"
delay = "1ms"

[links.core]
from = "R"
to = "B"
rate = "20Mbit"
delay = "9ms"
queue = { scheme = "droptail", limit = "100p" }
watch = true

[traffic.bulk]
kind = "tcp"
flavour = "cubic"
profile = "linux"
from = "A"
to = "B"
"""

FETCH = """
import os, sys, time, urllib.request
url = f"http://{os.environ['PENSTOCK_PEER']}/{sys.argv[1]}"
print(len(urllib.request.urlopen(url, timeout=20).read()))
time.sleep(0.5)  # the last packets arrive before the command ends
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "link.toml"
    file.write_text(SCENARIO)
    return file


def penstock(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "penstock", "link", *map(str, arguments)]


def run(*arguments: object, launcher: Sequence[str] = (), **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*launcher, *penstock(*arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


def in_python(text: str, *arguments: str) -> list[str]:
    return ["--", sys.executable, "-c", textwrap.dedent(text), *arguments]


def until(condition: Any, patience: float = 20.0) -> bool:
    last = time.monotonic() + patience
    while time.monotonic() < last:
        if condition():
            return True
        time.sleep(0.02)
    return False


OF_TEST = "PENSTOCK_TEST"
"""Environment variable of all processes that a test starts: others may use real links at the same time."""


@pytest.fixture(autouse=True)
def _own_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OF_TEST, f"{os.getpid()} {time.monotonic_ns()}")


def marked() -> list[int]:
    """The processes of this test that run on real links."""
    environments = {pid: processes._environment(pid) for pid in processes._numbers()}
    return [
        pid
        for pid, values in environments.items()
        if processes.MARK in values and values.get(OF_TEST) == os.environ[OF_TEST]
    ]


def test_the_command_has_a_network_of_its_own_and_its_exit_status_is_returned(scenario: Path) -> None:
    code = "import os, sys; print(os.environ['PENSTOCK_PEER'], open('/proc/net/dev').read()); sys.exit(7)"
    result = run(scenario, *in_python(code))
    assert result.returncode == 7, result.stderr
    assert result.stdout.startswith("10.77.0.2 ")
    assert "penstock0:" in result.stdout
    assert "core" in result.stderr
    assert "lateness: median" in result.stderr
    assert not marked()
    assert run(scenario, "--", "sh", "-c", "kill -KILL $$").returncode == 128 + signal.SIGKILL


def test_the_example_of_the_help_works_as_printed() -> None:
    help_text = " ".join(run("--help").stdout.split())
    example = re.search(r"Example: penstock link (.*)", help_text)
    assert example, help_text
    result = run(*shlex.split(example[1]), cwd=ROOT)
    assert result.returncode == 0, result.stderr


def test_a_download_crosses_the_link_and_its_packets_are_counted(scenario: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "out.json", tmp_path / "trace"
    result = run(scenario, "--in", "B", "--json", file, "--trace", folder, *in_python(FETCH, "300kB"))
    assert (result.returncode, result.stdout) == (0, "300000\n"), result.stderr
    document = json.loads(file.read_text())
    assert document["scenario"]["links"]["core"]["rate"] == "20Mbit"
    core, back = document["links"]["core"], document["links"]["core.reverse"]
    # 300 kB in packets of at most 1500 B, and fewer acknowledgements than packets.
    assert core["arrivals"] >= 300_000 / 1460
    assert 0 < back["arrivals"] < core["arrivals"]
    assert {"p50_s", "p99_s", "max_s"} == set(document["lateness"])
    assert isinstance(document["valid"], bool)
    assert document["valid"] == (not document["invalid_because"])
    import duckdb

    with duckdb.connect() as base:
        base.execute(f"SELECT event, place, count(*) FROM '{folder}/packets.parquet' GROUP BY ALL")
        rows = base.fetchall()
    counts = {(event, place): number for event, place, number in rows}
    assert counts["arrive", "core"] == core["arrivals"]
    assert counts["arrive", "left.reverse"] == back["arrivals"]
    # When the command ends, no packet is on the way.
    assert counts["receive", None] == core["arrivals"] + back["arrivals"] == counts["send", None]


def test_an_upload_meets_the_queue_that_is_put_in_front_of_the_link(scenario: Path) -> None:
    send = """
    import os, urllib.request
    request = urllib.request.Request(f"http://{os.environ['PENSTOCK_PEER']}/", bytes(300_000), method="PUT")
    print(urllib.request.urlopen(request, timeout=20).read().decode(), end="")
    """
    result = run(scenario, "--scheme", "codel:limit=9p", "--json", "/dev/stderr", *in_python(send))
    assert (result.returncode, result.stdout) == (0, "300000 B received\n"), result.stderr
    document = json.loads(result.stderr[result.stderr.index("{\n") :])
    assert document["scenario"]["links"]["core"]["queue"]["scheme"] == "codel"
    assert 5 < len(document["links"]["core"]["length_pmf"]) <= 10  # from 0 to 9 packets
    assert "note: only" not in result.stderr


def test_a_download_whose_data_miss_the_queue_under_test_is_noted(scenario: Path) -> None:
    result = run(scenario, "--scheme", "codel", *in_python(FETCH, "300kB"))
    note = next(line for line in result.stderr.splitlines() if line.startswith("note: "))
    share = re.search(r"only (\d+)% of the bytes crossed core, which has the queue under test \(codel\)", note)
    assert share is not None
    assert int(share[1]) <= 5  # an acknowledgement of 52 B for every packet or two of 1500 B
    advice = re.search(r"crossed core.reverse, whose queue is droptail. To test that direction: (.*)$", note)
    assert advice is not None
    there = run(scenario, "--scheme", "codel", *advice[1].split(), *in_python(FETCH, "300kB"))
    assert (there.returncode, there.stdout) == (0, "300000\n")
    assert "note: only" not in there.stderr


@pytest.mark.needs("iperf3")
def test_iperf3_finds_its_server_and_fills_the_link(scenario: Path) -> None:
    result = run(scenario, "--", "sh", "-c", "iperf3 --client $PENSTOCK_PEER --time 3 --json")
    assert result.returncode == 0, result.stderr
    # Of 1500 bytes of a packet 1448 are data: headers of IP and TCP, with timestamps.
    most = 20e6 * 1448 / 1500
    assert most / 2 < json.loads(result.stdout)["end"]["sum_received"]["bits_per_second"] <= most * 1.01


@pytest.mark.parametrize(("options", "name"), [((), "cubic"), (("--tcp", "reno"), "reno")])
def test_the_hosts_have_the_congestion_control_of_the_scenario(
    scenario: Path, options: tuple[str, ...], name: str
) -> None:
    if name not in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split():
        pytest.skip(f"this kernel has no {name}")
    ask = """
    import os, socket
    s = socket.create_connection((os.environ["PENSTOCK_PEER"], 80), 20)
    print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(bytes(1)).decode())
    """
    result = run(scenario, *options, *in_python(ask))
    assert (result.returncode, result.stdout) == (0, f"{name}\n"), result.stderr


def test_links_nest_and_the_outer_peer_is_reached_through_both(scenario: Path, tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.json", tmp_path / "outer.json"
    time_it = """
    import os, socket, time
    begun = time.monotonic()
    socket.create_connection((os.environ["PENSTOCK_PEER"], 80), 20).close()
    print(os.environ["PENSTOCK_PEER"], time.monotonic() - begun)
    time.sleep(0.5)  # the last packets arrive before the command ends
    """
    nested = penstock(scenario, "--json", inner, "--set", "links.core.delay=4ms", *in_python(time_it))
    result = run(scenario, "--json", outer, "--", *nested)
    assert result.returncode == 0, result.stderr
    address, seconds = result.stdout.split()
    assert address == "10.77.0.2"
    assert float(seconds) >= 2 * (0.010 + 0.005)  # never early: both round trips
    for file in (inner, outer):
        assert json.loads(file.read_text())["links"]["core"]["arrivals"] >= 3


def test_two_existing_namespaces_are_joined_and_otherwise_left_alone(scenario: Path) -> None:
    with Host() as a, Host() as b:
        owners = [host.start(["sleep", "100"]) for host in (a, b)]
        arguments = (scenario, "--between", *(owner.pid for owner in owners), "--json", "-")
        process = subprocess.Popen(penstock(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        listening = "penstock0:"
        assert until(lambda: listening in b.call(lambda: Path("/proc/thread-self/net/dev").read_text()))
        ping = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('10.77.0.2', 7))"
        assert a.start([sys.executable, "-c", ping]).wait() == 0
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        assert json.loads(output)["links"]["core"]["arrivals"] == 1
        assert [owner.poll() for owner in owners] == [None, None]
        assert listening not in b.call(lambda: Path("/proc/thread-self/net/dev").read_text())


@pytest.mark.parametrize("place", ["no-such-namespace", str(os.getpid())], ids=["unknown", "own"])
def test_only_other_namespaces_are_joined(scenario: Path, place: str) -> None:
    result = run(scenario, "--between", place, place, "--duration", "1s")
    assert result.returncode == 2
    assert result.stderr.startswith(f"--between {place}: ")
    assert ("never changes" in result.stderr) == place.isdecimal()


def wire(near: Host, far: Host, names: tuple[str, str], addresses: tuple[str | None, str | None]) -> None:
    """Join two hosts by a pair of Ethernet devices whose offloads are off."""
    owner = far.start(["sleep", "100"])
    pair = f"ip link add {names[0]} type veth peer name {names[1]} netns {owner.pid}"
    assert near.start(["sh", "-c", pair]).wait() == 0
    owner.kill()
    for host, name, address in zip((near, far), names, addresses, strict=True):
        host.call(lambda name=name: switch_offloads(name, on=False))  # type: ignore[misc]
        assert host.call(lambda name=name: active_offloads(name)) == []  # type: ignore[misc]
        address_it = f"ip address add {address} dev {name}" if address else "true"
        assert host.start(["sh", "-c", f"{address_it} && ip link set {name} up"]).wait() == 0


@pytest.mark.needs("ip")
def test_two_ethernet_devices_are_joined_by_a_bump_in_the_wire(scenario: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    with Host() as a, Host() as middle, Host() as b:
        wire(a, middle, ("a0", "m0"), ("10.5.0.1/24", None))
        wire(middle, b, ("m1", "b0"), (None, "10.5.0.2/24"))
        owner = middle.start(["sleep", "100"])
        place = ("--between", owner.pid, owner.pid, "--dev", "m0", "m1")
        process = subprocess.Popen(penstock(scenario, *place, "--json", file, "--no-live"), stderr=subprocess.PIPE)
        assert process.stderr is not None
        assert process.stderr.readline() == b"the link is running; press Ctrl-C to stop it\n"
        receive = """
        import socket
        s = socket.create_server(("10.5.0.2", 7))
        print("ready", flush=True)
        connection, _ = s.accept()
        total = 0
        while data := connection.recv(65536):
            total += len(data)
        print(total, flush=True)
        """
        send = """
        import socket
        s = socket.create_connection(("10.5.0.2", 7), 20)
        s.sendall(bytes(400_000))
        s.shutdown(socket.SHUT_WR)
        s.recv(1)
        """
        receiver = b.start(in_python(receive)[1:], stdout=subprocess.PIPE)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == b"ready\n"
        assert a.start(in_python(send)[1:]).wait() == 0
        assert receiver.communicate(timeout=30)[0] == b"400000\n"
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1]
        assert process.returncode == 0, errors
    document = json.loads(file.read_text())
    # Frames of ARP pass, too; only IP packets meet the queue, by their length without the Ethernet header.
    assert document["links"]["core"]["arrivals"] >= 400_000 / 1460
    assert document["oversized"] == 0
    assert max(flow["bytes"] / max(flow["arrivals"], 1) for flow in document["flows"]) <= 1500


@pytest.mark.needs("ip")
def test_frames_of_a_device_with_offloads_are_refused_with_advice(scenario: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    with Host() as a, Host() as middle:
        wire(a, middle, ("a0", "m0"), ("10.5.0.1/24", None))
        wire(middle, a, ("m1", "a1"), (None, None))
        a.call(lambda: switch_offloads("a0", on=True))
        owner = middle.start(["sleep", "100"])
        place = ("--between", owner.pid, owner.pid, "--dev", "m0", "m1")
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(penstock(scenario, *place, "--json", file, "--no-live"), **pipes)
        assert process.stderr is not None
        process.stderr.readline()
        send = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('10.5.0.9', 7))"
        neighbour = "ip neighbour add 10.5.0.9 lladdr 02:00:00:00:00:09 dev a0"
        assert a.start(["sh", "-c", f'{neighbour} && exec "$@"', "sh", *in_python(send)[1:]]).wait() == 0
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=30)[0].decode()
    document = json.loads(file.read_text())
    assert document["valid"] is False
    assert "INVALID: 1 packets were larger than the MTU, without a checksum or in a VLAN: switch offloads off" in output


@pytest.mark.needs("ip")
def test_an_ethernet_device_that_is_taken_away_ends_the_link(scenario: Path) -> None:
    with Host() as a, Host() as middle:
        wire(a, middle, ("a0", "m0"), (None, None))
        wire(middle, a, ("m1", "a1"), (None, None))
        owner = middle.start(["sleep", "100"])
        place = ("--between", owner.pid, owner.pid, "--dev", "m0", "m1")
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(penstock(scenario, *place, "--no-live"), **pipes)
        assert process.stderr is not None
        assert process.stderr.readline() == "the link is running; press Ctrl-C to stop it\n"
        assert middle.start(["ip", "link", "delete", "m0"]).wait() == 0
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (1, "")
    assert "INVALID: a device of the link was removed, or set down: " in output


def test_devices_must_exist(scenario: Path) -> None:
    result = run(scenario, "--dev", "no0", "no1")
    assert result.returncode == 4
    assert "open device no0: No such device" in result.stderr


def test_the_queue_changes_while_the_link_runs(scenario: Path, tmp_path: Path) -> None:
    stream, fifo = tmp_path / "states", tmp_path / "control"
    talk = f"""
    import json, os, time
    def schemes():
        lines = open({str(stream)!r}).read().splitlines()
        return [json.loads(line)["links"]["core"]["scheme"] for line in lines]
    def until(scheme):
        for _ in range(200):
            if scheme in schemes():
                return
            time.sleep(0.05)
        raise SystemExit(f"no {{scheme}}")
    def change(text):
        with open({str(fifo)!r}, "w") as file:
            file.write(text + "\\n")
    until("droptail")
    change("nonsense")
    change("fq-codel:target=2ms")
    until("fq-codel")
    change("core red")
    until("red")
    """
    result = run(scenario, "--stream", stream, "--control", fifo, *in_python(talk))
    assert result.returncode == 0, result.stderr
    assert "unknown scheme" in result.stderr
    assert "the queue stays as it is" in result.stderr
    assert not fifo.exists()
    states = [json.loads(line) for line in stream.read_text().splitlines()]
    assert {"queue_pkts", "delay_s", "sent_bps", "drop_rate", "mark_rate"} <= set(states[-1]["links"]["core"])


def test_the_duration_ends_the_command(scenario: Path) -> None:
    result = run(scenario, "--duration", "500ms", "--", "sleep", "100")
    assert result.returncode == 124
    assert not marked()


@pytest.mark.parametrize(("name", "status"), [("no-such-command", 127), ("/etc/passwd", 126)])
def test_a_command_that_cannot_be_started_leaves_nothing(scenario: Path, name: str, status: int) -> None:
    result = run(scenario, "--", name)
    assert (result.returncode, result.stdout) == (status, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"{name}: ")


@pytest.mark.needs("ip")
def test_a_device_that_is_taken_away_ends_the_link_with_a_message(scenario: Path) -> None:
    begun = time.monotonic()
    result = run(scenario, "--", "sh", "-c", "ip link delete penstock0; sleep 100")
    assert result.returncode == 1
    assert "INVALID: a device of the link was removed, or set down: " in result.stderr
    assert "Traceback" not in result.stderr
    assert time.monotonic() - begun < 50
    assert not marked()


@pytest.mark.slow
def test_a_link_that_was_stopped_for_5_s_is_invalid_and_goes_on(scenario: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    stop = """
    import os, signal, socket, sys, time
    link = os.getppid()
    s = socket.socket(type=socket.SOCK_DGRAM)
    s.sendto(bytes(1000), (os.environ["PENSTOCK_PEER"], 7))
    time.sleep(0.004)  # the packet is on the link, which delays it by 10 ms, when the link stops
    os.kill(link, signal.SIGSTOP)
    s.sendto(bytes(1000), (os.environ["PENSTOCK_PEER"], 7))
    time.sleep(5)
    os.kill(link, signal.SIGCONT)
    """
    result = run(scenario, "--json", file, *in_python(stop + textwrap.indent(textwrap.dedent(FETCH), "    "), "10kB"))
    assert (result.returncode, result.stdout) == (0, "10000\n"), result.stderr
    document = json.loads(file.read_text())
    assert document["valid"] is False
    assert document["lateness"]["max_s"] > 4.9
    assert "INVALID: " in result.stderr


def test_without_files_the_message_has_the_cure(scenario: Path) -> None:
    for limit in (6, 8, 9, 10, 12):
        result = run(scenario, "--", "true", launcher=["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"])
        assert result.returncode == 4, (limit, result.stderr)
        assert "ulimit -n 1024" in result.stderr
        assert "Traceback" not in result.stderr
        assert not marked()


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal, by the mask in its status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = next(line.split()[1] for line in lines if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_a_terminated_penstock_takes_everything_away(scenario: Path) -> None:
    process = subprocess.Popen(penstock(scenario, "--", "sh", "-c", "trap '' TERM; sleep 100 & wait"))
    assert until(lambda: len(marked()) >= 3)  # the shell, its sleep and the server
    assert until(lambda: catches(process.pid, signal.SIGTERM))
    process.terminate()
    assert process.wait(30) == 128 + signal.SIGTERM
    assert not marked()


def test_the_next_start_kills_what_a_killed_penstock_left(scenario: Path) -> None:
    process = subprocess.Popen(penstock(scenario, "--", "sh", "-c", "setsid sleep 1000 & wait"))
    assert until(lambda: "sleep" in [processes._text(pid, "comm").strip() for pid in marked()])
    process.kill()
    process.wait()
    assert until(lambda: len(marked()) == 1)
    result = run(scenario, "--", "true")
    assert result.returncode == 0
    assert result.stderr.startswith("killed processes left by an interrupted penstock: sleep (")
    assert not marked()


def test_where_links_cannot_run_the_message_has_the_cure_and_the_code_is_4(scenario: Path) -> None:
    result = run(scenario, "--", "true", launcher=["setpriv", "--bounding-set=-all", "--inh-caps=-all"])
    assert (result.returncode, result.stdout) == (4, "")
    assert result.stderr.startswith("penstock link cannot run here: unshare(CLONE_NEWNET): Operation not permitted")
    assert result.stderr.endswith("docker run --privileged\n")


def test_links_run_without_root_where_user_namespaces_are_allowed(scenario: Path) -> None:
    from penstock.link import requirements

    launcher = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-all"]
    result = run(scenario, *in_python(FETCH, "20kB"), launcher=launcher)
    if requirements.probe_in_user_namespace().missing:
        assert result.returncode == 4
        return
    assert (result.returncode, result.stdout) == (0, "20000\n"), result.stderr
    assert result.stderr.startswith("without root: in a user namespace")
    assert "SCHED_OTHER" in result.stderr
