"""Link layers in the words of tc: size tables, the rates of htb, tbf and netem, and NAT of cake."""

from __future__ import annotations

import pytest
from penstock.dialects import DialectError, read

from .test_tc_configurations import DETAILS


@pytest.mark.parametrize(
    ("stab", "framing"),
    [
        ("linklayer atm overhead 40 mpu 53", {"overhead": "40B", "mpu": "53B", "cells": "atm"}),
        ("linklayer adsl overhead 40", "pppoe-llcsnap"),
        ("overhead 18 mpu 64 mtu 2047 tsize 512", "docsis"),
        ("overhead -14", {"overhead": "-14B"}),
    ],
)
def test_a_size_table_of_the_root_is_the_framing_of_the_link(stab: str, framing: object) -> None:
    found = read(f"tc qdisc add dev ppp0 root stab {stab} fq_codel", "tc")
    assert (found.link, found.lost_settings) == ({"framing": framing}, [])


def test_an_ethernet_device_counts_its_header() -> None:
    """tc-stab(8): the 14 B of the header are in the size, so that users of PPPoE over ATM subtract them."""
    found = read("tc qdisc add dev eth0 root stab overhead 26 linklayer atm fq_codel", "tc")
    assert found.link == {"framing": "pppoe-llcsnap"}


@pytest.mark.parametrize("stab", ["overhead 300", "mpu 257", "overhead -65"])
def test_a_size_table_out_of_range_is_listed(stab: str) -> None:
    found = read(f"tc qdisc add dev ppp0 root stab {stab} fq_codel", "tc")
    assert found.link == {}
    assert [item.split(":")[0] for item in found.lost_settings] == [f"stab {stab}"]


@pytest.mark.parametrize(("stab", "why"), [
    ("linklayer aal5 overhead 3", "no link layer aal5; supported: ethernet, atm, adsl"),
    ("linklayer ptm overhead 3", "no link layer ptm"), ("overhead x", "x is not a whole number of bytes"),
])  # fmt: skip
def test_a_size_table_that_tc_refuses_is_an_error(stab: str, why: str) -> None:
    """tc 6.1 says "invalid linklayer" and "invalid overhead"."""
    with pytest.raises(DialectError, match=f"stab {stab}: {why}"):
        read(f"tc qdisc add dev ppp0 root stab {stab} fq_codel", "tc")


TBF = "tc qdisc add dev ppp0 root {}tbf rate 500kbit burst 5kb limit 10kb"
HTB = "tc qdisc add dev ppp0 root handle 1: htb default 10\n"
CLASS = "tc class add dev ppp0 parent 1: classid 1:{} htb rate 500kbit {}\n"
PRINTED = """qdisc htb 1: dev ppp0 root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0 direct_qlen 1000
class htb 1:10 root prio 0 quantum 6250 rate 500Kbit overhead 40 ceil 500Kbit linklayer atm burst 1600b/1 mpu 96b \
cburst 1600b/1 mpu 96b level 0
"""
"""As tc 6.1 printed it with -d."""
ATM = {"overhead": "40B", "mpu": "96B", "cells": "atm"}


@pytest.mark.parametrize(("text", "framing"), [
    (TBF.format("stab overhead 40 mpu 96 linklayer atm "), ATM),
    (TBF.format("") + " overhead 40 mpu 96 linklayer atm", ATM),
    (TBF.format("").replace("ppp0", "eth0") + " overhead 26 linklayer adsl", "pppoe-llcsnap"),
    (TBF.format("") + " mpu 64b", {"mpu": "64B"}),
    (HTB + CLASS.format(10, "overhead 40 mpu 96 linklayer atm"), ATM),
    (PRINTED, ATM),
    ("tc qdisc add dev ppp0 root netem rate 500kbit 40 48 5", "pppoe-llcsnap"),
    ("tc qdisc add dev eth0 root netem rate 500kbit -14", None),
    ("qdisc netem 8: dev eth0 root refcnt 2 limit 9 rate 500Kbit packetoverhead 4 cellsize 0 celloverhead 0",
     {"overhead": "18B"}),
])  # fmt: skip
def test_the_framing_of_a_rate_is_that_of_the_link(text: str, framing: object) -> None:
    """The rate counts bytes on the wire, tc-tbf(8), tc-netem(8): a packet of 1500 B on ATM takes 33 cells."""
    found = read(text, "tc")
    assert (found.scheme, found.rate, found.link.get("framing")) == ("droptail", 500e3, framing)
    assert [item for item in found.lost_settings if "burst of tbf" not in item] == []


