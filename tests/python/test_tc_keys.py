"""The table of tc's keys has every key that a manual page documents, and each means one thing."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from penstock.aqms.catalog import find_scheme
from penstock.dialects.tc_keys import KeyEffect, Qdisc
from penstock.dialects.tc_lines import STAB
from penstock.dialects.tc_table import QUEUES
from penstock.dialects.tc_table_classes import ABSENT, CLASSES, PARENTS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTED: dict[str, list[str]] = json.loads((ROOT / "tests/data/tc/documented_keys.json").read_text(encoding="utf-8"))
"""The bold words of SYNOPSIS, and of OPTIONS where a synopsis lacks some: iproute2 6.1, dualpi2 of 6.17."""

TABLES: list[Qdisc] = [*QUEUES.values(), *PARENTS.values(), *CLASSES.values()]


@pytest.mark.parametrize("man", DOCUMENTED)
def test_every_documented_key_is_in_the_table(man: str) -> None:
    known = {word for table in TABLES if table.man_page == man for word in table.keys_by_word}
    if man == "tc-stab(8)":
        known = set(STAB)
    assert [word for word in DOCUMENTED[man] if word not in known] == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.kind))
def test_a_key_has_one_meaning_and_a_default_within_its_range(table: Qdisc) -> None:
    words = [word for key in table.keys for word in (key.word, *key.other_spellings)]
    assert len(words) == len(set(words))
    for key in table.keys:
        if key.quantity is not None and key.default:
            key.parse_value(key.default)
        if (
            key.effect is not KeyEffect.APPLIED
            and not table.kind.startswith(("fq_", "tbf"))
            and key.word != "ce_threshold"
        ):
            assert key.reason, (table.kind, key.word)


@pytest.mark.parametrize("table", QUEUES.values(), ids=lambda table: str(table.kind))
def test_a_key_sets_a_parameter_that_its_scheme_has(table: Qdisc) -> None:
    known = {"limit", *(param.name for param in find_scheme(table.scheme).params)}
    assert {key.parameter for key in table.keys if key.parameter} <= known
    assert set(table.fixed) <= known


def test_the_page_of_the_keys_has_all_of_them() -> None:
    sys.path.insert(0, str(ROOT / "docs" / "make"))
    try:
        page: str = importlib.import_module("tc_keys").page()
    finally:
        sys.path.pop(0)
    sections = {part.split("\n", 1)[0]: part for part in page.split("\n## ")}
    for table in TABLES:
        for key in table.keys:
            assert f"`{key.word}`" in sections[table.kind], (table.kind, key.word)
    assert all(f"`{kind}`" in page for kind in ABSENT)
