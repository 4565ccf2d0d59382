"""Lines for tc of every kind and key come back as they are; damaged ones are refused, or say what they lack."""

from __future__ import annotations

import os
import random
import re
import subprocess
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from penstock.dialects import Conversion, ConversionContext, DialectError, read, write
from penstock.dialects.ranges import check_ranges
from penstock.dialects.tc_keys import KeyEffect
from penstock.dialects.tc_table import QUEUES

from .tc_texts import KINDS, lines, random_line, value_of
from .test_dialects_foreign_words import texts as short_texts
from .test_tc_configurations import CONFIGURATIONS, ONE_LINE

MUTANTS = int(os.environ.get("PENSTOCK_FUZZ", "600"))
SEED = int(os.environ.get("PENSTOCK_FUZZ_SEED", "0"))
"""Damaged texts of a run, and what is added to their seeds; `make fuzz` and `make fuzz-dialects` ask for more."""

FACTS = ConversionContext(rate=50e6)
CORPUS = [*short_texts("tc"), ONE_LINE]
UNITS = ("", "p", "b", "kb", "ms", "us", "s", "%", "mbit", "bps", "xyz")
NUMBERS = [
    "0",
    "1",
    "-1",
    "007",
    "0x10",
    "1e999",
    "nan",
    "inf",
    "99999999999999999999",
    "0.5",
    ".",
    "²",
    "1_000",
    "9" * 400,
]
WORDS = [
    "",
    "\n",
    "\n# ",
    "\x00",
    "\u202e",
    "{",
    "[",
    '"',
    "\\",
    ";",
    "&&",
    "$X",
    "$(id)",
    "`id`",
    "root",
    "dev",
    "parent",
    "handle",
    "1:",
    "1:1",
    "stab",
    "del",
    "tc",
    "qdisc",
    "class",
    "filter",
    "Sent",
    "backlog",
    "vq",
    "match",
    "ecn",
]


@settings(max_examples=300, deadline=None)
@given(one=lines())
def test_a_line_comes_back(one: tuple[str, str]) -> None:
    """Reading, writing and reading again gives the same queue, where tc can say all of it."""
    _, text = one
    first = read(text, "tc", FACTS)
    written = write(first.scheme, first.parameters, "tc", FACTS)
    again = read(written.text, "tc", FACTS)
    assert written.lost_settings == []
    assert again.scheme == first.scheme
    assert again.parameters == first.parameters, written.text


@settings(max_examples=300, deadline=None)
@given(one=lines())
def test_the_order_of_keys_does_not_matter(one: tuple[str, str]) -> None:
    kind, text = one
    table, words, parts = QUEUES[kind].keys_by_word, text.split()[1:], list[list[str]]()
    while words:
        size = 1 + table[words[0]].arity
        parts.append(words[:size])
        words = words[size:]
    ordered = [word for part in parts[::-1] for word in part]
    keywords = {part[0] for part in parts} & {
        *("raw", "overhead", "docsis", "ethernet", "ether-vlan", "mpu", "atm", "ptm", "noatm"),
    }
    if len(keywords) < 2 and not any(word.startswith(("pppo", "ipoa", "bridged", "conserv")) for word in ordered):
        assert read(" ".join([kind, *ordered]), "tc").parameters == read(text, "tc").parameters


def damaged(text: str, rng: random.Random) -> str:
    """A text with a word replaced, removed, repeated, moved or cut."""
    words = text.split(" ")
    at, other = rng.randrange(len(words)), rng.randrange(len(words))
    match rng.randrange(7):
        case 0:
            words[at] = rng.choice(NUMBERS) + rng.choice(UNITS)
        case 1:
            words[at] = rng.choice(WORDS)
        case 2:
            del words[at : at + rng.randrange(1, 5)]
        case 3:
            words[at:at] = words[other : other + rng.randrange(1, 8)]
        case 4:
            words[at], words[other] = words[other], words[at]
        case 5:
            return text[: rng.randrange(len(text) + 1)]
        case _:
            place = rng.randrange(len(text) + 1)
            return text[:place] + chr(rng.choice((0, 9, 10, 32, 34, 39, 58, 92, 123, 0xE9))) + text[place:]
    return " ".join(words)


def mutants(rng: random.Random) -> Iterator[str]:
    while True:
        text = rng.choice(CORPUS) if rng.random() < 0.5 else random_line(rng, rng.choice(KINDS))
        for _ in range(rng.choice((1, 1, 2, 4))):
            text = damaged(text, rng)
        yield text


def attempt(text: str) -> tuple[Conversion | None, str]:
    """What a text is read as, or why it is refused."""
    try:
        return read(text, "tc", FACTS), ""
    except DialectError as error:
        return None, str(error)


