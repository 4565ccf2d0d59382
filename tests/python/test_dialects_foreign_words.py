"""A word that a program does not know, anywhere in a text, is refused, named among the losses, or changes nothing.

`test_dialects_all_words.py` misspells known words; here another word stands between them.
"""

from __future__ import annotations

import os
import random
import re
from typing import Any

import pytest
from penstock.dialects import ConversionContext, DialectError, read

from .test_dialects_all_words import TEXTS
from .test_pastes import EXPECTED, FOLDER
from .test_tc_configurations import CONFIGURATIONS, DETAILS, HTB_JSON, MQ, SCRIPT

COUNT = int(os.environ.get("PENSTOCK_FUZZ", "600")) // 6
SEED = os.environ.get("PENSTOCK_FUZZ_SEED", "")
"""Texts of each dialect, and what is added to the seeds; `make fuzz-dialects` asks for more."""
WORD = "zqx"
LARGEST = 3000
"""Characters of the pastes that are used."""


def texts(dialect: str) -> list[str]:
    """The texts of the tests of a dialect, and short pastes."""
    own = [*(one[1] for one in CONFIGURATIONS), SCRIPT, MQ, HTB_JSON, DETAILS] if dialect == "tc" else TEXTS[dialect]
    pastes = [(FOLDER / dialect / name).read_text() for name in EXPECTED[dialect]]
    return [*own, *(text for text in pastes if len(text) < LARGEST)]


def reading(text: str, dialect: str) -> tuple[Any, list[str]] | None:
    """The queue and the link, and the remarks; None if the text is refused."""
    try:
        found = read(text, dialect, ConversionContext(10e6))
    except DialectError:
        return None
    return (found.scheme, found.parameters, found.rate, found.link), [*found.notes, *found.lost_settings]


def losses(text: str, dialect: str) -> list[str]:
    """The losses, or the error."""
    try:
        return read(text, dialect, ConversionContext(10e6)).lost_settings
    except DialectError as error:
        return [str(error)]


@pytest.mark.parametrize("dialect", EXPECTED)
def test_no_foreign_word_changes_a_queue_in_silence(dialect: str) -> None:
    rng = random.Random(f"{dialect}{SEED}")
    known = {text: reading(text, dialect) for text in texts(dialect)}
    readable = [text for text, found in known.items() if found is not None]
    refused = 0
    for _ in range(COUNT):
        text = rng.choice(readable)
        parts = re.split(r"(\s+)", text)
        at = rng.randrange(0, len(parts), 2)
        parts[at] += f" {WORD}"
        found, before = reading("".join(parts), dialect), known[text]
        assert before is not None
        if found is None:
            refused += 1
        elif not any(WORD in remark for remark in found[1]):
            assert found[0] == before[0], "".join(parts)
    assert refused > COUNT // 20


CISCO = "{}class-map match-any VOICE\n match dscp ef\npolicy-map P\n class VOICE\n  priority 100\n  queue-limit 9\n" \
        " class class-default\n  random-detect\n  {}\ninterface Gi0/1\n {}\n service-policy output P\n"  # fmt: skip
