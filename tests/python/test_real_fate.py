"""Every packet of a real run meets the fate that the simulator gives it, by the same law at the same nanosecond."""

from __future__ import annotations

import random
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import penstock as ps
import pytest
from numpy.typing import NDArray
from penstock.aqms.catalog import Scheme, find_scheme
from penstock.engine.trace import record_run
from penstock.link.namespace import Host
from penstock.link.session import LinkEnd, LinkSession
from penstock.scenario.document import Document

pytestmark = pytest.mark.link

SENDERS = 6
FIRST_PORT = 6000
PACKETS = 500
OFFERED = 14e6  # bit/s, on a link of 10 Mbit/s
EVENTS = ("send", "arrive", "drop", "mark", "enqueue", "dequeue", "receive")
COMPARED = [EVENTS.index(name) for name in ("arrive", "drop", "mark", "enqueue", "dequeue")]

EF = {"name": "voice", "match": {"dscp": "EF"}}
REST = {"name": "rest"}
# Parameters that a scheme cannot do without.
REQUIRED: dict[str, dict[str, Any]] = {
    "bernoulli": {"p": 0.05},
    "shaper": {"rate": "8Mbit"},
    "ras": {"cir": "5Mbit", "cir_th": "10kB", "mir_th": "20kB"},
    "pq": {"classes": [{**EF, "rate": "1Mbit"}, REST]},
    "cbfq": {"classes": [{**EF, "share": 0.1}, {**REST, "share": 0.9}]},
    "cbq": {"classes": [{**EF, "share": 0.1, "mean_packet": "200B"}, {**REST, "share": 0.9, "mean_packet": "1500B"}]},
    **{name: {"classes": [{**EF, "weight": 1}, {**REST, "weight": 9}]} for name in ("wfq", "scfq", "wf2q")},
}


def scenario(queue: dict[str, Any], traffic: dict[str, Any], extra: dict[str, Any] | None = None) -> Document:
    """The link of the test; what its queue knows about rates and flows is the same with any traffic of these counts."""
    link = {
        "from": "A",
        "to": "B",
        "rate": "10Mbit",
        "delay": "2ms",
        "rtt": "10ms",
        "queue": queue,
        "reverse": {"queue": {"scheme": "droptail", "limit": "100p"}, "watch": True},
        "watch": True,
        **(extra or {}),
    }
    return Document({"name": "fate", "duration": "20s", "links": {"wire": link}, "traffic": traffic})


def queue_of(scheme: Scheme) -> dict[str, Any]:
    """A small queue of this scheme, that marks if the scheme can mark."""
    marks = {"ecn": True} if any(parameter.name == "ecn" for parameter in scheme.params) else {}
    return {"scheme": scheme.name, "limit": "30p", **marks, **REQUIRED.get(scheme.name, {})}


def codepoint(sender: int) -> int:
    """Every third sender uses EF."""
    return 46 if sender in range(0, SENDERS, 3) else 0


