"""Nothing in the texts of vendors and simulators is passed over: each word and each number counts, or is refused.

The texts are those of the tests of each dialect, which have their right values there.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from penstock.dialects import ConversionContext, read
from penstock.dialects.arista import KEYS as ARISTA_KEYS
from penstock.dialects.cisco_keys import ACTIONS
from penstock.dialects.dummynet_keys import AQMS, OBJECT_KEYS, RED_KEYS
from penstock.dialects.junos_read import SCHEDULER_KEYS
from penstock.dialects.keys import Key
from penstock.dialects.ns2_keys import BASE, QUEUES
from penstock.dialects.ns3_keys import DISCS
from penstock.dialects.sonic import KEYS
from penstock.dialects.sonic import SCHEDULER_KEYS as SONIC_SCHEDULER_KEYS
from penstock.errors import PenstockError

from . import (
    test_dialects_cisco,
    test_dialects_dummynet,
    test_dialects_junos,
    test_dialects_ns2,
    test_dialects_ns3,
    test_dialects_switches,
)

TEXTS: dict[str, list[str]] = {
    "ns3": [case[0] for case in test_dialects_ns3.CASES],
    "ns2": [case[0] for case in test_dialects_ns2.CASES],
    "dummynet": [case[0] for case in test_dialects_dummynet.CASES],
    "cisco": [*(case[0] for case in test_dialects_cisco.CASES), test_dialects_cisco.HIERARCHY],
    "arista": [case[0] for case in test_dialects_switches.ARISTA],
    "sonic": [json.dumps(tree) for tree in (*(case[0] for case in test_dialects_switches.SONIC),
                                            test_dialects_switches.CONFIG)],
    "junos": [*(case[0] for case in test_dialects_junos.CASES), test_dialects_junos.WHOLE.replace("PRIORITY", "low")],
}  # fmt: skip

TABLES: dict[str, list[Key]] = {
    "ns3": [key for _, keys in DISCS.values() for key in keys],
    "ns2": [*BASE, *(key for _, keys in QUEUES.values() for key in keys)],
    "dummynet": [*OBJECT_KEYS, *RED_KEYS, *(key for _, keys in AQMS.values() for key in keys)],
    "cisco": ACTIONS,
    "arista": ARISTA_KEYS,
    "sonic": [*KEYS, *SONIC_SCHEDULER_KEYS],
    "junos": [
        *SCHEDULER_KEYS,
        *(Key(word, "", "", "", "a profile", "") for word in ("fill-level", "drop-probability")),
    ],
}

COMMENTS = {
    "ns3": r"//[^\n]*(?=\n|$)|/\*.*?\*/|(?m:^#[^\n]*)",
    "ns2": r"(?m)(?:^|;)\s*#.*$",
    "dummynet": r"(?m)(?:^|\s)#.*$",
    "cisco": r"(?m)^\s*!.*$",
    "arista": r"(?m)^\s*!.*$",
    "sonic": r"$^",
    "junos": r"/\*.*?\*/|#[^\n]*",
}

NAMES = {
    # Names of objects, and fields that say what a line is about.
    "ns3": r"NodeList/$|RootQueueDiscList/$|\+$",
    "ns2": r"targetdelay_ $|duplex-link \$s\d \$r1 (?:10Mb )?$",
    "dummynet": r"(?:pipe|sched|queue) $|^0*$|weight $",
    "cisco": r"precedence $|GigabitEthernet|ip address|\.$",
    "arista": r"tx-queue $|Ethernet|-$|drop minimum-threshold $|drop minimum-threshold \d+ kbytes maximum-threshold $",
    "sonic": r"Ethernet$|\|$|size\": \"$|-$",
    "junos": r"(?:fpc|pic) $|ge-$|/$|\bx \{? ?fill-level $|\bx fill-level \d+ drop-probability $|\bx \{ fill-level \d+ "
             r"drop-probability $|high \{ fill-level $|high \{ fill-level \d+ drop-probability $",
}  # fmt: skip
"""What stands before a number that is no setting of the queue, or that another line of the text removes."""

REMOVED = (
    r"\bno (?:queue-limit|policy-map|class|random-detect)|pipe (?:flush|\d delete)|^0\d{4}:|"
    r"pipe 1 config queue 9\npipe|limit_ 30\nQueue set limit_|queue-limit 9\nqueue-limit|"
    r"inactive: x|deactivate|delete|interface Serial0|0\.1 droptail|temporal 5000\nset"
)
"""Texts that remove or replace what they have set, print statistics, or hold more than queues."""


def seen(text: str, dialect: str) -> Any:
    """All that a reading tells; or the error."""
    try:
        result = read(text, dialect, ConversionContext(10e6))
    except PenstockError as error:
        return type(error)
    return result.scheme, json.dumps(result.parameters), result.rate, result.lost_settings, result.notes


def numbers(text: str, dialect: str) -> Iterator[re.Match[str]]:
    """The numbers of a text that are settings."""
    hidden = [match.span() for match in re.finditer(COMMENTS[dialect], text, re.DOTALL)]
    for match in re.finditer(r"(?<![\w.$])\d+(?:\.\d+)?", text):
        if any(start <= match.start() < end for start, end in hidden):
            continue
        if not re.search(NAMES[dialect], text[: match.start()].split("\n")[-1]):
            yield match


@pytest.mark.parametrize("dialect", TEXTS)
def test_every_number_counts(dialect: str) -> None:
    """Another number gives another queue, another loss, or an error."""
    count = 0
    for text in TEXTS[dialect]:
        if re.search(REMOVED, text):
            continue
        before = seen(text, dialect)
        for match in numbers(text, dialect):
            other = f"{match[0]}3" if "." in match[0] else str(int(match[0]) + 1)
            changed = text[: match.start()] + other + text[match.end() :]
            assert seen(changed, dialect) != before, (text, match[0], match.start())
            count += 1
    assert count > 15


@pytest.mark.parametrize("dialect", TABLES)
def test_a_misspelt_word_is_refused_or_listed(dialect: str) -> None:
    """Two letters too many in the name of any setting are never passed over in silence."""
    rng = random.Random(dialect)
    words = {key.name.split()[0] for key in TABLES[dialect]}
    count = 0
    for text in TEXTS[dialect]:
        bare = re.sub(COMMENTS[dialect], "", text, flags=re.DOTALL)
        if re.search(REMOVED, bare) or ("prob" not in bare and dialect == "sonic"):
            continue
        for word in words:
            for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", bare):
                place = rng.randrange(len(word) + 1)
                changed = bare[: match.start() + place] + "zq" + bare[match.start() + place :]
                result = seen(changed, dialect)
                if isinstance(result, tuple) and not any("zq" in item for item in (*result[3], *result[4])):
                    assert result[3] != seen(bare, dialect)[3], (changed, word)
                count += 1
    assert count > 5


STRUCTURE: dict[str, str] = {
    "ns3": "SetDefault SetRootQueueDisc SetAttribute CreateObject MilliSeconds RedQueueDisc MaxSize",
    "ns2": "Queue RED duplex-link queue-limit",
    "dummynet": "pipe sched config type red gred codel pie fq_codel mask droptail ecn",
    "cisco": "class-map policy-map class interface match output service-policy dscp precedence average packets",
    "arista": "interface tx-queue uc-tx-queue qos ecn drop minimum-threshold drop-probability weight kbytes",
    "sonic": "WRED_PROFILE QUEUE SCHEDULER DSCP_TO_TC_MAP PORT speed scheduler wred_profile ecn_all DWRR",
    "junos": "class-of-service drop-profiles schedulers scheduler-maps interfaces scheduler-map shaping-rate "
             "forwarding-class classifiers code-points loss-priority interpolate percent temporal "
             "red-buffer-occupancy weighted-averaged instant-usage-weight-exponent",
}  # fmt: skip
"""Words that say where a setting belongs."""


@pytest.mark.parametrize("dialect", STRUCTURE)
def test_a_misspelt_word_of_the_structure_changes_nothing_in_silence(dialect: str) -> None:
    """With one letter doubled, a word is refused, listed, or of no importance to the queue."""
    count = 0
    for text in TEXTS[dialect]:
        bare = re.sub(COMMENTS[dialect], "", text, flags=re.DOTALL)
        before = seen(bare, dialect)
        if re.search(REMOVED, bare):
            continue
        for word in STRUCTURE[dialect].split():
            for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", bare):
                place = match.start() + len(word) // 2
                result = seen(f"{bare[:place]}{bare[place]}{bare[place:]}", dialect)
                is_listed = isinstance(result, tuple) and result[3] != before[3]
                assert not isinstance(result, tuple) or is_listed or result[:3] == before[:3], (bare, word)
                count += 1
    assert count > 20


@pytest.mark.parametrize("dialect", TABLES)
def test_every_default_of_a_table_is_readable(dialect: str) -> None:
    for key in TABLES[dialect]:
        assert key.counterpart, key
        if key.is_applied and key.default:
            key.parse_value(key.default)
