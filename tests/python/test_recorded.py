"""What is recorded of the works in full: nothing is missing, and what the README says of it is so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from penstock.reproduce.claim import VERDICTS, counts
from penstock.reproduce.experiment_run import recorded
from penstock.reproduce.paper import Paper, papers
from penstock.reproduce.why import UNKNOWN

WORKS = papers()
MAX_BYTES = 300_000

by_work = pytest.mark.parametrize("work", WORKS, ids=lambda work: work.alias)


def claims(work: Paper) -> list[Mapping[str, Any]]:
    return [claim for outcome in recorded(work.experiments) for claim in outcome.claims]


@by_work
def test_every_experiment_is_recorded(work: Paper) -> None:
    assert [outcome.experiment.id for outcome in recorded(work.experiments)] == [one.id for one in work.experiments]
    assert work.results_file.stat().st_size < MAX_BYTES
    assert work.points_file.stat().st_size < MAX_BYTES


@by_work
def test_each_contradicted_claim_has_its_reason(work: Paper) -> None:
    contradicted = [claim for claim in claims(work) if claim["verdict"] == "contradicted" and not claim.get("reading")]
    assert [claim["id"] for claim in contradicted if not claim.get("because")] == []


@by_work
def test_each_reason_is_that_of_a_contradicted_claim_without_its_own(work: Paper) -> None:
    shown = {
        claim["id"]: claim.get("because")
        for claim in claims(work)
        if claim["verdict"] == "contradicted" and not claim.get("reading")
    }
    assert [name for name, reason in work.reasons.items() if shown.get(name) != reason] == []


@by_work
def test_every_number_of_a_reason_is_recorded(work: Paper) -> None:
    assert [name for name, reason in work.reasons.items() if UNKNOWN in reason] == []


@by_work
def test_what_reasons_point_to_is_recorded_and_holds(work: Paper) -> None:
    verdicts: dict[str, set[str]] = {}
    for claim in claims(work):
        verdicts.setdefault(claim["id"], set()).add(claim["verdict"])
    known = {one.id for one in work.experiments}
    for reason in work.reasons.values():
        for name in re.findall(r"\((why-[^)\s]+)\)", reason):
            assert verdicts.get(name) == {"confirmed"} if "/" in name else name in known, (name, reason)


def test_nearly_all_claims_are_decided() -> None:
    found = counts(claim for work in WORKS for claim in claims(work))
    total = sum(found.values())
    assert found["confirmed"] + found["contradicted"] >= 0.85 * total
    assert found["not comparable"] <= 0.05 * total


def test_the_readme_has_the_verdicts() -> None:
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    rows = {
        alias: [int(number) for number in numbers.split("|")]
        for alias, numbers in re.findall(r"^\| .*? \(`(\w+)`\) \| ([\d |]+\d) \|$", text, flags=re.MULTILINE)
    }
    found = {work.alias: counts(claims(work)) for work in WORKS}
    assert rows == {alias: [verdicts[verdict] for verdict in VERDICTS] for alias, verdicts in found.items()}
