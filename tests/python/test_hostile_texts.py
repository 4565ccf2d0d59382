"""Texts of every dialect that someone has mangled: a setting that penstock accepts, or a message of one line."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penstock.dialects import DIALECTS, ConversionContext, DialectError, read, write
from penstock.dialects.ranges import check_ranges
from penstock.errors import ScenarioError

from validation.linux.tc_read_back import recorded

from .test_dialects import EXAMPLES

MUTANTS = 400
SEEDS = range(3)

NUMBERS = (
    "0", "1", "-1", "00", "007", "0x10", "1e999", "1e-999", "nan", "inf", "-inf", "99999999999999999999",
    "9" * 400, "9" * 5000, "0.5", ".", "1.5.2", "²", "٣", "5000ax", "1_000", "1,5", "100%", "101", "50", "2",
)  # fmt: skip
WORDS = (
    "", "{", "}", "[", "]", '"', "\\", "\n", "\n# ", ";", "|", "\x00", "\u202e", "é", "limit", "ecn", "auto", "null",
    "rm -rf /", "red", "(", ")",
)  # fmt: skip
UNITS = ("", "p", "B", "kb", "ms", "us", "s", "%", "mbit", "bps", "xyz")


def texts(dialect: str) -> list[str]:
    """Valid texts: documented examples, what the writer of the dialect gives, and for tc those of a real one."""
    examples = [text for name, text, *_ in EXAMPLES if name == dialect]
    schemes: dict[str, dict[str, Any]] = {
        "droptail": {"limit": "50p"}, "red": {"limit": "60p"}, "codel": {"limit": "50p"}, "pie": {"limit": "50p"},
        "wred": {"min_th": [20, 5], "max_th": [40, 15], "max_p": [0.1, 0.2], "limit": "100p"}, "fq-codel": {},
        "nonlinear": {"limit": "50p"}, "cake": {}, "sfq": {"limit": "50p"}, "sfb": {}, "dualpi2": {"limit": "50p"},
        "pi": {"limit": "50p"}, "shaper": {"rate": "1Mbit"},
        "wfq": {"classes": [{"name": "1:10", "match": {"dscp": [1]}, "weight": 2}, {"name": "1:20", "weight": 1}]},
        "pq": {"classes": [{"name": "1:1", "match": {"dscp": [1]}}, {"name": "1:2"}]},
    }  # fmt: skip
    for scheme, parameters in schemes.items():
        try:
            examples.append(write(scheme, parameters, dialect, ConversionContext(10e6)).text)
        except DialectError:
            continue
    if dialect == "tc":
        examples += ["\n".join(configuration.printed) for configuration in recorded()[::7]]
        examples += ["\n".join(configuration.lines) for configuration in recorded()[::7]]
    return examples


def mutated(text: str, rng: random.Random) -> str:
    """A text with one part replaced, removed, repeated, swapped or damaged."""
    parts = re.split(r"([0-9.]+|[A-Za-z_-]+|\s+)", text)
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    numbers = [place for place, part in enumerate(parts) if re.fullmatch(r"[0-9.]+", part)]
    match rng.randrange(8):
        case 0 | 1 | 2 if numbers:
            parts[rng.choice(numbers)] = rng.choice(NUMBERS) + rng.choice(UNITS if rng.random() < 0.3 else ("",))
        case 3:
            parts[at] = rng.choice(WORDS + NUMBERS)
        case 4:
            del parts[at : at + rng.randrange(1, 6)]
        case 5:
            parts[at:at] = parts[other : other + rng.randrange(1, 8)]
        case 6:
            parts[at], parts[other] = parts[other], parts[at]
        case _:
            return text[: rng.randrange(len(text) + 1)]
    return "".join(parts)


def mutants(dialect: str, seed: int) -> Iterator[str]:
    rng = random.Random(f"{dialect} {seed}")
    examples = texts(dialect)
    for _ in range(MUTANTS):
        text = rng.choice(examples)
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            text = mutated(text, rng)
        yield text


def convert(text: str, dialect: str, to: str) -> bool:
    """Whether a text is read; then its settings are in their ranges, and so is what is written and read again."""
    begun = time.process_time()
    facts = ConversionContext(10e6)
    try:
        conversion = read(text, dialect, facts)
    except (DialectError, ScenarioError):
        return False
    check_ranges(conversion.scheme, conversion.parameters, conversion.rate or facts.rate)
    assert all("\n" not in line for line in (*conversion.notes, *conversion.lost_settings)), text
    try:
        written = write(conversion.scheme, conversion.parameters, to, facts)
    except DialectError:
        return True
    assert all("\n" not in line for line in (*written.notes, *written.lost_settings)), text
    if not written.lost_settings:
        read(written.text, to, facts)
    assert time.process_time() - begun < 5, text
    return True


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_mutated_texts_are_settings_within_their_ranges_or_refused(dialect: str, seed: int) -> None:
    rng = random.Random(seed)
    outcomes = [convert(text, dialect, rng.choice(DIALECTS)) for text in mutants(dialect, seed)]
    assert 0.02 < sum(outcomes) / len(outcomes) < 0.98


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(NUMBERS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PROFILE = st.dictionaries(
    st.sampled_from([
        "wred_green_enable", "green_min_threshold", "green_max_threshold", "green_drop_probability", "ecn",
        "wred_red_enable", "red_min_threshold", "red_max_threshold", "red_drop_probability",
    ]),
    JSON | st.just("true") | st.integers(1, 100).map(str),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(tree=JSON | PROFILE)
def test_any_json_is_a_profile_of_sonic_or_refused(tree: object) -> None:
    convert(json.dumps(tree), "sonic", "tc")
    convert(json.dumps({"WRED_PROFILE": {"x": tree}}), "sonic", "cisco")


@pytest.mark.parametrize(
    ("dialect", "text", "message"),
    [
        ("tc", "red limit 100 min 5 max 15 avpkt 0", "avpkt 0: a packet has at least 1 B"),
        ("tc", "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55x", "burst 55x: expected a whole number"),
        ("tc", "red limit 100 min 5 max 5000ax avpkt 1000", "max 5000ax: not a size in tc's units"),
        ("tc", "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 50", "max_p = 50.0: must lie"),
        ("tc", "codel limit 10 limit 20", "limit is given twice"),
        ("tc", "pfifo limit 99999999999999999999", "limit"),
        ("sonic", "[" * 100_000, "too deeply nested"),
        (
            "sonic",
            '{"wred_green_enable": "true", "green_min_threshold": "1", "green_min_threshold": "2"}',
            "given twice",
        ),
        ("ns2", "Queue/RED set linterm_ 0", "linterm_ 0: must not be 0"),
        ("ns2", "Queue/RED set thresh_ 5\nQueue/RED set thresh_ 6", "thresh_ is given twice"),
        ("ns3", "ns3::RedQueueDisc[MaxP=x]", "MaxP x: expected a number"),
        ("cisco", "random-detect\nrandom-detect precedence 0 20 40 0", "mark-denominator 0"),
        (
            "arista",
            "random-detect drop minimum-threshold 1 bytes maximum-threshold 9 bytes drop-probability 500",
            "max_p",
        ),
        ("junos", "interpolate { fill-level 50; drop-probability " + "9" * 30 + "; }", "drop-probability 999"),
        ("dummynet", "red nan/5/15/0.1", "expected w_q/min_th/max_th/max_p"),
        ("penstock", "pie:activation=third", "must be one of auto, on, off"),
        ("penstock", "red:max_p=0.1,max_p=0.2", "max_p is given twice"),
    ],
)
def test_a_number_outside_its_range_is_named(dialect: str, text: str, message: str) -> None:
    with pytest.raises((DialectError, ScenarioError), match=re.escape(message)):
        read(text, dialect)


@pytest.mark.parametrize("device", ["eth0; rm -rf /", "a\nb", "", "-h", "x" * 16, "a/b", "..", "$(id)"])
def test_a_device_that_a_shell_would_not_take_as_a_name_is_refused(device: str) -> None:
    with pytest.raises(DialectError, match="no name of a device"):
        ConversionContext(device=device)


def test_whole_numbers_of_tc_are_those_of_c() -> None:
    texts = [f"red limit 400000 min 30000 max 90000 avpkt 1000 burst {burst} probability 0.1"
             for burst in ("55", "0x37", "067")]  # fmt: skip
    assert len({str(read(text, "tc").parameters) for text in texts}) == 1


def test_notes_stay_on_one_line() -> None:
    conversion = write("pq", {"classes": [{"name": "x", "match": {"traffic": "a\nrm -rf /"}}, {"name": "y"}]}, "tc")
    assert any("a\\nrm -rf /" in item for item in conversion.lost_settings)
    assert all("\n" not in item for item in (*conversion.notes, *conversion.lost_settings))
