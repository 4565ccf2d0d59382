"""Captures of links, read by tshark where it is installed."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from .capturing import ACK, AE, CWR, ECE, MIXED, ONE_FLOW, SYN, Packet, run

pytestmark = pytest.mark.needs("tshark")


def tshark(file: Path, shown: str, *fields: str) -> list[list[str]]:
    """The fields of the packets that fit, as tshark tells them with all checksums looked at."""
    checks = [part for name in ("ip", "tcp", "udp") for part in ("-o", f"{name}.check_checksum:TRUE")]
    told = [part for name in fields for part in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-n", *checks, "-r", str(file), "-Y", shown, "-T", "fields", *told],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return [line.split("\t") for line in done.stdout.splitlines()]


FAULTY = (
    '_ws.malformed || ip.checksum.status == "Bad" || tcp.checksum.status == "Bad" || udp.checksum.status == "Bad" '
    "|| ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"
)
CHECKED = "(tcp.checksum.status == 1 || udp.checksum.status == 1) && ip.checksum.status == 1"


@pytest.mark.parametrize("ecn", [False, True], ids=["plain", "ecn"])
@pytest.mark.parametrize(
    "flavour", ["tahoe", "reno", "newreno", "sack", "vegas", "cubic", "dctcp", "prague", "bbr", "bbr3", "ledbat"]
)
def test_tshark_finds_nothing_odd_in_a_flow_without_losses(flavour: str, ecn: bool, tmp_path: Path) -> None:
    settings = [f"traffic.bulk.flavour={flavour}", "traffic.bulk.syn=true", "traffic.bulk.window=120"]
    settings += ["duration=3s", "links.bottleneck.queue.limit=1000p"]
    if ecn:
        settings += ["traffic.bulk.ecn=true", "links.bottleneck.queue.scheme=bernoulli"]
        settings += ["links.bottleneck.queue.p=0.005", "links.bottleneck.queue.ecn=true"]
    done = run(ONE_FLOW, tmp_path, *settings)
    assert done.result["traffic"]["bulk"]["retransmitted_pkts"] == 0
    file, found = tmp_path / "bottleneck.pcap", done.packets()
    assert tshark(file, FAULTY, "frame.number") == []
    told = tshark(file, CHECKED, "tcp.analysis.flags", "tcp.stream", "ip.dsfield.ecn", "tcp.flags.syn")
    assert len(told) == len(found) > 500
    assert {(flags, stream) for flags, stream, _, _ in told} == {("", "0")}
    marks = done.result["links"]["bottleneck"]["marks"]
    assert sum(field == "3" for _, _, field, _ in told) == marks
    # Vegas opens with data in this profile too.
    assert sum(syn == "1" for _, _, _, syn in told) == (2 if flavour != "vegas" else 0)
    if flavour == "prague":
        check_accurate_ecn(found, marks)
        return
    flags = [(p.is_data, bool(p.flags & ECE), bool(p.flags & CWR)) for p in found if not p.flags & SYN]
    if not ecn:
        assert not any(echo or reduced for _, echo, reduced in flags)
        return
    if flavour == "dctcp":
        # RFC 8257, section 3.2: the echo is the mark of the newest packet.
        assert any(echo for _, echo, _ in flags)
        return
    # RFC 3168, section 6.1.3: the echo of a mark lasts until the sender says that it has reduced its window.
    echoes = [echo for is_data, echo, _ in flags if not is_data]
    runs = sum(echo and not before for before, echo in pairwise([False, *echoes]))
    reduced = sum(is_data and reduced for is_data, _, reduced in flags)
    assert 0 < runs - 1 <= reduced <= marks


def check_accurate_ecn(found: list[Packet], marks: int) -> None:
    """RFC 9768, section 3: the handshake, data as ECT(1) with the count 5, acknowledgements with that of the marks."""
    count = {p.flags & (AE | CWR | ECE) for p in found if p.is_data and not p.flags & SYN}
    assert count == {AE | ECE}
    # The SYN is ECT(1) too, which its answer reports as 011 (RFC 9768, table 2; RFC 9331, appendix A.2.1).
    assert [p.flags for p in found if p.flags & SYN] == [SYN | AE | CWR | ECE, SYN | ACK | CWR | ECE]
    assert {p.ecn for p in found if p.is_data and not p.flags & SYN} <= {1, 3}
    told = [5] + [p.flags >> 6 & 7 for p in found if not p.is_data and not p.flags & SYN]
    assert marks - 8 < sum((after - before) % 8 for before, after in pairwise(told)) <= marks


@pytest.mark.parametrize(
    ("profile", "flavour"),
    [(profile, flavour) for profile in ("linux", "ns2") for flavour in ("tahoe", "reno", "newreno", "sack")]
    + [("linux", flavour) for flavour in ("cubic", "prague", "bbr", "bbr3")],
)
def test_tshark_counts_our_retransmissions(profile: str, flavour: str, tmp_path: Path) -> None:
    """In front of the queue tshark counts every retransmission; behind it, only those that follow a later packet.

    The buffer is about a third of the bandwidth-delay product of 42 packets, so that every flavour loses packets: BBRv3
    keeps at most two products in flight, which do not fill a buffer of more than one.
    """
    settings = [f"traffic.bulk.flavour={flavour}", f"traffic.bulk.profile={profile}", "traffic.bulk.window=400"]
    settings += ["links.bottleneck.queue.limit=15p"]
    done = run(ONE_FLOW, tmp_path, *settings, links=("left", "bottleneck"))
    again = (
        "tcp.analysis.retransmission || tcp.analysis.fast_retransmission || tcp.analysis.spurious_retransmission "
        "|| tcp.analysis.out_of_order"
    )
    traffic = done.result["traffic"]["bulk"]
    assert len(tshark(tmp_path / "left.pcap", again, "frame.number")) == traffic["retransmitted_pkts"] > 5
    newest, crossed = -1, 0
    for _, _, seq, _ in done.departures("data"):
        crossed += seq <= newest
        newest = max(newest, seq)
    assert len(tshark(tmp_path / "bottleneck.pcap", again, "frame.number")) == crossed > 5
    assert tshark(tmp_path / "bottleneck.pcap", FAULTY, "frame.number") == []


def test_tshark_measures_our_round_trips(tmp_path: Path) -> None:
    """At the sender's own link it misses the way home of the acknowledgement: 2 ms and 40 bytes at 100 Mbit/s."""
    settings = ("traffic.bulk.delayed_ack=off", "traffic.bulk.window=60")
    done = run(ONE_FLOW, tmp_path, *settings, links=("left",))
    told = [float(row[0]) for row in tshark(tmp_path / "left.pcap", "tcp.analysis.ack_rtt", "tcp.analysis.ack_rtt")]
    mean = sum(told) / len(told) + 0.002 + 40 * 8 / 100e6
    # A packet may wait for at most one other at that link.
    assert 0 <= done.result["traffic"]["bulk"]["rtt_mean_s"] - mean < 1500 * 8 / 100e6


def test_tshark_reads_connections_that_come_and_go(tmp_path: Path) -> None:
    mixed = run(MIXED, tmp_path)
    file = tmp_path / "bottleneck.pcap"
    assert tshark(file, FAULTY, "frame.number") == []
    assert len(tshark(file, CHECKED, "frame.number")) == len(mixed.packets())
    conversations = {frozenset((p.ends[:2], p.ends[2:])) for p in mixed.packets() if p.protocol == 6}
    assert len({row[0] for row in tshark(file, "tcp", "tcp.stream")}) == len(conversations)
    assert tshark(file, "tcp.analysis.reused_ports", "frame.number") == []
