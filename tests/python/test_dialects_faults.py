"""Faults of reading that once gave another queue in silence: a minimal text of each kind, with its right values.

Right values follow from the manual pages tc-red(8), tc-sfb(8), tc-fq(8), tc-pfifo(8), tc-cake(8) and tc-netem(8), the
Cisco IOS Quality of Service Solutions Command Reference, and the manuals of ns-2 and ns-3. The other kinds are tested
with their dialects.
"""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.dialects import ConversionContext, DialectError, read, write
from penstock.explain.warnings import scenario_warnings

from .test_dialects_documented import is_part

COMMENT = '// Config::SetDefault("ns3::RedQueueDisc::Gentle", BooleanValue(false));'
IN_BYTES = "Queue/DropTail set queue_in_bytes_ true\nQueue/DropTail set mean_pktsize_ 1000\nQueue set limit_ 30\n"
TWO_CLASSES = """policy-map P
 class A
  random-detect dscp 10 20 40 10
 class B
  random-detect dscp 18 25 50 10"""
TINS = """qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 10Mbit diffserv3 triple-isolate nat nowash no-ack-filter \
split-gso rtt 100ms noatm overhead 18 mpu 64
 Sent 1000 bytes 10 pkt (dropped 1, overlimits 20 requeues 0)
 backlog 0b 0p requeues 0
 memory used: 123456b of 4Mb
 capacity estimate: 10Mbit
 min/max network layer size:           40 /    1500
 average network hdr offset:           14

                   Bulk  Best Effort        Voice
  thresh        625Kbit       10Mbit     2500Kbit
  target           29ms          5ms        7.3ms
  interval        124ms        100ms        102ms
  pkts                0           10            0
  drops               0            1            0
"""
TBF = "tc qdisc add dev eth0 root handle 1: tbf rate 10mbit burst 32kb latency 50ms\n"

CASES: list[tuple[str, str, str, dict[str, Any]]] = [
    # Defaults of kinds of queues whose other keys are tested elsewhere: min = max / 3, max = limit / 4.
    ("tc", "choke limit 1000 avpkt 1000 bandwidth 10mbit", "choke", {"limit": "1000p", "min_th": "83p",
        "max_th": "250p", "max_p": 0.02}),
    ("tc", "sfb", "sfb", {"limit": "1000p", "max": 25, "bin_size": 20, "penalty_rate": 10, "penalty_burst": 20,
        "rehash": "600s", "warmup": "60s"}),
    ("tc", "fq", "sfq", {"limit": "10000p", "depth": 100, "quantum": "3028B"}),
    ("tc", "pfifo", "droptail", {"limit": "1000p"}),
    # Limits in bytes.
    ("ns2", IN_BYTES + "$ns duplex-link $a $b 10Mb 10ms DropTail", "droptail", {"limit": "30000B"}),
    # Two classes with random-detect are two queues, also without a bandwidth.
    ("cisco", TWO_CLASSES, "wfq", {"classes": [
        {"name": "A", "queue": {"scheme": "red", "min_th": 20.0, "max_th": 40.0, "max_p": 0.1}},
        {"name": "B", "queue": {"scheme": "red", "min_th": 25.0, "max_th": 50.0, "max_p": 0.1}},
        {"name": "class-default", "queue": None}]}),
    # Comments.
    ("ns3", f"{COMMENT}\nConfig::SetDefault(\"ns3::RedQueueDisc::MinTh\", DoubleValue(6));", "red", {"min_th": 6.0,
        "gentle": True}),
    # A queue object's own number after other objects is no limit.
    ("dummynet", "ipfw sched 1 config pipe 1 type wf2q+\nqueue 1 config pipe 1 droptail", "droptail", {"limit": "50p"}),
    # Keywords between other keys: all before and behind them is read.
    ("tc", "cake besteffort docsis bandwidth 20mbit lan nat", "cake", {"diffserv": "besteffort", "overhead": "18B",
        "mpu": "64B", "bandwidth": "20Mbit", "rtt": "1ms"}),
    # An overhead below 0, from -64 on.
    ("tc", "cake bandwidth 10mbit overhead -14", "cake", {"overhead": "-14B", "mpu": "0B"}),
    # Printed tables.
    ("tc", TINS, "cake", {"bandwidth": "10Mbit", "overhead": "18B", "mpu": "64B", "rtt": "100ms"}),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "scheme", "parameters"), CASES)
def test_a_minimal_text_has_its_right_values(dialect: str, text: str, scheme: str, parameters: dict[str, Any]) -> None:
    found = read(text, dialect, ConversionContext(10e6))
    assert found.scheme == scheme
    assert is_part(parameters, found.parameters), found.parameters
    assert not any("overhead" in item for item in found.lost_settings)


@pytest.mark.parametrize(("dialect", "text", "named"), [
    ("ns3", COMMENT, "expected a queue disc"),
    ("tc", "cake overhead -65", "overhead -65: tc takes -64 to 256"),
    ("tc", "tc qdisc add dev eth0 root fq_codel\ntc qdisc add dev eth1 root cake", "eth0 and eth1"),
])  # fmt: skip
def test_an_error_names_the_object(dialect: str, text: str, named: str) -> None:
    with pytest.raises(DialectError, match=named):
        read(text, dialect)


def test_an_overhead_below_0_is_written_for_tc() -> None:
    assert write("cake", {"bandwidth": "10Mbit", "overhead": "-14B"}, "tc").text.endswith(" overhead -14")


def test_netem_below_a_shaper_is_the_link_behind_it() -> None:
    """tc-netem(8): `reorder 5% 50%` sends 5 % of the packets at once, with a correlation of 50 %."""
    text = TBF + "tc qdisc add dev eth0 parent 1:1 handle 2: netem delay 20ms 2ms loss 1% reorder 5% 50%"
    found = read(text, "tc")
    assert (found.scheme, found.rate) == ("droptail", 10e6)
    assert found.link == {
        "delay": "20ms",
        "jitter": {"deviation": "2ms", "distribution": "uniform"},
        "loss": {"rate": 0.01},
        "reorder": {"rate": 0.05, "early": True, "correlation": 0.5},
    }


@pytest.mark.parametrize(("target", "is_too_low"), [("10ms", True), ("11ms", True), ("15ms", True), ("16ms", False)])
def test_a_target_is_compared_with_the_packets_that_are_sent(target: str, is_too_low: bool) -> None:
    """1500 B take 15.1 ms at 795 kbit/s."""
    traffic = ps.Tcp(flavour="cubic", profile="linux")
    scenario = ps.dumbbell(rate="795kbit", rtt="20ms", duration="5s", queue=ps.CoDel(target=target), traffic=traffic)
    warnings = {warning.name: warning.message for warning in scenario_warnings(scenario.resolve(), ["bottleneck"])}
    assert ("low-target" in warnings) == is_too_low
    assert not is_too_low or "15.1 ms that a packet of 1500 B takes" in warnings["low-target"]
