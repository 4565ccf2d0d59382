"""Configurations as people publish and paste them, with the values that the manual pages give them, derived by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import penstock as ps
import pytest
from penstock.dialects import ConversionContext, DialectError, read, write
from penstock.studies.candidate import Candidate

CODEL = {"variant": "linux", "target": "5ms", "interval": "100ms"}
FQ_CODEL = {**CODEL, "limit": "10240p", "flows": 1024, "quantum": "1514B", "drop_batch": 64, "ecn": True}
PIE = {"variant": "linux", "target": "15ms", "t_update": "15ms", "alpha": 0.125, "beta": 1.25, "ecn": False,
       "delay": "timestamp"}  # fmt: skip
CAKE = {"diffserv": "diffserv3", "isolation": "triple-isolate", "rtt": "100ms", "overhead": "0B", "mpu": "0B",
        "cells": "none", "wash": False, "ack_filter": "off", "ingress": False}  # fmt: skip
DUALPI2 = {"limit": "10000p", "target": "15ms", "interval": "16ms", "alpha": 0.16, "beta": 3.2, "min_th": "1ms",
           "range": "0s", "th_len": 0, "k": 2, "classic_weight": 0.1}  # fmt: skip

CONFIGURATIONS: list[tuple[str, str, str, dict[str, Any], list[str]]] = [
    # Defaults of the manual pages: a key that is left out is the kernel's, not penstock's.
    ("codel", "tc qdisc add dev eth0 root codel", "codel", {**CODEL, "limit": "1000p", "ecn": False}, []),
    ("fq_codel", "fq_codel", "fq-codel", FQ_CODEL, []),
    ("pie", "tc qdisc add dev eth0 root pie", "pie", {**PIE, "limit": "1000p"}, []),
    ("fq_pie", "fq_pie", "fq-pie",
     {**PIE, "limit": "10240p", "flows": 1024, "quantum": "1514B", "mark_ecnth": 0.1}, []),
    ("dualpi2", "tc qdisc add dev eth0 root dualpi2", "dualpi2", DUALPI2, []),
    ("sfq", "tc qdisc add dev ppp0 root sfq", "sfq",
     {"limit": "127p", "depth": 127, "flows": 128, "buckets": 1024, "quantum": "1514B"}, []),
    ("cake", "tc qdisc replace dev eth0 root cake", "cake", {**CAKE, "limit": "inf"}, []),
    # tc-red(8): min = max / 3, max = limit / 4, probability 0.02, burst (2 min + max) / (3 avpkt) = 8 packets, which
    # tc makes 2^-3 of, as recorded in tests/data/linux/tc_sent.json.
    ("red defaults", "tc qdisc add dev eth0 root red limit 60000 avpkt 1000", "red",
     {"limit": "60000B", "min_th": "5000B", "max_th": "15000B", "max_p": 0.02, "w_q": 2.0**-3, "measure_in": "bytes",
      "mean_packet": "1000B", "spacing": "once"}, []),
    ("red that marks", "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn harddrop bandwidth 10Mbit", "red",
     {"limit": "400000B", "min_th": "30000B", "max_th": "90000B", "max_p": 0.02, "w_q": 2.0**-5, "ecn": True,
      "measure_in": "bytes", "mean_packet": "1000B", "spacing": "once"}, []),
    # H: probability 1 is 2^32 / 2^32, which 32 bits hold as 0; (30001 - 30000) / 2^1.
    ("red of 1", "red limit 60000 min 30000 max 30001 avpkt 1000 burst 40 probability 1.0", "red",
     {"limit": "60000B", "min_th": "30000B", "max_th": "30001B", "max_p": 0.5, "w_q": 2.0**-4, "measure_in": "bytes",
      "mean_packet": "1000B", "spacing": "once"}, []),
    # F: keywords of tc-cake(8), in any place.
    ("docsis", "cake docsis bandwidth 20mbit besteffort", "cake",
     {**CAKE, "bandwidth": "20Mbit", "diffserv": "besteffort", "overhead": "18B", "mpu": "64B", "limit": "4194304B"},
     []),
    ("pppoe-ptm", "cake bandwidth 48mbit pppoe-ptm", "cake",
     {**CAKE, "bandwidth": "48Mbit", "overhead": "30B", "cells": "ptm", "limit": "4194304B"},
     []),
    ("a VLAN in PPPoE", "cake bandwidth 16mbit pppoe-ptm ether-vlan dual-srchost nat", "cake",
     {**CAKE, "bandwidth": "16Mbit", "overhead": "34B", "cells": "ptm", "isolation": "dual-srchost",
      "limit": "4194304B"},
     []),
    ("ADSL", "tc qdisc add dev pppoe-wan root cake bandwidth 800kbit atm overhead 40 mpu 96 diffserv4 ack-filter",
     "cake", {**CAKE, "bandwidth": "800kbit", "overhead": "40B", "diffserv": "diffserv4", "limit": "4194304B",
              "mpu": "96B", "cells": "atm", "ack_filter": "conservative"},
     []),
    ("an incoming link", "cake bandwidth 90mbit ingress wash besteffort dual-dsthost oceanic", "cake",
     {**CAKE, "bandwidth": "90Mbit", "diffserv": "besteffort", "isolation": "dual-dsthost", "rtt": "300ms",
      "limit": "13500000B", "ingress": True, "wash": True},
     []),
    # tc-cake(8), EXAMPLES: 100 Mbit/s and 100 ms have 5000000 bytes of memory.
    ("conservative", "cake conservative lan", "cake",
     {**CAKE, "rtt": "1ms", "overhead": "48B", "cells": "atm", "limit": "inf"}, []),
    ("the example of tc-cake(8)", "tc qdisc add root dev eth0 cake bandwidth 100Mbit ethernet", "cake",
     {**CAKE, "bandwidth": "100Mbit", "overhead": "38B", "mpu": "84B", "limit": "5000000B"},
     []),
    # tc-dualpi2(8): round trips of up to 60 ms: typical 10 ms; A.1 of RFC 9332: tupdate min(10, 60 / 3) ms.
    ("dualpi2 by round trips", "dualpi2 max_rtt 60ms step_thresh 500us min_qlen_step 2", "dualpi2",
     {**DUALPI2, "target": "10ms", "interval": "10ms", "alpha": 0.277777777778, "beta": 5.0, "min_th": "500us",
      "th_len": 2}, []),
    ("data centre", "dualpi2 any_ect step_thresh 50us", "dualpi2", {**DUALPI2, "min_th": "50us"},
     ["any_ect: ECT(0) waits in the Classic queue"]),
    ("pie that estimates", "pie limit 100 target 20ms tupdate 30ms ecn dq_rate_estimator", "pie",
     {**PIE, "limit": "100p", "target": "20ms", "t_update": "30ms", "ecn": True, "delay": "rate"}, []),
    ("bytes", "pie bytemode", "pie", {**PIE, "limit": "1000p"}, ["bytemode: PIE here decides by packets"]),
    # G: what tc prints: no word ecn means that it is off.
    ("OpenWrt's default", "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms "
     "interval 100ms memory_limit 4Mb drop_batch 64", "fq-codel", {**FQ_CODEL, "ecn": False}, ["memory_limit 4Mb"]),
    ("a shaper of Kubernetes", "tc qdisc add dev cali0 root handle 1: tbf rate 10Mbit burst 256Mb latency 25ms",
     "shaper", {"rate": "10Mbit", "burst": "268435456B", "limit": "268466706B"}, []),
    ("tbf with a limit", "tbf rate 220kbit burst 1540 limit 3000", "shaper",
     {"rate": "220kbit", "burst": "1540B", "limit": "3000B"}, []),
    ("an old fifo", "tc qdisc add dev eth0 root pfifo limit 30", "droptail", {"limit": "30p"}, []),
    ("bytes of a fifo", "bfifo limit 15kb", "droptail", {"limit": "15360B"}, []),
    ("C's numbers", "codel limit 0x64 target 1500 interval 30msec", "codel",
     {**CODEL, "limit": "100p", "target": "1.5ms", "interval": "30ms", "ecn": False}, []),
    ("DCTCP's marks", "fq_codel ce_threshold 1ms noecn quantum 300", "fq-codel",
     {**FQ_CODEL, "ce_threshold": "1ms", "ecn": False, "quantum": "300B"}, []),
    ("netem", "tc qdisc add dev eth0 root netem delay 40ms 5ms loss 0.5% limit 2000", "droptail", {"limit": "2000p"},
     []),
    ("a size table", "tc qdisc add dev ppp0 root stab linklayer atm overhead 40 mpu 53 fq_codel", "fq-codel", FQ_CODEL,
     []),
]  # fmt: skip
"""A name, a text, the scheme, its parameters, and what is listed as lost."""


@pytest.mark.parametrize(
    ("text", "scheme", "parameters", "lost"),
    [one[1:] for one in CONFIGURATIONS],
    ids=[one[0] for one in CONFIGURATIONS],
)
def test_a_configuration_has_the_values_of_its_manual_page(
    text: str, scheme: str, parameters: dict[str, Any], lost: list[str]
) -> None:
    found = read(text, "tc")
    assert (found.scheme, found.parameters) == (scheme, parameters)
    assert sorted(found.lost_settings) == sorted(lost)


def test_a_scheme_in_words_of_tc_has_the_same_values() -> None:
    found = Candidate.parse("tc: dualpi2")
    assert (found.name, found.params) == ("dualpi2", DUALPI2)


def test_the_step_of_the_kernel_is_less_than_a_packet_at_10_mbit() -> None:
    """A packet takes 1.2 ms, longer than the step of 1 ms: Prague gets half of what a ramp gives it next to CUBIC."""

    def prague_goodput(queue: ps.Queue) -> float:
        link = ps.Link(from_="a", to="b", rate="10Mbit", delay="5ms", queue=queue, watch=True)
        traffic = {flavour: ps.Tcp(from_="a", to="b", flavour=flavour) for flavour in ("prague", "cubic")}
        scenario = ps.Scenario(duration="30s", warmup="10s", links={"bottleneck": link}, traffic=traffic)
        return ps.run(scenario, seed=1).traffic["prague"].goodput_bps

    step = Candidate.parse("tc: dualpi2")
    assert prague_goodput(ps.DualPi2(**step.params)) < 0.6 * prague_goodput(ps.DualPi2(limit="10000p"))


@pytest.mark.parametrize(("spacing", "lost"), [("once", []), ("count", []), ("wait", ["spacing = wait"])])
def test_spacings_with_the_gaps_of_the_kernel_are_not_lost(spacing: str, lost: list[str]) -> None:
    """Linux drops after gaps uniform on 1 .. 1/p_b, as `once` and `count` do; those of `wait` are twice as long."""
    found = write(
        "red", {"limit": "100p", "min_th": "20p", "max_th": "60p", "w_q": 0.0078125, "spacing": spacing}, "tc"
    )
    assert [item.split(":")[0] for item in found.lost_settings if item.startswith("spacing")] == lost


def test_what_differs_from_the_kernel_is_written() -> None:
    """RFC 9332's defaults: T_update 15 ms, 0.15 Hz, 3 Hz, a ramp to 1.2 ms, th_len 1, a weight of 1/16."""
    found = write("dualpi2", {"limit": "10000p"}, "tc")
    assert found.text.endswith(
        "dualpi2 limit 10000 tupdate 15ms alpha 0.1484375 beta 3 step_thresh 1ms min_qlen_step 1 classic_protection 6%"
    )
    assert [item.split(":")[0] for item in found.lost_settings] == ["range = 400us"]
    again = read(write("dualpi2", DUALPI2, "tc").text, "tc")
    assert again.parameters == DUALPI2