PROFILE = "qos profile P\n tx-queue 1\n  no priority\n  bandwidth percent 60\n tx-queue 0\n  no priority\n  {}\n"
RED = "set redq [[$ns link $r1 $r2] queue]\n$ns duplex-link $r1 $r2 2Mb 20ms RED\n{}\nQueue/RED set thresh_ 5\n"
LINES = [
    *(("cisco", CISCO.format("", line, ""), "zqx") for line in (
        "no random-detect zqx", "no random-detect ecn zqx", "no queue-limit zqx", "no bandwidth zqx 100",
        "fair-queue zqx", "queue-limit 9 zqx", "bandwidth 100 zqx")),
    *(("cisco", CISCO.format("", "", line), "expected bandwidth KBPS") for line in
      ("bandwidth zqx 1544", "bandwidth 1544 zqx")),
    *(("cisco", CISCO.format(f"{line}\n", "", ""), "expected class-map") for line in (
        "class-map match-any zqx VOICE", "class-map match-any VOICE zqx", "policy-map P zqx", "no class-map A zqx",
        "policy-map P\n class zqx VOICE", "policy-map P\n class VOICE zqx")),
    ("cisco", "policy-map P\n class class-default\n  service-policy zqx A\npolicy-map A\n class class-default",
     "expected service-policy NAME"),
    *(("arista", f"{line}\n{PROFILE.format('')}", "zqx") for line in (
        "qos map dscp 40 41 to traffic-class zqx 1", "qos map traffic-class 6 to zqx tx-queue 2",
        "qos map dscp zqx 40 to traffic-class 1", "qos zqx map dscp 40 to traffic-class 1",
        "no qos map zqx dscp 40")),
    *(("arista", PROFILE.format(line), "zqx") for line in (
        "no priority zqx", "no bandwidth zqx 30", "tx-queue 3 zqx", "tx-queue zqx 3")),
    *(("junos", text, "zqx") for text in (
        "chassis { fpc 0 { pic 1 { red-buffer-occupancy { weighted-averaged instant-usage-weight-exponent zqx 4; }}}}",
        "drop-profiles { x { zqx fill-level 40 drop-probability 50; } }",
        "set class-of-service classifiers zqx dscp C forwarding-class ef loss-priority low code-points 101110\n"
        "set class-of-service schedulers S priority low\n"
        "set class-of-service schedulers T priority low\n"
        "set class-of-service scheduler-maps M forwarding-class ef scheduler S\n"
        "set class-of-service scheduler-maps M forwarding-class be scheduler T\n",
        "set class-of-service classifiers dscp zqx C import default\n"
        "set class-of-service schedulers S priority low\nset class-of-service schedulers T priority low\n"
        "set class-of-service scheduler-maps M forwarding-class ef scheduler S\n"
        "set class-of-service scheduler-maps M forwarding-class be scheduler T\n",
        "set class-of-service traffic-control-profiles zqx P scheduler-map M\n"
        "set class-of-service interfaces ge-0/0/0 output-traffic-control-profile P\n"
        "set class-of-service scheduler-maps M forwarding-class ef scheduler S\n"
        "set class-of-service schedulers S priority low",
        "Drop profile: A, Type: interpolated, Index: 7\n  Fill level    Drop probability\n  10  zqx  20\n")),
    *(("ns2", RED.format(line), "zqx") for line in (
        "$ns queue-limit zqx $r1 $r2 25", "$ns queue-limit $r1 $r2 25 zqx", "$ns zqx queue-limit $r1 $r2 25",
        "$redq set thresh_ 30 zqx", "$redq set zqx thresh_ 30", "$redq zqx set thresh_ 30",
        "set redq [[$ns link $r1 $r2] queue] zqx", "set redq [[$ns link $r1 zqx $r2] queue]",
        "set redq [[$ns link $r1 $r2] zqx queue]", "$ns zqx duplex-link $r1 $r2 2Mb 20ms RED",
        "$ns duplex-link $r1 $r2 2Mb 20ms RED zqx", "zqx Queue/RED set maxthresh_ 20")),
    *(("ns3", text, "zqx") for text in (
        'default zqx ns3::RedQueueDisc::MinTh "6"\ndefault ns3::RedQueueDisc::MaxTh "15"',
        'tch.SetRootQueueDisc zqx ("ns3::RedQueueDisc", "MinTh", DoubleValue(7));',
        'tch.zqx SetRootQueueDisc("ns3::RedQueueDisc", "MinTh", DoubleValue(7));',
        "Ptr<RedQueueDisc> queue zqx = CreateObject<RedQueueDisc>();",
        "Ptr<RedQueueDisc> queue = zqx CreateObject<RedQueueDisc>();")),
    ("dummynet", "root@r:~ # zqx ipfw pipe 5 config bw 3Mbit/s queue 40\nroot@r:~ # ipfw pipe 6 config bw 1Mbit/s",
     "zqx"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "named"), LINES)
def test_a_foreign_word_in_a_command_is_named(dialect: str, text: str, named: str) -> None:
    remarks = losses(text, dialect)
    assert any(named in remark for remark in remarks), remarks


def test_doas_runs_a_command_as_sudo_does() -> None:
    assert read("root@r:~ # doas ipfw pipe 5 config bw 3Mbit/s queue 40", "dummynet").parameters == {"limit": "40p"}


def test_queues_of_fair_queue_are_listed() -> None:
    found = read("policy-map P\n class class-default\n  fair-queue 64", "cisco", ConversionContext(10e6))
    assert (found.scheme, len(found.lost_settings)) == ("fq", 1)
