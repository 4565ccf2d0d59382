"""Pipes, queues and schedulers of dummynet. Right values follow from ipfw(8), TRAFFIC SHAPER CONFIGURATION."""

from __future__ import annotations

from typing import Any

import pytest
from penstock.dialects import ConversionContext, DialectError, read, write

PIE = {"target": "15ms", "t_update": "15ms", "alpha": 0.125, "beta": 1.25, "max_burst": "150ms", "mark_ecnth": 0.1,
       "ecn": False, "cap_drop": "on", "derandomization": "on", "activation": "off", "delay": "rate"}  # fmt: skip
FQ_CODEL = {"target": "5ms", "interval": "100ms", "ecn": False, "quantum": "1514B", "limit": "10240p", "flows": 1024}
SHOWN = """00001:  10.000 Mbit/s    0 ms burst 0
q131073  50 sl. 0 flows (1 buckets) sched 65537 weight 0 lmax 0 pri 0 {}
 sched 65537 type FIFO flags 0x0 0 buckets 0 active"""

CASES: list[tuple[str, str, dict[str, Any]]] = [
    # Defaults.
    ("ipfw pipe 1 config bw 10Mbit/s", "droptail", {"limit": "50p"}),
    ("ipfw pipe 1 config codel", "codel", {"limit": "50p", "target": "5ms", "interval": "100ms", "ecn": False}),
    ("ipfw pipe 1 config pie", "pie", {"limit": "50p", **PIE}),
    ("ipfw sched 1 config pipe 1 type fq_codel", "fq-codel", FQ_CODEL),
    ("ipfw sched 1 config pipe 1 type fq_pie", "fq-pie", {**PIE, "quantum": "1514B", "limit": "10240p", "flows": 1024}),
    # RED: slots and bytes.
    ("ipfw pipe 1 config queue 50 red 0.002/5/15/0.1", "red", {"limit": "50p", "w_q": 0.002, "min_th": 5.0,
        "max_th": 15.0, "max_p": 0.1, "gentle": False, "ecn": False, "mean_packet": "512B"}),
    ("ipfw pipe 1 config queue 50KBytes red 0.002/5000/15000/0.1", "red", {"limit": "51200B", "min_th": "5000B",
        "max_th": "15000B", "measure_in": "bytes"}),
    ("queue 30000Bytes gred 0.002/5000/15000/0.1 ecn", "red", {"limit": "30000B", "min_th": "5000B", "gentle": True,
        "ecn": True}),
    ("pipe 1 config red 0.002/5/15/0.1 queue 100KBytes", "red", {"limit": "102400B", "min_th": "5B"}),
    # The last word for the AQM counts.
    ("pipe 1 config queue 50 red 0.002/5/15/0.1 droptail", "droptail", {"limit": "50p", "min_th": None}),
    ("pipe 1 config queue 50 droptail red 0.002/5/15/0.1", "red", {"limit": "50p", "min_th": 5.0}),
    # Times: milliseconds without a unit.
    ("pipe 1 config codel target 5 interval 100 ecn", "codel", {"target": "5ms", "interval": "100ms", "ecn": True}),
    ("pipe 1 config codel target 5000us interval 1s", "codel", {"target": "5ms", "interval": "1s"}),
    ("pipe 1 config pie tupdate 20ms max_burst 1s nocapdrop nodrand onoff ts", "pie", {"t_update": "20ms",
        "max_burst": "1s", "cap_drop": "off", "derandomization": "off", "activation": "on", "delay": "timestamp"}),
    # Numbers of objects are no settings.
    ("ipfw sched 1 config pipe 1 type fq_codel\nqueue 1 config pipe 1 droptail", "fq-codel", FQ_CODEL),
    ("dnctl sched 3 config pipe 1 type fq_codel\ndnctl queue 7 config sched 3", "fq-codel", FQ_CODEL),
    ("ipfw -q pipe 1 config bw 2Mbit/s\nipfw -q queue 3 config pipe 1 queue 20", "droptail", {"limit": "20p"}),
    ("/sbin/ipfw -q pipe 7 config queue 9", "droptail", {"limit": "9p"}),
    ("${fwcmd} pipe 7 config queue 9", "droptail", {"limit": "9p"}),
    # Comments, continuations, deleted objects, order.
    ("# pipe 2 config queue 3\npipe 1 config queue 9 # red 0.1/1/2/0.5", "droptail", {"limit": "9p"}),
    ("ipfw pipe 1 config \\\n queue 9 \\\n codel target 7", "codel", {"limit": "9p", "target": "7ms"}),
    ("ipfw pipe 2 config queue 5\nipfw pipe 2 delete\nipfw pipe 1 config queue 9", "droptail", {"limit": "9p"}),
    ("ipfw pipe 2 config queue 5\nipfw pipe flush\nipfw pipe 1 config queue 9", "droptail", {"limit": "9p"}),
    ("pipe 1 config queue 9\npipe 1 config queue 11", "droptail", {"limit": "11p"}),
    # Files of pfSense (/tmp/rules.limiter) and OPNsense.
    ("pipe 1 config  bw 20Mb droptail\nsched 1 config pipe 1 type fq_codel target 5 interval 100 quantum 1514 limit "
     "10240 flows 1024 noecn\nqueue 1 config pipe 1 mask dst-ip6 /128 dst-ip 0xffffffff droptail", "fq-codel",
        FQ_CODEL),
    ("pipe 10000 config bw 50Mbit/s queue 100\nsched 10000 config pipe 10000 type fq_pie\n"
     "queue 10000 config pipe 10000 weight 100", "fq-pie", PIE),
    # Printed.
    (SHOWN.format("droptail"), "droptail", {"limit": "50p"}),
    (SHOWN.format(" AQM CoDel target 5ms interval 100ms NoECN"), "codel", {"target": "5ms", "ecn": False}),
    (SHOWN.format("\n\t GRED w_q 0.002 min_th 5 max_th 15 max_p 0.1"), "red", {"min_th": 5.0, "gentle": True}),
    ("00001:  10.000 Mbit/s    0 ms burst 0\n"
     "q65537  50 sl. 0 flows (1 buckets) sched 1 weight 0 lmax 0 pri 0 droptail\n"
     " sched 1 type FQ_CODEL flags 0x0 0 buckets 1 active\n"
     " FQ_CODEL target 8ms interval 100ms quantum 1514 limit 10240 flows 1024 ECN\n   Children flowsets: 1\n"
     "BKT Prot ___Source IP/port____ ____Dest. IP/port____ Tot_pkt/bytes Pkt/Byte Drp\n"
     "  0 ip           0.0.0.0/0             0.0.0.0/0     1234  1500000  0    0   3", "fq-codel",
        {**FQ_CODEL, "target": "8ms", "ecn": True}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "scheme", "parameters"), CASES)