def test_the_third_of_the_limit_is_not_dropped_in_silence() -> None:
    plain = write("pie", {"limit": "1000p"}, "tc")
    assert any("inactive until the queue fills a third of its limit" in item for item in plain.lost_settings)
    assert write("pie", {"limit": "1000p", "variant": "linux"}, "tc").lost_settings == []
    with pytest.raises(DialectError, match="activation"):
        write("pie", {"activation": "third"}, "tc")


def test_marks_and_drops_of_red_are_written_as_they_are() -> None:
    """Penstock's RED drops above max_th where it marks below, tc-red(8)'s harddrop; and spaces drops otherwise."""
    table = {"min_th": 5, "max_th": 15, "w_q": 2.0**-9, "ecn": True, "limit": "60p"}
    assert write("red", table, "tc").text.endswith("ecn harddrop")
    assert not write("red", {**table, "mark_up_to": "always"}, "tc").text.endswith("harddrop")
    assert any("spacing = wait" in note for note in write("red", table, "tc").notes)
    assert [item.split(":")[0] for item in write("red", {**table, "spacing": "none"}, "tc").lost_settings] == [
        "spacing = none"
    ]
    first = read("red limit 60000 min 5000 max 15000 avpkt 1000 burst 20 probability 0.1 ecn harddrop", "tc")
    again = read(write(first.scheme, first.parameters, "tc").text, "tc")
    assert (again.parameters, "mark_up_to" in again.parameters) == (first.parameters, False)


