"""The parts of `penstock link` that need no namespaces: layout, web server, views, control, arguments."""

from __future__ import annotations

import http.client
import io
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from penstock.cli.link import _argv
from penstock.errors import PenstockError, ScenarioError
from penstock.files import FileError
from penstock.link import nesting, peer
from penstock.link.control import QueueCommandFile
from penstock.link.layout import LinkLayout
from penstock.link.live_view import LiveView
from penstock.link.states import StateStream, with_rates
from penstock.scenario.document import Document
from rich.console import Console

THREE_HOSTS = """
duration = "1s"
warmup = "500ms"

[links.one]
from = "A"
to = "R"
rate = "10Mbit"
delay = "1ms"

[links.two]
from = "B"
to = "R"
rate = "10Mbit"
delay = "1ms"

[links.core]
from = "R"
to = "Q"
rate = "1Mbit"
delay = "1ms"
queue = { scheme = "red", limit = "30p" }
watch = true

[links.three]
from = "Q"
to = "C"
rate = "10Mbit"
delay = "1ms"

[traffic.bulk]
kind = "tcp"
from = "A"
to = "C"

[traffic.back]
kind = "tcp"
from = "C"
to = "B"
"""


def layout(at: str | None = None, scheme: str | None = None, node: str | None = None) -> LinkLayout:
    return LinkLayout.from_document(Document.parse(THREE_HOSTS), at, scheme, node)


@pytest.mark.parametrize(
    ("at", "node", "ends"),
    [
        (None, None, ("core", "A", "C")),
        (None, "C", ("core", "C", "A")),
        ("core.reverse", None, ("core.reverse", "C", "B")),
        ("two", None, ("two", "B", "R")),
        (None, "B", ("core", "B", "Q")),
        (None, "Q", ("core", "Q", "R")),
        ("two.reverse", "B", ("two.reverse", "B", "C")),
    ],
)
def test_the_command_runs_at_the_source_of_traffic_on_the_link(at: str, node: str, ends: tuple[str, str, str]) -> None:
    placed = layout(at, node=node)
    assert (placed.link, placed.near_node, placed.far_node) == ends
    watched = {entry["name"] for entry in placed.resolved.canonical["links"] if entry["watch"]}
    name = placed.link.removesuffix(".reverse")
    assert {name, f"{name}.reverse"} <= watched
    assert placed.resolved.canonical["warmup_ns"] == 0


def test_the_scheme_takes_the_place_of_the_queue_and_keeps_its_limit() -> None:
    assert layout().resolved.readable["links"]["core"]["queue"]["scheme"] == "red"
    placed = layout(scheme="fq-codel")
    assert placed.resolved.readable["links"]["core"]["queue"]["limit"] == "30p"
    assert placed.hosts_use_ecn
    assert not layout().hosts_use_ecn
    assert not layout(scheme="fq-codel:ecn=false").hosts_use_ecn


@pytest.mark.parametrize(
    ("at", "scheme", "node", "message"),
    [
        ("cor", None, None, '--at: no link "cor"; did you mean "core"?'),
        (None, "rad", None, 'schemes="rad": unknown scheme'),
        (None, None, "D", '--in: no node "D"'),
    ],
)
def test_wrong_names_are_errors(at: str, scheme: str, node: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message.replace("?", r"\?")):
        layout(at, scheme, node)


def test_the_congestion_control_must_be_in_the_kernel() -> None:
    with pytest.raises(ScenarioError, match='--tcp: the kernel has no "made-up"'):
        LinkLayout.from_document(Document.parse(THREE_HOSTS), None, None, None, "made-up")


def test_a_scenario_without_a_watched_link_needs_a_name() -> None:
    bare = THREE_HOSTS.replace("watch = true", "watch = false").replace('queue = { scheme = "red", limit = "30p" }', "")
    document = Document.parse(bare)
    with pytest.raises(PenstockError, match="--at LINK"):
        LinkLayout.from_document(document, None, None, None)
    assert LinkLayout.from_document(document, "core", None, None).link == "core"


@pytest.fixture
def server() -> Iterator[tuple[str, int]]:
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=peer.serve_requests, args=[listening], daemon=True).start()
    yield listening.getsockname()
    listening.close()


def ask(place: tuple[str, int], method: str, path: str, **options: Any) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(*place, timeout=10)
    connection.request(method, path, **options)
    answer = connection.getresponse()
    response = answer.status, answer.read()
    connection.close()
    return response


