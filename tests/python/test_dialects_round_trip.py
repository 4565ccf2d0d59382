"""Generated settings in the words of routers and simulators come back; damaged configurations are read or refused."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penstock.dialects import read, write
from penstock.dialects.ranges import check_ranges
from penstock.errors import PenstockError

from .test_dialects import CODEL, PIE, counts, flag, lengths, powers, red, same, shares, times
from .test_dialects_all_words import TABLES, TEXTS
from .test_dialects_cisco import PRINTED
from .test_dialects_foreign_words import texts as short_texts
from .test_hostile_texts import mutated

MUTANTS = int(os.environ.get("PENSTOCK_FUZZ", "600")) // 4
SEED = os.environ.get("PENSTOCK_FUZZ_SEED", "")
"""Damaged texts of each dialect, and what is added to their seeds; `make fuzz-dialects` asks for more."""
ROOT = Path(__file__).resolve().parents[2]

sizes = st.integers(64, 9000).map(lambda size: f"{size}B")
flows = st.integers(1, 4096)
options = st.sampled_from(["on", "off"])


def levels(count: int, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Thresholds of WRED that rise from level to level."""
    pairs = st.lists(st.tuples(lengths, lengths), min_size=count, max_size=count)

    def table(found: list[tuple[int, int]], rest: dict[str, Any]) -> dict[str, Any]:
        return {
            "min_th": [float(min(pair)) for pair in found],
            "max_th": [float(min(pair) + max(pair)) for pair in found],
            "max_p": [1 / (place + 2) for place in range(count)],
            **rest,
        }

    return st.builds(table, pairs, st.fixed_dictionaries(more))


def fair(base: st.SearchStrategy[dict[str, Any]], **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Settings of a queue for each flow."""
    own = st.fixed_dictionaries({"flows": flows, "quantum": sizes, "limit": st.integers(1, 20000).map("{}p".format)})
    return st.builds(lambda one, two, three: {**one, **two, **three}, base, own, st.fixed_dictionaries(more))


in_bytes = red(limit=counts).map(
    lambda one: {
        **one, "measure_in": "bytes", "min_th": f"{1000 * one['min_th']}B", "max_th": f"{1000 * one['max_th']}B",
        "limit": f"{1000 * max(one['max_th'], int(one['limit'][:-1]))}B",
    }
)  # fmt: skip


def pie(variant: str, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """PIE with the options of RFC 8033, section 5."""
    own = {"cap_drop": options, "derandomization": options, "ecn": flag, "max_burst": times}
    rest = st.fixed_dictionaries({"variant": st.just(variant), **own, **more})
    return st.builds(lambda one, two: {**one, **two}, PIE, rest)


codel = st.fixed_dictionaries({"target": times, "interval": times, "ecn": flag})

SETTINGS: dict[str, list[tuple[str, st.SearchStrategy[dict[str, Any]]]]] = {
    "cisco": [
        ("wred", levels(3, w_q=powers, ecn=flag)),
        ("wred", levels(4, w_q=powers)),
        ("wred", levels(8, w_q=powers, precedence=st.just("ip"))),
    ],
    "sonic": [("red", in_bytes.map(lambda one: {k: v for k, v in one.items() if k not in ("w_q", "limit")}))],
    "arista": [("red", in_bytes.map(lambda one: {key: value for key, value in one.items() if key != "limit"}))],
    "dummynet": [
        ("red", in_bytes),
        ("fq-codel", fair(codel)),
        ("codel", CODEL),
        ("pie", pie("extended", activation=options, delay=st.sampled_from(["rate", "timestamp"]))),
    ],
    "ns2": [
        ("red", in_bytes),
        ("codel", st.fixed_dictionaries({"target": times, "interval": times, "limit": counts})),
        ("drr", st.fixed_dictionaries({"limit": sizes, "quantum": sizes, "buckets": flows})),
        ("pi", st.fixed_dictionaries({"limit": st.integers(11, 900).map("{}p".format), "a": shares, "b": shares})),
    ],
    "ns3": [
        ("red", in_bytes),
        ("fq-codel", fair(codel, drop_batch=flows, ce_threshold=times)),
        ("pie", pie("basic")),
        ("cobalt", CODEL),
        ("shaper", st.fixed_dictionaries({"rate": st.integers(1000, 10**9).map("{}bit".format), "burst": sizes})),
    ],
}


@pytest.mark.parametrize("dialect", SETTINGS)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_settings_come_back(dialect: str, data: st.DataObject) -> None:
    scheme, strategy = data.draw(st.sampled_from(SETTINGS[dialect]))
    given_ = data.draw(strategy)
    written = write(scheme, given_, dialect)
    again = read(written.text, dialect)
    assert again.scheme == scheme, written.text
    for name, value in given_.items():
        if name != "max_p":
            found = again.parameters.get(name)
            if name in ("min_th", "max_th") and isinstance(value, str) and not isinstance(found, str):
                value = float(value[:-1]) / 1000  # packets of 1000 B
            assert same(found, value, name), (written.text, name)


@pytest.mark.parametrize("dialect", TEXTS)
def test_a_damaged_configuration_is_read_or_refused(dialect: str) -> None:
    rng = random.Random(f"{dialect}{SEED}")
    texts = [*short_texts(dialect), *([PRINTED] if dialect == "cisco" else [])]
    count = 0
    messages: list[str] = []
    for _ in range(MUTANTS):
        text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 2, 4))):
            text = mutated(text, rng)
        try:
            result = read(text, dialect)
        except PenstockError as error:
            messages.append(str(error))
            continue
        check_ranges(result.scheme, result.parameters, result.rate)
        count += 1
    assert not [message for message in messages if "\n" in message]
    assert count > 0


def test_the_page_has_every_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs" / "make")
    page = importlib.import_module("router_keys").page()
    for dialect, keys in TABLES.items():
        for key in keys:
            assert f"| `{key.name}` |" in page or key.source == "", (dialect, key.name)
    rows = [line.replace("\\|", "") for line in page.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {6}


@pytest.mark.parametrize("dialect", TEXTS)
def test_a_number_without_an_end_takes_no_longer_than_its_length(dialect: str) -> None:
    """Less than 5 s of the processor for 30000 digits, where a pattern that tries all their parts takes a minute."""
    count = 0
    for text in TEXTS[dialect][::3]:
        for match in [*re.finditer(r"(?<![\w.])\d+(?:\.\d+)?", text)][:4]:
            begun = time.process_time()
            with contextlib.suppress(PenstockError):
                read(f"{text[: match.start()]}{'9' * 30_000}x{text[match.end() :]}", dialect)
            assert time.process_time() - begun < 5, (text, match.start())
            count += 1
    assert count > 8