class Traffic:
    """Datagrams of several senders for a host in another namespace; sizes, pauses, codepoints and ECN fields vary."""

    def __init__(self, source: Host, sink: Host, to: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.receiver = sink.call(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.receiver.bind((to, 5000))
        self.senders = []
        for number in range(SENDERS):
            sender = source.call(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, codepoint(number) << 2 | number % 2 * 2)
            sender.bind(("", FIRST_PORT + number))
            sender.connect((to, 5000))
            self.senders.append(sender)

    def send(self, packets: int = PACKETS) -> None:
        """Overload the link with this number of packets."""
        due = time.monotonic()
        for _ in range(packets):
            size = self.random.randrange(1, 1400)
            self.random.choice(self.senders).send(bytes(size))
            due += size * 8 / OFFERED
            if self.random.random() < 0.3:
                time.sleep(max(due - time.monotonic(), 0))

    def close(self) -> None:
        """Close all sockets."""
        for socket_ in [self.receiver, *self.senders]:
            socket_.close()


Columns = dict[str, NDArray[Any]]


def transfer(source: Host, sink: Host, to: str) -> None:
    """Send 500 kB by the kernel's TCP, without ECN."""
    for host in (source, sink):
        host.namespace.set("ipv4/tcp_ecn", "0")
    server = sink.call(lambda: socket.create_server((to, 5001)))
    sender = source.call(lambda: socket.create_connection((to, 5001)))
    receiver, _ = server.accept()
    with server, sender, receiver, ThreadPoolExecutor(1) as threads:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        received = threads.submit(lambda: sum(iter(lambda: len(receiver.recv(1 << 16)), 0)))
        sender.sendall(bytes(500_000))
        sender.shutdown(socket.SHUT_WR)
        assert received.result() == 500_000


def real_run(
    queue: dict[str, Any], extra: dict[str, Any] | None = None, *, tcp: bool = False
) -> tuple[dict[str, Any], Columns]:
    """The result and the events of real datagrams over the link, or of a real TCP."""
    placed = {"kind": "cbr", "from": "A", "to": "B", "rate": "1kbit", "packet": "100B", "count": SENDERS}
    with Host() as a, Host() as b:
        ends = [LinkEnd("A", a.namespace), LinkEnd("B", b.namespace)]
        with LinkSession(scenario(queue, {"datagrams": placed}, extra), ends, trace=True, endless=True) as session:
            traffic = Traffic(a, b, session.addresses["B"], seed=1)
            session.start()
            if tcp:
                transfer(a, b, session.addresses["B"])
            else:
                traffic.send()
            time.sleep(0.4 if extra else 0.1)  # until the last packet has left
            result = session.stop()
            traffic.close()
            return result, session.trace()


def replayed(queue: dict[str, Any], real: Columns, folder: Path, extra: dict[str, Any] | None = None) -> Columns:
    """The events that the simulator gives the packets of a real run, with the arrival times of the run and its seed."""
    arrives = real["event"] == EVENTS.index("arrive")
    traffic = {}
    for flow in np.unique(real["flow"]):
        mine = np.flatnonzero(arrives & (real["flow"] == flow))
        # A copy by the link arrives together with its packet, under the same number.
        mine = mine[np.sort(np.unique(real["seq"][mine], return_index=True)[1])]
        ends = ("A", "B") if real["link"][mine][0] == 0 else ("B", "A")
        times, sizes = real["t_ns"][mine], real["size_bytes"][mine]
        file = folder / f"{flow}.pcap"
        write_pcap(file, times, sizes)
        traffic[f"f{flow:03}"] = {
            "kind": "replay",
            "from": ends[0],
            "to": ends[1],
            "file": str(file),
            "start": {"first": f"{times[0]}ns", "every": "0s"},
            "ecn": bool(real["ecn"][mine][0]),
            "dscp": codepoint(int(real["port"][flow]) - FIRST_PORT),
        }
    recorded = record_run(scenario(queue, traffic, extra).resolve(), 1, traced=True)
    kinds = {"t_ns": np.int64, "event": np.uint8, "cause": np.uint8, "link": np.uint32, "flow": np.uint32}
    kinds |= {"seq": np.uint32}
    return {name: np.frombuffer(recorded.events[name], kind) for name, kind in kinds.items()}


def write_pcap(file: Path, times: NDArray[Any], sizes: NDArray[Any]) -> None:
    """A capture with these times, in nanoseconds, and these sizes; no bytes of the packets are kept."""
    header = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    packets = [struct.pack("<IIII", t // 10**9, t % 10**9, 0, size) for t, size in zip(times, sizes, strict=True)]
    file.write_bytes(header + b"".join(packets))


def fates(columns: Columns, number: NDArray[Any]) -> list[tuple[int, ...]]:
    """Link, flow, number within the flow, time, event and cause of each event at a link, sorted."""
    at_link = np.isin(columns["event"], COMPARED)
    parts = (columns["link"], columns["flow"], number, columns["t_ns"], columns["event"], columns["cause"])
    return sorted(zip(*(part[at_link].tolist() for part in parts), strict=True))


def number_within_flow(real: Columns) -> NDArray[Any]:
    """For each event the number of its packet among those of its flow."""
    number = np.zeros(len(real["seq"]), np.int64)
    for flow in np.unique(real["flow"]):
        mine = real["flow"] == flow
        number[mine] = np.unique(real["seq"][mine], return_inverse=True)[1]
    return number


def compare(queue: dict[str, Any], folder: Path, extra: dict[str, Any] | None = None, *, tcp: bool = False) -> Columns:
    """Compare a real run with its replay; returns the events of the real one."""
    result, real = real_run(queue, extra, tcp=tcp)
    assert not [reason for reason in result["invalid_because"] if "late" not in reason], result["invalid_because"]
    real["port"] = np.array([flow["src_port"] for flow in sorted(result["flows"], key=lambda flow: flow["flow"])])
    simulated = replayed(queue, real, folder, extra)
    ours, theirs = fates(real, number_within_flow(real)), fates(simulated, simulated["seq"])
    assert len(ours) > 1000
    assert ours == theirs
    return real


@pytest.mark.parametrize("scheme", ps.schemes(), ids=lambda scheme: scheme.name)
def test_every_packet_meets_the_fate_that_the_simulator_gives_it(scheme: Scheme, tmp_path: Path) -> None:
    real = compare(queue_of(scheme), tmp_path)
    assert np.isin(real["event"], [EVENTS.index("drop"), EVENTS.index("mark")]).any()


@pytest.mark.parametrize("scheme", ["droptail", "red", "codel", "fq-codel", "pie", "cake"])
def test_packets_of_a_real_tcp_do_the_same_both_ways(scheme: str, tmp_path: Path) -> None:
    real = compare(queue_of(find_scheme(scheme)), tmp_path, tcp=True)
    assert (real["link"] == 1).any()


FEATURES: dict[str, dict[str, Any]] = {
    "loss": {"loss": {"gilbert": {"p": 0.02, "r": 0.3}}},
    "jitter": {"jitter": {"uniform": ["0ms", "3ms"]}},
    "outage": {"outage": [{"at": "60ms", "for": "80ms"}, {"at": "200ms", "for": "20ms"}]},
    "change": {"change": [{"every": "30ms", "rate": {"uniform": ["5Mbit", "15Mbit"]}, "delay": {"exp": "2ms"}}]},
    "reorder": {"reorder": {"rate": 0.2, "delay": {"exp": "3ms"}}},
    "reorder as netem": {"reorder": {"rate": 0.2, "early": True, "correlation": 0.3, "gap": 3}},
    "jitter around the delay": {"jitter": {"deviation": "3ms", "distribution": "normal", "correlation": 0.25}},
    "loss in four states": {"loss": {"states": {"p13": 0.02, "p31": 0.3, "p32": 0.3, "p23": 0.5, "p14": 0.01}}},
    "correlated loss": {"loss": {"correlated": {"rate": 0.2, "correlation": 0.25}}},
    "duplicate": {"duplicate": {"rate": 0.1}},
    "conditioner": {"edge": [{"kind": "policer", "rate": "9Mbit", "burst": "10kB"}]},
    "shaper": {"edge": [{"kind": "shaper", "rate": "8Mbit", "burst": "5kB"}]},
}


@pytest.mark.parametrize("feature", FEATURES)
def test_a_link_with_this_feature_does_the_same(feature: str, tmp_path: Path) -> None:
    compare({"scheme": "codel", "limit": "30p", "ecn": True}, tmp_path, FEATURES[feature])


def test_recorded_opportunities_do_the_same(tmp_path: Path) -> None:
    trace = tmp_path / "steps.mahi"
    trace.write_text("".join(f"{ms}\n" for ms in (1, 2, 2, 3, 5, 8, 9, 9, 9, 12)))
    compare({"scheme": "droptail", "limit": "30p"}, tmp_path, {"change": [{"capacity": str(trace)}]})


def test_another_queue_takes_over_without_losing_a_packet() -> None:
    placed = {"kind": "cbr", "from": "A", "to": "B", "rate": "1kbit", "packet": "100B", "count": SENDERS}
    document = scenario({"scheme": "droptail", "limit": "1000p"}, {"datagrams": placed})
    with Host() as a, Host() as b:
        ends = [LinkEnd("A", a.namespace), LinkEnd("B", b.namespace)]
        with LinkSession(document, ends, trace=True, endless=True) as session:
            traffic = Traffic(a, b, session.addresses["B"], seed=2)
            session.start()
            for scheme in ("fq-codel", "red", "sfq", "cake"):
                traffic.send(PACKETS // 4)
                before = session.snapshot()
                session.change("wire", {"scheme": scheme, "limit": "5000p", **WIDE.get(scheme, {})})
                after = session.snapshot()
                assert before
                assert after
                assert before["links"]["wire"]["queue_pkts"] > 0
                assert after["links"]["wire"]["scheme"] == scheme
            traffic.send(PACKETS // 4)
            time.sleep(1.0)
            state = session.snapshot()
            result = session.stop()
            traffic.close()
    assert state
    link = result["links"]["wire"]
    assert state["links"]["wire"]["queue_pkts"] == 0
    assert link["arrivals"] == link["departures"] == 5 * (PACKETS // 4)
    assert link["drops"] == 0
    trace = session.trace()
    leaves = (trace["event"] == EVENTS.index("dequeue")) & (trace["link"] == 0)
    # Under one queue packets of different flows may overtake each other; those of an earlier queue leave first.
    epoch = trace["seq"][leaves] // (PACKETS // 4)
    assert (np.diff(epoch.astype(int)) >= 0).all()


# So wide that the AQMs have no reason to drop.
WIDE: dict[str, dict[str, Any]] = {
    "red": {"min_th": "4000p", "max_th": "4900p"},
    "fq-codel": {"target": "5s", "interval": "10s"},
    "cake": {"rtt": "10s"},
}