def test_the_server_sends_and_takes_any_amount(server: tuple[str, int]) -> None:
    for path, size in (("/0B", 0), ("/17B", 17), ("/100kB", 100_000), ("/3MB", 3_000_000)):
        status, body = ask(server, "GET", path)
        assert (status, len(body)) == (200, size)
    for method in ("POST", "PUT"):
        assert ask(server, method, "/any", body=bytes(200_000)) == (200, b"200000 B received\n")
    assert ask(server, "GET", "/10XB")[0] == 404
    assert ask(server, "GET", "/")[0] == 200
    chunks = iter([b"x" * 70_000, b"y"])
    assert ask(server, "PUT", "/", body=chunks, encode_chunked=True) == (200, b"70001 B received\n")
    assert ask(server, "POST", "/", headers={"Transfer-Encoding": "gzip"})[0] == 411


def state(t_s: float, sent: int, drops: int, crossed: int) -> dict[str, Any]:
    link = {
        "scheme": "red", "rate_bps": 1_000_000, "queue_pkts": 7, "queue_bytes": 7000, "delay_s": 0.056,
        "arrivals": sent // 8000 + drops, "departures": sent // 8000, "drops": drops, "marks": 0, "link_losses": 0,
        "sent_bits": sent, "delay_mean_s": 0.05, "gauges": {"avg": 6.5},
    }  # fmt: skip
    flow = {
        "flow": 0, "src": "10.77.0.1", "dst": "10.77.0.2", "src_port": 4000, "dst_port": 80, "protocol": 6,
        "arrivals": 9, "drops": drops, "marks": 0, "bytes": 9000, "crossed_bits": crossed,
    }  # fmt: skip
    flows = [{**flow, "flow": number, "crossed_bits": crossed // (number + 1)} for number in range(12)]
    return {"t_s": t_s, "links": {"core": link}, "flows": flows}


def test_rates_are_differences_of_two_states() -> None:
    first, second = state(1.0, 800_000, 0, 700_000), state(1.5, 1_200_000, 50, 1_000_000)
    assert with_rates(first, None)["links"]["core"]["sent_bps"] == 0
    now = with_rates(second, first)
    assert now["links"]["core"]["sent_bps"] == 800_000
    assert now["links"]["core"]["drop_rate"] == 0.5
    assert now["flows"][0]["crossed_bps"] == 600_000
    assert with_rates(second, second)["links"]["core"]["sent_bps"] == 0
    # A flow whose number was given to another one starts anew.
    assert with_rates(first, second)["flows"][0]["crossed_bps"] == 0


def test_the_live_view_shows_links_and_the_ten_fastest_flows() -> None:
    file = io.StringIO()
    view = LiveView(Console(file=file, force_terminal=True, width=120))
    view.show(with_rates(state(1.5, 1_200_000, 50, 1_000_000), state(1.0, 800_000, 0, 700_000)))
    view.close()
    output = file.getvalue()
    for text in (
        "core",
        "red",
        "7 p",
        "56.0 ms",
        "800kbit",
        "80 %",
        "50 (50.0 %)",
        "tcp 10.77.0.1:4000 > 10.77.0.2:80",
    ):
        assert text in output
    assert "and 2 more" in output
    lines = io.StringIO()
    StateStream(lines).show(state(1.0, 0, 0, 0))
    assert json.loads(lines.getvalue())["links"]["core"]["gauges"] == {"avg": 6.5}


def test_control_reads_whole_lines_of_a_fifo_and_of_a_file(tmp_path: Path) -> None:
    fifo = QueueCommandFile(tmp_path / "fifo")
    assert fifo.lines() == []
    with (tmp_path / "fifo").open("w") as writer:
        writer.write("red\n\n codel:target=5ms \nunfinis")
        writer.flush()
        assert fifo.lines() == ["red", "codel:target=5ms"]
        writer.write("hed\n")
    assert fifo.lines() == ["unfinished"]
    assert fifo.lines() == []
    assert isinstance(fifo.fileno(), int)
    fifo.close()
    assert not (tmp_path / "fifo").exists()
    plain = tmp_path / "file"
    plain.write_text("old\n")
    control = QueueCommandFile(plain)
    assert (control.lines(), control.fileno()) == ([], None)
    with plain.open("a") as writer:
        writer.write("new\n")
    assert control.lines() == ["new"]
    control.close()
    assert plain.exists()
    with pytest.raises(FileError, match="--control"):
        QueueCommandFile(tmp_path / "no" / "folder")


def test_the_default_command_is_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    assert _argv(None, alone=False) == ["/bin/sh"]
    assert _argv(None, alone=True) is None
    assert _argv(["true"], alone=True) == ["true"]


def test_nesting_counts_only_inside_the_namespace_of_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    inode = Path("/proc/self/ns/net").stat().st_ino
    for value, depth in ((f"2:{inode}", 2), (f"2:{inode + 1}", 0), ("nonsense", 0), ("", 0)):
        monkeypatch.setenv(nesting.NAMESPACE, value)
        assert nesting.current_depth() == depth