SCRIPT = """#!/bin/sh
# shaper of the uplink
DEV=eth1
UP=18mbit
TC=/sbin/tc
$TC qdisc del dev $DEV root 2> /dev/null || true
$TC qdisc add dev $DEV root handle 1: htb default 20   # all in one class
$TC class add dev $DEV parent 1: classid 1:1 htb rate ${UP}
# $TC qdisc add dev $DEV parent 1:20 sfq
$TC class add dev $DEV parent 1:1 classid 1:20 htb rate "$UP"; $TC qdisc add dev $DEV parent 1:20 \\
    fq_codel target 10ms noecn
ip link set dev $DEV txqueuelen 100
"""


def test_a_script_is_read_as_its_shell_reads_it() -> None:
    """Variables, continued lines, comments with settings, several commands in a line, and one of another program."""
    found = read(SCRIPT, "tc")
    assert (found.scheme, found.rate) == ("fq-codel", 18e6)
    assert found.parameters == {**FQ_CODEL, "target": "10ms", "ecn": False}
    assert found.lost_settings == ["ip link set dev eth1 txqueuelen 100: not a queue, class or filter"]


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("tc qdisc add dev eth0 root fq_codel\ntc qdisc del dev eth0 root\ntc qdisc add dev eth0 root sfq", "sfq"),
        ("tc qdisc add dev eth0 root pie\ntc qdisc replace dev eth0 root codel", "codel"),
        ("# tc qdisc add dev eth0 root sfq\ntc qdisc add dev eth0 root pie", "pie"),
        ("# tc qdisc add dev eth0 root sfq", "sfq"),
        ("root@OpenWrt:~# tc qdisc add dev eth0 root cake", "cake"),
        ("tc q a dev eth0 root pie", "pie"),
        ("sudo /sbin/tc -n home qdisc add dev eth0 root pie", "pie"),
        ("qdisc noqueue 0: dev lo root refcnt 2\nqdisc codel 0: dev eth0 root refcnt 2 limit 100p", "codel"),
    ],
)  # fmt: skip
def test_comments_deletions_and_prompts(text: str, scheme: str) -> None:
    assert read(text, "tc").scheme == scheme


