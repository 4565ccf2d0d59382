"""OpenWrt's /etc/config/sqm, by its documentation: the options of a section as the queues that its scripts set up."""

from __future__ import annotations

import pytest
from penstock.dialects import ConversionContext, DialectError, read
from penstock.dialects.tc_sqm import KEYS

FQ_CODEL = {"variant": "linux", "limit": "10240p", "flows": 1024, "quantum": "1514B", "target": "5ms",
            "interval": "100ms", "drop_batch": 64}  # fmt: skip


def section(**options: object) -> str:
    """A section of the file for the upload of pppoe-wan, with these options besides or instead, named `name`."""
    name = options.pop("name", "wan")
    given = {"enabled": 1, "interface": "pppoe-wan", "upload": 9500, "download": 0} | options
    return f"config queue '{name}'\n" + "".join(f"\toption {word} '{value}'\n" for word, value in given.items())


@pytest.mark.parametrize(("options", "parameters", "link"), [
    ({"script": "piece_of_cake.qos"}, {"bandwidth": "9.5Mbit", "diffserv": "besteffort", "overhead": "0B"}, {}),
    ({"script": "layer_cake.qos"}, {"diffserv": "diffserv3"}, {}),
    ({"script": "layer_cake.qos", "qdisc": "cake", "linklayer": "ethernet", "overhead": 44, "tcMPU": 84},
     {"overhead": "44B", "mpu": "84B", "cells": "none"}, {}),
    ({"script": "piece_of_cake.qos", "linklayer": "atm", "overhead": 40}, {"overhead": "40B", "cells": "atm"}, {}),
    # Without a link layer the overhead is not used.
    ({"script": "piece_of_cake.qos", "overhead": 44}, {"overhead": "0B"}, {}),
    ({"script": "piece_of_cake.qos", "qdisc_really_really_advanced": 1, "eqdisc_opts": "nat dual-srchost ack-filter"},
     {"isolation": "dual-srchost", "ack_filter": "conservative"}, {}),
])  # fmt: skip
def test_the_scripts_of_cake(options: dict[str, object], parameters: dict[str, object], link: object) -> None:
    found = read(section(**options), "tc")
    assert found.scheme == "cake"
    assert parameters.items() <= found.parameters.items()
    assert (found.link, found.lost_settings) == (link, [])


@pytest.mark.parametrize(("options", "changed", "framing"), [
    ({}, {"ecn": False}, None),
    ({"qdisc": "fq_codel", "egress_ecn": "ECN"}, {"ecn": True}, None),
    ({"etarget": "10ms", "elimit": 500, "itarget": "7ms", "ilimit": 3},
     {"ecn": False, "target": "10ms", "limit": "500p"}, None),
    ({"linklayer": "atm", "overhead": 40}, {"ecn": False}, "pppoe-llcsnap"),
    # An Ethernet device counts the 14 B of its header in addition.
    ({"linklayer": "ethernet", "overhead": 30, "tcMPU": 84, "interface": "eth1"}, {"ecn": False},
     {"overhead": "44B", "mpu": "84B"}),
])  # fmt: skip
def test_a_queue_below_a_shaper(options: dict[str, object], changed: dict[str, object], framing: object) -> None:
    found = read(section(script="simplest.qos", **options), "tc")
    assert (found.scheme, found.parameters, found.rate) == ("fq-codel", {**FQ_CODEL, **changed}, 9.5e6)
    assert (found.link.get("framing"), found.lost_settings) == (framing, [])


def test_the_defaults_are_those_of_the_documentation() -> None:
    """An empty section shapes eth0 to 2032 kbit/s and ifb4eth0 to 14698 kbit/s, by simple.qos with fq_codel."""
    text = "config queue\n\toption enabled '1'\n"
    for device, rate, ecn in (("eth0", 2.032e6, False), ("ifb4eth0", 14.698e6, True)):
        found = read(text, "tc", ConversionContext(device=device))
        assert (found.scheme, found.rate, found.parameters["ecn"]) == ("fq-codel", rate, ecn)
        assert any("egress_ecn is not set" in note for note in found.notes) == (device == "eth0")
        assert found.lost_settings == ["script simple.qos: three classes by code point; here all packets are in one"]


@pytest.mark.parametrize(("text", "named"), [
    (section(download=90), "pppoe-wan, ifb4pppoe-wan"),
    (section() + section(name="guest", interface="eth2"), "pppoe-wan, eth2"),
    (section(enabled=0), "config queue 'wan': disabled"),
    (section(upload=0), "upload and download are 0"),
    (section(upload="9Mbit"), "upload 9Mbit: expected a whole number"),
    (section(script="home.qos"), "its queues are not in this file: paste what tc -s -d"),
    (section(script="simplest"), 'script simplest; did you mean "simplest.qos"'),
    (section(overheat=3), 'has no "overheat"; did you mean "overhead"'),
    (section(linklayer="ptm"), "no link layer ptm"),
    (section(qdisc="fq_codell", script="simplest.qos"), "fq_codell"),
    (section() + "\tanother line\n", "another line: expected option NAME"),
    (section(script="simplest.qos", egress_ecn="maybe"), "expected ECN or NOECN"),
    (section(script="piece_of_cake.qos", qdisc_really_really_advanced=1, eqdisc_opts="zq"), 'cake has no option "zq"'),
])  # fmt: skip
def test_an_error_names_the_section_or_the_option(text: str, named: str) -> None:
    with pytest.raises(DialectError) as refused:
        read(text, "tc")
    assert named in str(refused.value)


@pytest.mark.parametrize(("options", "lost"), [
    ({"squash_dscp": 1}, "squash_dscp 1"), ({"use_mq": 1}, "use_mq 1"), ({"shaper_burst": 1}, "shaper_burst 1"),
    ({"eqdisc_opts": "nat"}, "eqdisc_opts nat: without qdisc_really_really_advanced"),
    ({"script": "piece_of_cake.qos", "elimit": 50}, "elimit 50: cake has no such option"),
])  # fmt: skip
def test_options_without_a_counterpart_are_listed(options: dict[str, object], lost: str) -> None:
    assert any(item.startswith(lost) for item in read(section(**options), "tc").lost_settings)


def test_each_option_of_the_table_is_accepted() -> None:
    for key in KEYS:
        values = {"enabled": "1", "upload": "9", "download": "0", "script": "simplest.qos", "linklayer": "atm",
                  "ilimit": "9", "elimit": "9", "itarget": "9ms", "etarget": "9ms"}  # fmt: skip
        value = values.get(key.name, key.default)
        assert read(section(**{key.name: value}), "tc").scheme == "fq-codel", key.name


def test_output_of_tc_counts_and_not_the_file_above_it() -> None:
    text = section() + "root@r:~# tc qdisc show\nqdisc pfifo 8001: dev eth0 root refcnt 2 limit 9p\n"
    with pytest.raises(DialectError, match="config queue 'wan'"):
        read(text, "tc")


@pytest.mark.parametrize("prompt", ["root@OpenWrt:~# ", "root@OpenWrt:/etc/config# "])
def test_a_transcript_is_read(prompt: str) -> None:
    text = f"{prompt}cat /etc/config/sqm\n\n{section(script='piece_of_cake.qos')}\n# a comment\n{prompt}"
    assert read(text, "tc").parameters["bandwidth"] == "9.5Mbit"
    assert read(text.rstrip(), "tc").scheme == "cake"