def test_a_configuration_is_read(text: str, scheme: str, parameters: dict[str, Any]) -> None:
    result = read(text, "dummynet")
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


@pytest.mark.parametrize(
    ("text", "rate"),
    [("10Mbit/s", 10e6), ("300KByte/s", 2.4e6), ("1.5Mb", 1.5e6), ("64000", 64e3), ("1GByte/s", 8e9), ("0", None)],
)
def test_the_unit_of_the_bandwidth_counts(text: str, rate: float | None) -> None:
    assert read(f"ipfw pipe 1 config bw {text}", "dummynet").rate == rate


def test_queues_of_a_pipe_share_it_by_weight() -> None:
    text = (
        "ipfw pipe 1 config bw 2Mbit/s delay 10ms plr 0.01\nipfw queue 1 config pipe 1 weight 10 queue 20\n"
        "ipfw queue 2 config pipe 1 weight 90 codel target 10 ecn\nipfw add queue 1 tcp from any to any 80"
    )
    result = read(text, "dummynet")
    assert (result.scheme, result.rate) == ("wfq", 2e6)
    assert result.parameters["classes"] == [
        {"name": "queue1", "weight": 10, "match": {"traffic": ["queue1"]}, "limit": "20p"},
        {"name": "queue2", "weight": 90, "limit": "50p",
         "queue": {"scheme": "codel", "target": "10ms", "interval": "100ms", "ecn": True}},
    ]  # fmt: skip
    assert [item.split(":")[0] for item in result.lost_settings] == [
        "pipe 1 delay 10ms", "pipe 1 plr 0.01", "rules (add ...) that choose the queue of a packet"
    ]  # fmt: skip


def test_a_pipe_is_chosen_by_its_number() -> None:
    text = "pipe 1 config codel\npipe 2 config pie"
    with pytest.raises(DialectError, match="several pipes: 1, 2"):
        read(text, "dummynet")
    assert read(text, "dummynet", ConversionContext(device="2")).scheme == "pie"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pipe 1 config queue 50 rde 0.002/5/15/0.1", 'has no "rde"'),
        ("pipe 1 config codel targt 5", 'codel has no "targt"; did you mean "target"'),
        ("pipe 1 config codel queue 50", 'codel has no "queue"'),  # all words after codel are its own
        ("pipe 1 config red 0.002/5/15", "expected w_q/min_th/max_th/max_p"),
        ("pipe 1 config red 0.002/5.5/15/0.1", "min_th 5.5"),
        ("pipe 1 config bw 10 Mbit/s", 'has no "mbit/s"'),
        ("pipe 1 config queue 50KBits", "expected slots"),
        ("sched 1 config type fq_codel quantum 9001", "quantum 9001: expected 1 to 9000"),
        ("queue 1 config weight 5", "queue 1 is connected to no pipe"),
        ("pipe 1 config queue 5 queue 6", "queue is given twice"),
        ("pipe 1 config codel target", "target has no value"),
        ("queue 1 config pipe 1 weight 101\nqueue 2 config pipe 1", "weight 101: expected 1 to 100"),
        ("sched 1 config pipe 1 type fq_coddle", "no scheduler fq_coddle"),
    ],
)
def test_a_text_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "dummynet")


def test_the_options_of_pie_are_written() -> None:
    """ipfw(8): departure rates are the default, onoff is off. RFC 8033's options: time stamps, from a third on."""
    assert write("pie", {"limit": "50p"}, "dummynet").text == "ipfw pipe 1 config queue 50 pie onoff ts noecn"
    assert "variant = linux" in write("fq-pie", {}, "dummynet").lost_settings[0]
    in_bytes = {"measure_in": "bytes", "limit": "30000B", "min_th": "5000B", "max_th": "15000B", "w_q": 0.002}
    assert "queue 30000Bytes red 0.002/5000/15000/0.1" in write("red", in_bytes, "dummynet").text