def test_a_queue_that_is_changed_keeps_what_is_not_set() -> None:
    """As measured with Linux 6.18: replace of the same kind is a change."""
    text = (
        "tc qdisc add dev eth0 root fq_codel limit 500 target 9ms\ntc qdisc replace dev eth0 root fq_codel target 7ms"
    )
    assert read(text, "tc").parameters == {**FQ_CODEL, "limit": "500p", "target": "7ms"}


TBF_AT = "tc qdisc add dev eth0 {} handle 1: tbf rate 1mbit burst 5kb limit 10kb"
PRIO_AT = "tc qdisc add dev eth0 {} handle 1: prio"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tc qdisc del dev eth0 root", "all is deleted"),
        ("qdisc noqueue 0: dev wlan0 root refcnt 2", "noqueue is the only queue"),
        ("tc qdisc add dev eth0 root fq_codel\ntc qdisc add dev eth0 root sfq", "fq_codel already"),
        (f"{TBF_AT.format('root')}\n{TBF_AT.format('parent 1:1')}", "tbf 1:0 is below itself"),
        (f"{PRIO_AT.format('root')}\n{PRIO_AT.format('parent 1:1')}", "prio 1:0 is below itself"),
        ("tc qdisc add dev eth0 root hfsc default 1", "eth0: hfsc of tc has no counterpart"),
        ("fq_codel tagret 5ms", 'fq_codel has no option "tagret"; did you mean "target"'),
        ("cake internet lan", "lan is given after internet"),
        ("tc qdisc add dev $IF root cake", "$IF is not set"),
        ("for d in eth0 eth1; do tc qdisc add dev $d root cake; done", "is shell code"),
        ("pie alpha 33", "alpha 33: tc takes 0 to 32"),
        ("cake overhead -65", "overhead -65: tc takes -64 to 256"),
        ("qdisc mq 0: dev eth0 root", "paste all"),
        ("qdisc mq 0: dev eth0 root\nqdisc pie 0: dev eth0 parent :1\nqdisc codel 0: dev eth0 parent :2",
         "differ, but a link has only one queue"),
        ('[{"kind": "fq_codel", "options": 5}]', "options of tc -json"),
        ("{", "not JSON of tc"),
    ],
)  # fmt: skip
def test_what_is_not_a_queue_is_named(text: str, message: str) -> None:
    with pytest.raises(DialectError) as caught:
        read(text, "tc")
    assert message in str(caught.value)