def test_damaged_texts_are_settings_within_their_ranges_or_refused() -> None:
    """No crash, no hang, and no setting that penstock would refuse."""
    rng = random.Random(1 + SEED)
    source, read_count = mutants(rng), 0
    for _ in range(MUTANTS):
        text, begun = next(source), time.process_time()
        found, refusal = attempt(text)
        assert time.process_time() - begun < 5, text
        assert "\n" not in refusal, text
        if found is None:
            continue
        read_count += 1
        check_ranges(found.scheme, found.parameters, found.rate or FACTS.rate)
        assert all("\n" not in line for line in (*found.notes, *found.lost_settings)), text
    assert 0.02 * MUTANTS < read_count < 0.98 * MUTANTS


LONG = [" " * 100_000 + "fq_codel", "# " * 20_000, "$A" * 5_000, "[" * 50_000, "\\\n" * 20_000, "A='" + "'" * 50_000,
        "qdisc fq_codel 0: root" + " x 1" * 20_000]  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_long_texts_take_no_longer_than_their_length(text: str) -> None:
    """Less than 5 s of the processor, where a pattern that backtracks takes minutes."""
    begun = time.process_time()
    attempt(text)
    assert time.process_time() - begun < 5


def test_no_unknown_word_is_accepted_in_silence() -> None:
    """A word that tc does not know, anywhere among the options of a line, is refused or listed."""
    rng = random.Random(2 + SEED)
    plain = [one[1] for one in CONFIGURATIONS if "\n" not in one[1]]
    for number in range(MUTANTS):
        text = rng.choice(plain) if number % 2 else random_line(rng, rng.choice(KINDS))
        words, unknown = text.split(), f"zq{number}"
        place = rng.randint(1, len(words))
        if words[place - 1] in ("dev", "parent", "handle", "refcnt"):
            continue  # a name of a device, a place, or a number of users
        words.insert(place, unknown)
        try:
            found = read(" ".join(words), "tc", FACTS)
        except DialectError:
            continue
        assert any(unknown in item for item in found.lost_settings), " ".join(words)


def test_every_value_matters_or_has_a_reason_not_to() -> None:
    """Another value of a key that is applied is another queue; one of a key that is lost is listed."""
    rng = random.Random(3)
    for kind in KINDS:
        bare = read(kind, "tc", FACTS)
        for key in QUEUES[kind].keys:
            if key.effect is KeyEffect.NO_EFFECT or key.word in ("max_rtt", "typical_rtt", "via-ethernet"):
                continue
            value = value_of(kind, key, rng)
            found = read(" ".join(filter(None, (kind, key.word, value))), "tc", FACTS)
            is_default = key.is_default(value or key.word) or (key.quantity is None and key.flag_value in (
                bare.parameters.get(key.parameter), False) and key.parameter != "")  # fmt: skip
            told = (found.parameters, found.lost_settings, found.notes)
            assert is_default or told != (bare.parameters, bare.lost_settings, bare.notes), (kind, key.word, value)


AS_PRINTED = re.compile(r"^fq_codel .*quantum \d+b( |$)|limit \d+p( |$)|perturb \d+sec( |$)")
"""Values in a form in which tc prints them, and that it does not take."""


@pytest.mark.needs("tc", "namespaces")
def test_a_real_tc_takes_what_is_read_and_written() -> None:
    """150 lines, half of them damaged: what tc refuses is not read. Of kinds that the kernel lacks it says so."""
    rng = random.Random(4)
    kinds = [kind for kind in KINDS if kind != "dualpi2"]
    texts = [random_line(rng, rng.choice(kinds)) for _ in range(75)]
    texts += [damaged(random_line(rng, rng.choice(kinds)), rng) for _ in range(75)]
    texts = [text for text in texts if text.isascii() and text.isprintable() and not set(text) & set("$`\"'\\;&{[#")]
    accepted = []
    for text in texts:
        try:
            read(text, "tc", FACTS)
        except DialectError:
            continue
        accepted.append(text)
    assert len(accepted) >= 60
    script = "\n".join(f"tc qdisc replace dev lo root {text} 2>&1 | tail -1; echo end" for text in accepted)
    done = subprocess.run(["unshare", "--net", "sh", "-c", script], capture_output=True, text=True, check=False)
    said = done.stdout.split("end\n")
    assert len(said) == len(accepted) + 1
    refused = [(text, answer) for text, answer in zip(accepted, said[:-1], strict=True)
               if answer.strip() and "Specified qdisc kind is unknown" not in answer]  # fmt: skip
    assert [one for one in refused if not AS_PRINTED.search(one[0])] == []
