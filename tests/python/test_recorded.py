"""What is recorded of the works in full: nothing is missing, and what the documentation says of it is so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from penstock.reproduce.claim import GRADES, count_badges, count_verdicts, have_badges, is_counted
from penstock.reproduce.paper import Paper, included_papers
from penstock.reproduce.record import recorded_outcomes
from penstock.reproduce.why import UNKNOWN

WORKS = included_papers()
MAX_BYTES = 450_000

by_work = pytest.mark.parametrize("work", WORKS, ids=lambda work: work.alias)


def claims(work: Paper) -> list[Mapping[str, Any]]:
    return [claim for outcome in recorded_outcomes(work.experiments) for claim in outcome.claims]


@by_work
def test_every_experiment_is_recorded(work: Paper) -> None:
    assert [outcome.experiment.id for outcome in recorded_outcomes(work.experiments)] == [
        experiment.id for experiment in work.experiments
    ]
    assert work.results_file.stat().st_size < MAX_BYTES
    assert work.points_file.stat().st_size < MAX_BYTES


def unconfirmed(work: Paper) -> list[Mapping[str, Any]]:
    return [
        claim for claim in claims(work) if is_counted(claim) and claim["verdict"] in ("contradicted", "inconclusive")
    ]


@by_work
def test_records_of_earlier_versions_are_read_in_the_words_of_today(work: Paper) -> None:
    texts = [text["why"] for claim in claims(work) for text in (claim, claim["printed"]) if text]
    assert [text for text in texts if re.search(r"\bhold\b|\basked\b", text)] == []


@by_work
def test_each_claim_that_is_not_confirmed_has_a_graded_reason(work: Paper) -> None:
    assert [claim["id"] for claim in unconfirmed(work) if claim["reason"]["grade"] not in GRADES] == []


@by_work
def test_each_reason_is_that_of_such_a_claim_without_its_own(work: Paper) -> None:
    reasons = {claim["id"]: claim["reason"]["text"] for claim in unconfirmed(work)}
    assert [name for name, reason in work.reasons.items() if reasons.get(name) != reason.text] == []


@by_work
def test_every_number_of_a_reason_is_recorded(work: Paper) -> None:
    assert [name for name, reason in work.reasons.items() if UNKNOWN in reason.text] == []


@by_work
def test_what_reasons_point_to_is_recorded_and_holds(work: Paper) -> None:
    verdicts: dict[str, set[str]] = {}
    for claim in claims(work):
        verdicts.setdefault(claim["id"], set()).add(claim["verdict"])
    ids = {experiment.id for experiment in work.experiments}
    for reason in work.reasons.values():
        for name in re.findall(r"\((why-[^)\s]+)\)", reason.text):
            assert verdicts.get(name) == {"confirmed"} if "/" in name else name in ids, (name, reason)


def test_nearly_all_claims_are_decided() -> None:
    total_of = count_verdicts(claim for work in WORKS for claim in claims(work))
    total = sum(total_of.values())
    assert total_of["confirmed"] + total_of["contradicted"] >= 0.85 * total
    assert total_of["not comparable"] <= 0.05 * total


def test_the_documentation_has_the_badges_and_verdicts() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "howto" / "reproduce-a-work.md"
    text = page.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| .*? \(`(\w+)`\) \| ([\d |–]+) \|$", text, flags=re.MULTILINE))
    assert rows == {work.alias: " | ".join(row(claims(work))) for work in WORKS}


def row(claims_of_work: list[Mapping[str, Any]]) -> list[str]:
    """The badges, "–" before all claims of a work are recorded with them, and the strict verdicts beside confirmed."""
    badge_counts, strict = count_badges(claims_of_work), count_verdicts(claims_of_work)
    numbers = list(badge_counts.values()) if have_badges(claims_of_work) else [strict["confirmed"], "–", "–", "–"]
    return [str(number) for number in [*numbers, strict["contradicted"], strict["inconclusive"]]]
