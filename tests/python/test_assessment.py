"""What a reader is told beside a strict verdict: against cases worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from penstock.reproduce import answer
from penstock.reproduce.assessment import assessed, gloss
from penstock.reproduce.claim import badges, counts
from penstock.reproduce.paper import find, papers
from penstock.results.condition import Condition, Finding, all_of
from penstock.results.sample import Sample

from .made_up import effort_of
from .test_claims import NOT_MADE_UP


def number(value: float) -> Sample:
    return Sample([value] * 5)


def assess_joint(*conditions: Condition) -> dict[str, Any]:
    finding = all_of(conditions).decide()
    return {"verdict": finding.verdict, **assessed(finding)}


def test_61_of_63_parts_are_near_and_a_reversed_sign_is_opposite() -> None:
    near = assess_joint(*[number(1) < number(2)] * 61, *[number(3) < number(2)] * 2)
    assert (near["verdict"], near["badge"], near["direction"]) == ("contradicted", "near", "same")
    assert near["parts"] == {"held": 61, "undecided": 0, "refuted": 2, "total": 63}
    assert near["distance"] == {"median": 0.0, "worst": 50.0, "unit": "%"}
    assert gloss(near) == "61 of 63 parts confirmed; order as claimed; off by 0 % in the median, 50 % at worst"
    reversed_ = assess_joint(*[number(1) < number(2)] * 13, *[number(3) < number(2)] * 35)
    assert (reversed_["badge"], reversed_["direction"]) == ("mixed", "mixed")
    assert assess_joint(*[number(1) < number(2)] * 12, *[number(3) < number(2)] * 36)["badge"] == "opposite"
    assert assess_joint(*[number(1) < number(2)] * 30, *[number(3) < number(2)] * 18)["direction"] == "mostly"


@pytest.mark.parametrize(
    ("measured", "badge", "words"),
    [
        (10.9, "confirmed", "off by 0.9 tolerances"),
        (11.9, "near", "off by 1.9 tolerances"),
        (13.0, "mixed", "off by 3 tolerances"),
        (15.0, "opposite", "off by 5 tolerances"),
    ],
)
def test_a_number_is_judged_by_its_distance_in_tolerances(measured: float, badge: str, words: str) -> None:
    assessment = assess_joint(number(measured).reads(10, share=0.1))
    assert (assessment["badge"], assessment["direction"], gloss(assessment)) == (badge, None, words)


def test_an_order_that_is_found_without_its_number_is_near() -> None:
    assessment = assess_joint(number(8) <= 0.7 * number(10))
    assert (assessment["verdict"], assessment["badge"], assessment["direction"]) == ("contradicted", "near", "same")
    assert assess_joint(number(12) <= 0.7 * number(10))["badge"] == "opposite"


def test_an_order_in_few_of_many_parts_is_no_direction() -> None:
    assessment = assess_joint(*[number(1) <= 2] * 45, *[number(3) < number(2)] * 6)
    assert (assessment["direction"], assessment["badge"]) == (None, "near")
    assessment = assess_joint(*[number(3) <= 1] * 40, *[number(1) < number(2)] * 9)
    assert (assessment["direction"], assessment["badge"]) == (None, "opposite")
    assessment = assess_joint(*[number(1) < number(2)] * 8, *[number(3) < number(2)] * 2, *[number(1) <= 2] * 3)
    assert (assessment["direction"], assessment["badge"]) == ("mostly", "near")


def test_what_cannot_be_run_has_no_badge() -> None:
    assessment = assessed(Finding("not comparable", None, "a testbed"))
    assert set(assessment.values()) == {None}


def claim(badge: str, **more: Any) -> dict[str, Any]:
    verdict = "confirmed" if badge == "confirmed" else "contradicted"
    return {"id": "c1", "verdict": verdict, "badge": badge, "distance": None, **more}


def test_readings_and_claims_that_cannot_fail_do_not_count() -> None:
    own = [claim("confirmed"), claim("near", reading="other"), claim("confirmed", cannot_fail="a sum")]
    assert counts(own)["confirmed"] == badges(own)["confirmed"] == 1
    assert sum(badges(own).values()) == 1


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("", ""),
        ("c", "Yes: its claim is confirmed."),
        ("cc", "Yes: all 2 claims are confirmed."),
        ("n", "Nearly: its claim is near."),
        ("cn", "Nearly: 1 of 2 claims is confirmed, 1 is near."),
        ("oo", "No: the reverse is found, or nothing near it."),
        ("m", "In part: its claim is mixed."),
        ("cnnmo", "In part: 1 of 5 claims is confirmed, 2 are near, 1 is mixed, 1 is opposite."),
    ],
)
def test_a_figure_answers_in_a_sentence(letters: str, expected: str) -> None:
    words = {"c": "confirmed", "n": "near", "m": "mixed", "o": "opposite"}
    assert answer.of_figure([claim(words[letter]) for letter in letters]) == expected


def test_the_headline_counts_all_four_badges() -> None:
    own = [claim(badge) for badge in ("confirmed", "confirmed", "near", "mixed", "opposite", "opposite")]
    assert answer.headline(own) == (
        "Of 6 claims, 2 are confirmed, 1 nearly (the order is as claimed, but a number or a few of the tested settings "
        "are missed), 1 in part, "
        "and of 2 the reverse is found, or nothing near it."
    )
    assert answer.headline([claim("confirmed")]) == "Yes: its claim is confirmed."


def test_claims_of_an_earlier_record_are_counted_by_verdict() -> None:
    own = [claim("confirmed"), {**claim("near"), "badge": None}, {**claim("near"), "badge": None}]
    assert answer.headline(own) == "1 confirmed, 2 contradicted."
    assert answer.of_figure(own) == ""


def test_claims_are_sorted_by_badge_and_distance() -> None:
    far, close = ({"median": miss, "worst": 9.0, "unit": "%"} for miss in (8.0, 1.0))
    own = [claim("opposite"), claim("near", id="far", distance=far), claim("near", id="close", distance=close)]
    own += [claim("confirmed", cannot_fail="x", id="last")]
    assert [entry["id"] for entry in sorted(own, key=answer.by_distance)] == ["close", "far", "c1", "last"]


def test_a_quick_reproduction_gives_nearly_every_claim_a_verdict() -> None:
    """Made-up numbers fill the cells of quick runs. Searches for reasons are left out; table rows may lack cells."""
    claimed, decided = 0, 0
    silent = []
    for work in papers():
        for experiment in work.experiments:
            if experiment.id.startswith(("why", "open", "readings")) or experiment.name in NOT_MADE_UP:
                continue
            claims = experiment.claims(experiment.table(effort_of(work.name, "quick")))
            own = {claim.id for claim in claims}
            claimed, decided = claimed + len(experiment.claimed), decided + len(own)
            silent += [experiment.name] if experiment.claimed and not claims else []
    assert silent == []
    assert decided >= 0.9 * claimed


def test_what_a_quick_reproduction_decides_on_part_of_a_figure_says_so() -> None:
    (experiment,) = find(["kt/fig5a"])
    claims = experiment.claims(experiment.table(effort_of("kt", "quick")))
    assert claims
    assert all(claim.partial and not claim.must_hold for claim in claims)