def test_a_tbf_without_a_link_layer_is_a_shaper() -> None:
    assert read(TBF.format(""), "tc").scheme == "shaper"
    assert read(TBF.format("") + " linklayer ethernet", "tc").scheme == "shaper"


@pytest.mark.parametrize(("text", "lost"), [
    (HTB + CLASS.format(10, "overhead 40 linklayer atm") + CLASS.format(20, "") +
     "tc filter add dev ppp0 parent 1: u32 match ip protocol 6 0xff flowid 1:20",
     "overhead, mpu and linklayer of 1:10"),
    ("netem rate 500kbit 40 100 5", "rate 500kbit 40 100 5: overhead and cells"),
    (DETAILS, "stab linklayer atm overhead 10 mtu 1500 tsize 512: the link already has the framing of another"),
])  # fmt: skip
def test_framings_that_a_link_cannot_have_are_listed(text: str, lost: str) -> None:
    assert any(item.startswith(lost) for item in read(text, "tc").lost_settings)


@pytest.mark.parametrize("text", [TBF.format("") + " overhead 300", "netem rate 500kbit -99",
                                  HTB + CLASS.format(10, "overhead 9 linklayer dsl")])  # fmt: skip
def test_a_rate_with_an_impossible_framing_is_an_error(text: str) -> None:
    with pytest.raises(DialectError, match=r"overhead must be from -64 to 256|no link layer dsl"):
        read(text, "tc")


@pytest.mark.parametrize(("words", "is_noted"), [
    ("", True), ("nonat", True), ("nat", False), ("dual-srchost", True), ("dual-dsthost nat", False),
    ("flows", False), ("flowblind", False),
])  # fmt: skip
def test_hosts_behind_a_nat_are_noted_unless_cake_sees_them(words: str, is_noted: bool) -> None:
    """tc-cake(8): by default `nonat`, and then all hosts behind a NAT have the address of the router."""
    found = read(f"cake bandwidth 10mbit {words}", "tc")
    assert any(note.startswith("nonat: ") for note in found.notes) == is_noted
    assert found.lost_settings == []


@pytest.mark.parametrize(("text", "why"), [
    ("tc qdisc add dev eth0 parent zq handle 2: pfifo", "zq is not a handle"),
    ("class zq htb 1:1 root rate 3Mbit ceil 3Mbit\n", 'no kind of class in "class zq htb 1:1'),
    ("class htb 1:11 parent zq 1:1 leaf 110: prio 1 rate 128Kbit ceil 1Mbit", "zq"),
    ("class htb 1:1 root rate 3Mbit ceil 3Mbit\nclass htb 1:11 parent zq 1:1 prio 1 rate 128Kbit\n"
     "class htb 1:12 parent 1:1 prio 2 rate 1Mbit", "zq"),
])  # fmt: skip
def test_a_word_in_place_of_a_handle_or_a_kind_is_an_error(text: str, why: str) -> None:
    with pytest.raises(DialectError, match=why):
        read(f"qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x11\n{text}", "tc")


def test_a_handle_may_lack_its_colon() -> None:
    """tc 6.1 takes `handle 1` for `handle 1:`."""
    text = "tc qdisc add dev eth0 root handle 1 tbf rate 1mbit burst 5kb limit 10kb\n"
    text += "tc qdisc add dev eth0 parent 1:1 codel"
    assert read(text, "tc").scheme == "codel"


def test_filters_of_a_device_without_a_queue_are_listed() -> None:
    text = HTB + CLASS.format(10, "") + CLASS.format(20, "")
    own = read(text + "tc filter add dev ppp0 parent 1: u32 match ip protocol 6 0xff flowid 1:20", "tc")
    assert own.parameters["classes"][0]["match"] == {"protocol": "tcp"}
    found = read(text + "tc filter add dev ppp9 parent 1: u32 match ip protocol 6 0xff flowid 1:20", "tc")
    assert any(item.endswith("device ppp9 has no queue in this text") for item in found.lost_settings)