TWO = "tc qdisc add dev eth0 root cake bandwidth 10mbit\ntc qdisc add dev ifb0 root cake bandwidth 50mbit"


def test_several_devices_ask_for_one() -> None:
    with pytest.raises(DialectError, match="eth0 and ifb0: choose a device with --device"):
        read(TWO, "tc")
    assert read(TWO, "tc", ConversionContext(device="ifb0")).parameters["bandwidth"] == "50Mbit"
    command = [sys.executable, "-m", "penstock", "convert", TWO, "--device", "eth0", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["parameters"]["bandwidth"] == "10Mbit"


MQ = """qdisc mq 0: dev eth0 root
 Sent 100 bytes 2 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc fq_codel 0: dev eth0 parent :2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb \
ecn drop_batch 64
 Sent 40 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
  maxpacket 0 drop_overlimit 0 new_flow_count 0 ecn_mark 0
  new_flows_len 0 old_flows_len 0
qdisc fq_codel 0: dev eth0 parent :1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb \
ecn drop_batch 64
 Sent 60 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
  maxpacket 0 drop_overlimit 0 new_flow_count 0 ecn_mark 0
  new_flows_len 0 old_flows_len 0
class mq :1 root
class mq :2 root
"""


def test_equal_queues_of_a_device_are_one() -> None:
    found = read(MQ, "tc")
    assert (found.scheme, found.parameters, found.lost_settings) == ("fq-codel", FQ_CODEL, ["memory_limit 32Mb"])
    assert found.notes[0].startswith("mq: 2 equal queues")


MQPRIO = """qdisc mqprio 8001: dev eth0 root tc {} map 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
             queues:(0:1)
qdisc fq_codel 0: dev eth0 parent 8001:2 limit 10240p flows 1024 ecn
qdisc fq_codel 0: dev eth0 parent 8001:1 limit 10240p flows 1024 ecn
"""


def test_classes_of_traffic_in_hardware_are_listed() -> None:
    assert read(MQPRIO.format(1), "tc").lost_settings == []
    found = read(MQPRIO.format(2), "tc")
    assert (found.parameters, found.lost_settings) == (FQ_CODEL, ["mqprio tc 2: classes of traffic in hardware"])


SQM = """qdisc noqueue 0: dev lo root refcnt 2
qdisc cake 8011: dev eth0 root refcnt 2 bandwidth 18Mbit besteffort dual-srchost nat nowash no-ack-filter split-gso \
rtt 100ms noatm overhead 44
 Sent 51504443 bytes 273434 pkt (dropped 62, overlimits 117563 requeues 5)
 backlog 0b 0p requeues 5
qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc cake 8012: dev ifb4eth0 root refcnt 2 bandwidth 90Mbit besteffort dual-dsthost nat wash ingress no-ack-filter \
split-gso rtt 100ms noatm overhead 44
"""
"""A home router: one direction on the device, the other on one that the first leads to."""


def test_a_home_router_has_a_device_for_each_direction() -> None:
    with pytest.raises(DialectError, match="eth0 and ifb4eth0"):
        read(SQM, "tc")
    up, down = (read(SQM, "tc", ConversionContext(device=name)) for name in ("eth0", "ifb4eth0"))
    assert (up.parameters["bandwidth"], up.parameters["isolation"]) == ("18Mbit", "dual-srchost")
    assert up.lost_settings == ["qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------"]
    assert (down.parameters["bandwidth"], down.lost_settings) == ("90Mbit", [])
    assert [(way.parameters["ingress"], way.parameters["wash"]) for way in (up, down)] == [(False,) * 2, (True,) * 2]


HTB_DETAILS = """qdisc htb 1: root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0 ver 3.17 direct_qlen 1000
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
class htb 1:11 parent 1:1 prio 0 quantum 3000 rate 240Kbit ceil 800Kbit linklayer ethernet burst 1599b/1 mpu 0b cburst \
1599b/1 mpu 0b level 0
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
 lended: 0 borrowed: 0 giants: 0
 tokens: 833328 ctokens: 833328

class htb 1:10 parent 1:1 prio 0 quantum 7000 rate 560Kbit ceil 800Kbit linklayer ethernet burst 1600b/1 mpu 0b cburst \
1600b/1 mpu 0b level 0
class htb 1:1 root rate 800Kbit ceil 800Kbit linklayer ethernet burst 1600b/1 mpu 0b cburst 1600b/1 mpu 0b level 7
filter parent 1: protocol ip pref 1 u32 chain 0
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800: ht divisor 1
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid 1:11 not_in_hw
  match 00b80000/00fc0000 at 0
"""
"""As tc 6.1 printed it with -s -d, but for the rates of 1:10."""


def test_what_tc_computes_for_a_class_is_no_setting() -> None:
    found = read(HTB_DETAILS, "tc")
    assert (found.scheme, found.rate, found.lost_settings) == ("wfq", 800e3, [])
    assert [one["weight"] for one in found.parameters["classes"]] == [0.24, 0.56]


HTB_JSON = """[{"kind":"htb","handle":"1:","root":true,"refcnt":2,"options":{"r2q":10,"default":"0x11",\
"direct_packets_stat":0,"direct_qlen":1000},"bytes":0,"packets":0,"drops":0,"overlimits":0,"requeues":0},\
{"kind":"pfifo","handle":"20:","parent":"1:10","options":{"limit":5}}]
[{"class":"htb","handle":"1:11","parent":"1:1","prio":0,"rate":30000,"ceil":100000,"burst":1599,"cburst":1600},\
{"class":"htb","handle":"1:10","parent":"1:1","leaf":"20:","prio":0,"rate":70000,"ceil":100000,"burst":1600,\
"cburst":1600,"stats":{"bytes":0,"packets":0}},\
{"class":"htb","handle":"1:1","root":true,"rate":100000,"ceil":100000,"burst":1600,"cburst":1600}]
[{"parent":"1:","protocol":"ip","pref":1,"kind":"u32","chain":0},{"parent":"1:","protocol":"ip","pref":1,\
"kind":"u32","chain":0,"options":{"fh":"800:","ht_divisor":1}},{"parent":"1:","protocol":"ip","pref":1,"kind":"u32",\
"chain":0,"options":{"fh":"800::800","order":2048,"key_ht":"800","bkt":"0","flowid":"1:10","not_in_hw":true,\
"match":{"value":"b80000","mask":"fc0000","offmask":"","off":0}}}]"""
"""As tc 6.1 printed it with -json, but for the classes, which it prints as text: rates are bytes per second."""


def test_json_is_read_as_the_text_that_says_the_same() -> None:
    found = read(HTB_JSON, "tc")
    assert (found.scheme, found.rate, found.lost_settings) == ("wfq", 800e3, [])
    assert found.parameters["classes"] == [
        {"name": "1:10", "match": {"dscp": [46]}, "weight": 0.56, "limit": "5p"},
        {"name": "1:11", "weight": 0.24, "limit": "1000p"},
    ]
    cake = """[{"kind":"cake","handle":"8001:","dev":"eth1","root":true,"refcnt":2,"options":{"bandwidth":2500000,
        "diffserv":"diffserv4","flowmode":"dual-srchost","nat":true,"wash":false,"ingress":false,
        "ack-filter":"disabled","split_gso":true,"rtt":30000,"raw":false,"atm":"noatm","overhead":44,"mpu":84}}]"""
    found = read(cake, "tc")
    expected = {"bandwidth": "20Mbit", "diffserv": "diffserv4", "isolation": "dual-srchost", "rtt": "30ms",
                "overhead": "44B", "mpu": "84B", "cells": "none", "limit": "4194304B", "wash": False,
                "ack_filter": "off", "ingress": False}  # fmt: skip
    assert found.parameters == expected
    filtered = cake.replace('"disabled"', '"aggressive"').replace('"wash":false', '"wash":true')
    expected |= {"ack_filter": "aggressive", "wash": True}
    assert read(filtered, "tc").parameters == expected
    assert read(cake.replace('"disabled"', '"enabled"'), "tc").parameters["ack_filter"] == "conservative"
    codel = '[{"kind":"fq_codel","handle":"0:","dev":"eth0","root":true,"options":{"limit":10240,"flows":1024,'
    codel += '"quantum":1514,"target":4999,"interval":99999,"memory_limit":33554432,"ecn":true,"drop_batch":64}}]'
    assert read(codel, "tc").parameters == {**FQ_CODEL, "target": "4.999ms", "interval": "99.999ms"}


DETAILS = """qdisc tbf 30: dev lo root refcnt 2 rate 1Mbit burst 5671b/1 mpu 64b lat 45.6ms overhead 10 linklayer atm
 linklayer atm overhead 10 mtu 1500 tsize 512
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
class tbf 30:1 parent 30:
"""
"""As tc 6.1 printed it with -s -d."""


def test_the_slowest_of_nested_rates_is_that_of_the_link() -> None:
    slow_below = read("tc qdisc add dev eth0 root handle 1: tbf rate 10mbit burst 32kb latency 50ms\n"
                      "tc qdisc add dev eth0 parent 1:1 handle 2: netem delay 10ms rate 5mbit", "tc")  # fmt: skip
    assert slow_below.rate == 5e6
    twice = read("tc qdisc add dev eth0 root handle 1: netem delay 10ms loss 1%\n"
                 "tc qdisc add dev eth0 parent 1:1 handle 2: netem delay 20ms loss 2%", "tc")  # fmt: skip
    assert twice.link["delay"] == "10ms"
    assert sorted(item.split(" = ")[0] for item in twice.lost_settings if "netem below" in item) == ["delay", "loss"]


ONE_LINE = r"""qdisc htb 1: dev lo root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0 direct_qlen 1000\ Sent 0 \
bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \ backlog 0b 0p requeues 0
class htb 1:10 root prio 0 rate 240Kbit ceil 240Kbit burst 1599b cburst 1599b \ Sent 0 bytes 0 pkt (dropped 0, \
overlimits 0 requeues 0) \ backlog 0b 0p requeues 0\ lended: 0 borrowed: 0 giants: 0\ tokens: 1 ctokens: 1
qdisc pfifo 20: dev lo parent 1:10 limit 5p\ Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)"""
"""As tc 6.1 printed it with -oneline."""


def test_one_line_for_an_object() -> None:
    found = read(ONE_LINE, "tc")
    assert (found.scheme, found.parameters, found.rate, found.lost_settings) == ("droptail", {"limit": "5p"}, 240e3, [])


def test_a_change_of_what_is_not_in_the_text_is_noted() -> None:
    """A change keeps what it does not set; after the line that it changes, nothing is unknown."""
    change = "tc qdisc change dev eth0 root fq_codel target 20ms"
    note = "tc qdisc change keeps values that are not in the text: here they have their defaults"
    assert note in read(change, "tc").notes
    for first in ("tc qdisc add dev eth0 root fq_codel limit 100", "tc qdisc replace dev eth0 root fq_codel limit 100"):
        both = read(f"{first}\n{change}", "tc")
        assert (both.parameters["limit"], both.parameters["target"]) == ("100p", "20ms")
        assert note not in both.notes
