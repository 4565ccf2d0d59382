"""What a reader is told beside a strict verdict: against cases worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from penstock.reproduce import answer, record
from penstock.reproduce.assessment import assessment_fields, assessment_in_words, badge_rule, deciding_part
from penstock.reproduce.claim import count_badges, count_verdicts
from penstock.reproduce.paper import find_experiments, included_papers
from penstock.reproduce.text import outcomes_text
from penstock.results.condition import Condition, Finding, all_of
from penstock.results.sample import RunSample

from .made_up import effort_of
from .test_claims import NOT_MADE_UP


def number(value: float) -> RunSample:
    return RunSample([value] * 5)


def assess_joint(*conditions: Condition) -> dict[str, Any]:
    finding = all_of(conditions).decide()
    return {"verdict": finding.verdict, **assessment_fields(finding)}


def test_61_of_63_parts_are_near_and_a_reversed_sign_is_opposite() -> None:
    near = assess_joint(*[number(1) < number(2)] * 61, *[number(3) < number(2)] * 2)
    assert (near["verdict"], near["badge"], near["direction"]) == ("contradicted", "near", "same")
    assert near["parts"] == {"held": 61, "undecided": 0, "refuted": 2, "total": 63}
    assert near["distance"] == {"median": 0.0, "worst": 50.0, "unit": "%"}
    assert assessment_in_words(near) == "61 of 63 parts confirmed; order as claimed; off by 50 % at worst"
    reversed_ = assess_joint(*[number(1) < number(2)] * 13, *[number(3) < number(2)] * 35)
    assert (reversed_["badge"], reversed_["direction"]) == ("mixed", "mixed")
    assert assess_joint(*[number(1) < number(2)] * 12, *[number(3) < number(2)] * 36)["badge"] == "opposite"
    assert assess_joint(*[number(1) < number(2)] * 30, *[number(3) < number(2)] * 18)["direction"] == "mostly"


def test_the_deciding_part_has_no_number_of_parts() -> None:
    finding = all_of([*[number(1) < number(2)] * 3, number(3) < number(2)]).decide()
    count, part = finding.why.split("; ", 1)
    assert count.startswith("3 of 4 ")
    assert deciding_part({"why": finding.why}) == part


@pytest.mark.parametrize(
    ("measured", "badge", "words", "because"),
    [
        (10.9, "confirmed", "off by 0.9 tolerances", ""),
        (11.9, "near", "off by 1.9 tolerances", "the miss is at most 2 tolerances"),
        (13.0, "mixed", "off by 3 tolerances", "the miss is above 2 tolerances"),
        (15.0, "opposite", "off by 5 tolerances", "the miss is above 4 tolerances"),
    ],
)
def test_a_number_is_judged_by_its_distance_in_tolerances(
    measured: float, badge: str, words: str, because: str
) -> None:
    assessment = assess_joint(number(measured).matches_printed(10, share=0.1))
    assert (assessment["badge"], assessment["direction"], assessment_in_words(assessment)) == (badge, None, words)
    assert badge_rule(assessment) == because


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
    assessment = assessment_fields(Finding("not comparable", None, "a testbed"))
    assert set(assessment.values()) == {None}


def claim(badge: str, **more: Any) -> dict[str, Any]:
    verdict = "confirmed" if badge == "confirmed" else "contradicted"
    return {"id": "c1", "verdict": verdict, "badge": badge, "distance": None, **more}


def test_readings_and_claims_that_cannot_fail_do_not_count() -> None:
    own = [claim("confirmed"), claim("near", reading="other"), claim("confirmed", cannot_fail="a sum")]
    assert count_verdicts(own)["confirmed"] == count_badges(own)["confirmed"] == 1
    assert sum(count_badges(own).values()) == 1


WORDS = {"c": "confirmed", "n": "near", "m": "mixed", "o": "opposite"}


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("", ""),
        ("c", "Yes: its claim is confirmed."),
        ("cc", "Yes: all 2 claims are confirmed."),
        ("n", "Nearly: its claim is near."),
        ("cn", "Nearly: 1 of 2 claims is confirmed, 1 is near."),
        ("nn", "In part: none of 2 claims is confirmed, 2 are near."),
        ("o", "No: its claim is opposite."),
        ("oo", "No: none of 2 claims is confirmed, 2 are opposite."),
        ("m", "In part: its claim is mixed."),
        ("ccnmm", "In part: 2 of 5 claims are confirmed, 1 is near, 2 are mixed."),
        ("ccmmo", "Mostly not: 2 of 5 claims are confirmed, 2 are mixed, 1 is opposite."),
        ("cnnmo", "In part: 1 of 5 claims is confirmed, 2 are near, 1 is mixed, 1 is opposite."),
    ],
)
def test_an_answer_begins_with_yes_or_no(letters: str, expected: str) -> None:
    assert answer.badge_count_sentence([claim(WORDS[letter]) for letter in letters]) == expected


def test_an_answer_has_the_parts_of_a_single_claim_and_the_claims_that_were_not_tried() -> None:
    parts = {"held": 3, "undecided": 0, "refuted": 2, "total": 5}
    single = claim("mixed", parts=parts, direction="mixed")
    assert answer.badge_count_sentence([single]) == "In part: its claim is mixed (3 of 5 parts confirmed; order mixed)."
    assert answer.badge_count_sentence([claim("confirmed")], omitted=6) == "Of 7 claims, 1 was tried: it is confirmed."
    assert answer.badge_count_sentence([claim("confirmed")] * 2, omitted=1) == (
        "Of 3 claims, 2 were tried. Yes: all 2 claims are confirmed."
    )


def test_claims_of_an_earlier_record_are_counted_by_verdict() -> None:
    own = [claim("confirmed"), {**claim("near"), "badge": None}, {**claim("near"), "badge": None}]
    assert answer.badge_count_sentence(own) == "1 confirmed, 2 contradicted."


def in_both(badge: str, printed: str) -> dict[str, Any]:
    """A claim with its badges in the set-up as reconstructed and as printed."""
    return claim(badge, printed={"verdict": claim(printed)["verdict"], "badge": printed})


def test_an_answer_names_the_set_up_in_which_it_applies() -> None:
    only = "Only in the set-up as reconstructed; as printed,"
    assert answer.printed_setup_sentence([claim("confirmed")]) == ""
    assert answer.printed_setup_sentence([in_both("confirmed", "near")]) == f"{only} it is near."
    assert answer.printed_setup_sentence([in_both("near", "confirmed")]) == "In the set-up as printed, it is confirmed."
    assert (
        answer.printed_setup_sentence([in_both("confirmed", "near"), claim("confirmed")])
        == f"{only} 1 of 2 is confirmed."
    )
    two = [in_both("confirmed", "confirmed"), in_both("near", "confirmed")]
    assert answer.printed_setup_sentence(two) == "In the set-up as printed, 2 of 2 are confirmed."


def test_claims_on_tables_to_which_the_set_up_was_fitted_are_counted_separately() -> None:
    fitted, others = [claim("confirmed"), claim("confirmed"), claim("near")], [claim("confirmed"), claim("mixed")]
    assert answer.held_out_sentence(fitted, [*fitted, *others]) == (
        "The set-up was fitted to the tables of 3 claims (2 confirmed); of the other 2, 1 is confirmed."
    )
    assert answer.held_out_sentence([], others) == ""


def test_the_answer_of_a_figure_names_the_claim_that_is_farthest_off() -> None:
    (outcome,) = record.recorded_outcomes(find_experiments(["alemu/tab3-3"]))
    parts = {"held": 1, "undecided": 0, "refuted": 1, "total": 2}
    one = claim("near", says="a is 2", why="1 of 2 confirmed; n = 3: 2.5 [2.4, 2.6], printed 2 (1 to 3)", parts=parts)
    other = {**claim("confirmed"), "id": "c2", "says": "b", "why": "1"}
    made_up = replace(outcome, claims=[one, other])
    vars(made_up.experiment)["module"] = SimpleNamespace(CLAIMS=())
    assert answer.answer_text([made_up]) == (
        "Nearly: 1 of 2 claims is confirmed, 1 is near. "
        "Not confirmed: a is 2; n = 3: 2.5 [2.4, 2.6], printed 2 (1 to 3)."
    )
    farther = claim("mixed", says="d is 5", why="7 [6, 8], printed 5 (4 to 6)")
    assert "Farthest off: d is 5; 7 [6, 8]" in answer.answer_text([replace(made_up, claims=[one, farther])])


def test_a_table_to_which_the_set_up_was_fitted_says_so() -> None:
    fitted, held_out = (
        answer.answer_text(record.recorded_outcomes(find_experiments([f"alemu/tab{name}"]))) for name in ("2-2", "3-3")
    )
    assert fitted.endswith("The set-up was fitted to this table.")
    assert "fitted" not in held_out


def test_a_reason_is_derived_where_the_work_gives_none() -> None:
    none = {"text": "no reason found", "grade": "none"}
    assert answer.reason_text(claim("confirmed")) == ""
    assert answer.reason_text(claim("near", reason={"text": "too short", "grade": "full"})) == (
        "too short (shown by runs of the full sweep)"
    )
    assert answer.reason_text(in_both("near", "confirmed") | {"reason": none}) == (
        "it depends on the set-up: as printed, it is confirmed"
    )
    assert answer.reason_text(in_both("near", "near") | {"reason": none}) == "no reason found"
    undecided = {"held": 1, "undecided": 1, "refuted": 0, "total": 2}
    open_claim = {**claim("near", reason=none, parts=undecided), "verdict": "inconclusive"}
    assert answer.reason_text(open_claim).startswith("undecided: nothing is refuted")
    refuted = {**undecided, "undecided": 0, "refuted": 1}
    assert answer.reason_text({**open_claim, "parts": refuted}) == "no reason found"


def test_the_output_leads_with_the_badge_and_has_one_line_for_another_reading() -> None:
    (outcome,) = record.recorded_outcomes(find_experiments(["alemu/tab3-3"]))
    lines = outcomes_text([outcome]).splitlines()
    (at,) = (number for number, line in enumerate(lines) if "alemu/tab3.3/r3 " in line)
    assert lines[at].startswith("    mixed ")
    own = [line.strip() for line in lines[at + 1 : at + 6]]
    assert own[1].startswith("in the set-up as printed: mixed; ")
    assert own[2].startswith("why: in Table 3.3 the rows do not have the losses of a single load")
    assert own[3] == "strict verdict: contradicted; mixed, since the largest miss is above 4 tolerances"
    assert own[4:] == ["23 flows (not counted): confirmed, 3 of 3"]
    assert sum("alemu/tab3.3/r3 " in line for line in lines) == 1


def test_claims_are_sorted_by_badge_and_distance_worst_first() -> None:
    far, close = ({"median": 1.0, "worst": miss, "unit": "%"} for miss in (8.0, 2.0))
    own = [claim("confirmed", id="yes"), claim("opposite"), claim("near", id="close", distance=close)]
    own += [claim("confirmed", cannot_fail="x", id="last"), claim("near", id="far", distance=far)]
    assert [entry["id"] for entry in sorted(own, key=answer.badge_sort_key)] == ["c1", "far", "close", "yes", "last"]


def test_a_quick_reproduction_gives_nearly_every_claim_a_verdict() -> None:
    """Made-up numbers fill the cells of quick runs. Searches for reasons are left out; table rows may lack cells."""
    claimed, decided = 0, 0
    silent = []
    for work in included_papers():
        for experiment in work.experiments:
            if experiment.id.startswith(("why", "open", "readings")) or experiment.name in NOT_MADE_UP:
                continue
            claims = experiment.claims(experiment.table(effort_of(work.name, "quick")))
            own = {claim.id for claim in claims}
            claimed, decided = claimed + len(experiment.claim_ids), decided + len(own)
            silent += [experiment.name] if experiment.claim_ids and not claims else []
    assert silent == []
    assert decided >= 0.9 * claimed


def test_what_a_quick_reproduction_decides_on_part_of_a_figure_says_so() -> None:
    (experiment,) = find_experiments(["kt/fig5a"])
    claims = experiment.claims(experiment.table(effort_of("kt", "quick")))
    assert claims
    assert all(claim.is_partial and not claim.must_hold for claim in claims)
