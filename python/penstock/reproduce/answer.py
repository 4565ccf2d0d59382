"""Short answers to "is it confirmed, and why?": for a figure, for a paper, for a claim, and for main messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock.reproduce.assessment import BADGES, FAR, assessment_in_words, deciding_part
from penstock.reproduce.claim import GRADES, count_badges, count_verdicts, have_badges, is_counted
from penstock.reproduce.experiment_run import Outcome

__all__ = [
    "answer_text",
    "badge_count_sentence",
    "badge_sort_key",
    "held_out_sentence",
    "main_message_claims",
    "printed_setup_sentence",
    "reason_text",
    "verdict_label",
]

Claim = Mapping[str, Any]


def answer_text(own: Sequence[Outcome]) -> str:
    """The answer to "is it confirmed?" for a figure or paper, in a few sentences; empty if no claim is decided.

    They have the number of claims with each badge, the claim that is farthest off if there is only one experiment, the
    set-up as printed where claims were decided in it, and the claims on tables to which the set-up was fitted.
    """
    claims = [claim for outcome in own for claim in outcome.claims]
    omitted = sum(len({*outcome.experiment.claim_ids} - {claim["id"] for claim in outcome.claims}) for outcome in own)
    fitted = [outcome for outcome in own if outcome.experiment.id in outcome.experiment.paper.fitted]
    fit = "The set-up was fitted to this table." if len(fitted) == len(own) == 1 else ""
    if len(own) > 1:
        fit = held_out_sentence([claim for outcome in fitted for claim in outcome.claims], claims)
    farthest = _farthest_off(claims) if len(own) == 1 else ""
    return " ".join(
        filter(None, (badge_count_sentence(claims, omitted), farthest, printed_setup_sentence(claims), fit))
    )


def badge_count_sentence(claims: Iterable[Claim], omitted: int = 0) -> str:
    """The number of claims with each badge in one sentence that begins with yes or no; empty if none counts.

    `omitted` is the number of claims that were not tried. If claims of an earlier record have no badges, the sentence
    has the number of each verdict.
    """
    claims = [claim for claim in claims if is_counted(claim)]
    if not have_badges(claims):
        return ", ".join(f"{number} {verdict}" for verdict, number in count_verdicts(claims).items() if number) + "."
    badge_counts = count_badges(claims)
    total = sum(badge_counts.values())
    if not total:
        return ""
    tried = f"Of {total + omitted} claims, {total} {'was' if total == 1 else 'were'} tried" if omitted else ""
    if total == 1:
        claim = next(claim for claim in claims if claim.get("badge"))
        words = "" if claim["badge"] == "confirmed" else assessment_in_words(claim)
        subject = f"{tried}: it" if tried else f"{_lead(badge_counts)}: its claim"
        return f"{subject} is {claim['badge']}{f' ({words})' if words else ''}."
    return f"{tried}{'. ' if tried else ''}{_lead(badge_counts)}: {_numbers(badge_counts)}."


def _lead(badge_counts: Mapping[str, int]) -> str:
    total, held = sum(badge_counts.values()), badge_counts["confirmed"]
    if held == total:
        return "Yes"
    if badge_counts["opposite"] == total:
        return "No"
    missed = badge_counts["mixed"] + badge_counts["opposite"]
    if not missed and (total == 1 or 3 * held >= total):
        return "Nearly"
    return "Mostly not" if 2 * missed > total > 1 else "In part"


def _numbers(badge_counts: Mapping[str, int]) -> str:
    total, held = sum(badge_counts.values()), badge_counts["confirmed"]
    if held == total:
        return f"all {total} claims are confirmed"
    rest = [
        f"{number} {'is' if number == 1 else 'are'} {badge}"
        for badge, number in badge_counts.items()
        if number and badge != "confirmed"
    ]
    return ", ".join([f"{held or 'none'} of {total} claims {'are' if held > 1 else 'is'} confirmed", *rest])


def _farthest_off(claims: Iterable[Claim]) -> str:
    """The claim with the worst badge and the largest miss, with the numbers that decide it; empty without a miss."""
    missed = [claim for claim in claims if is_counted(claim) and claim.get("badge") not in (None, "confirmed")]
    if not missed:
        return ""
    claim = min(missed, key=badge_sort_key)
    return f"{'Not confirmed' if len(missed) == 1 else 'Farthest off'}: {claim['says']}; {deciding_part(claim)}."


def printed_setup_sentence(claims: Iterable[Claim]) -> str:
    """The verdicts in the set-up as printed, as a sentence; empty if no claim was decided in it."""
    counting = [claim for claim in claims if is_counted(claim) and claim["verdict"] != "not comparable"]
    if not any(claim.get("printed") for claim in counting):
        return ""
    words = [verdict_label(claim.get("printed") or claim) for claim in counting]
    held, total = words.count("confirmed"), len(words)
    only = all(verdict_label(claim) == "confirmed" for claim in counting) and held < total
    where = "Only in the set-up as reconstructed; as printed," if only else "In the set-up as printed,"
    if total == 1:
        return f"{where} it is {words[0]}."
    return f"{where} {held} of {total} {'is' if held == 1 else 'are'} confirmed."


def held_out_sentence(fitted: Iterable[Claim], claims: Iterable[Claim]) -> str:
    """How many claims the set-up was fitted to and how many others are confirmed; empty unless there are both.

    Empty if there are none or no others. `claims` are all claims, those in `fitted` included.
    """
    known, every = count_badges(fitted), count_badges(claims)
    number, total = sum(known.values()), sum(every.values())
    if not number or number == total:
        return ""
    held = every["confirmed"] - known["confirmed"]
    return (
        f"The set-up was fitted to the tables of {number} claims ({known['confirmed']} confirmed); "
        f"of the other {total - number}, {held} {'is' if held == 1 else 'are'} confirmed."
    )


def verdict_label(claim: Claim) -> str:
    """The word for a claim, or for its outcome in another set-up: its badge, or its verdict if it has no badge."""
    return str(claim.get("badge") or claim["verdict"])


def reason_text(claim: Claim) -> str:
    """Why a claim is not confirmed, with the grade of the reason; empty if it has no field `reason`.

    If its work gives no reason, the reason is derived from the set-up as printed, or from an undecided verdict.
    """
    own, printed = claim.get("reason"), claim.get("printed")
    if not own:
        return ""
    if own["grade"] != "none":
        return f"{own['text']} ({GRADES[own['grade']]})"
    if printed and printed["verdict"] == "confirmed":
        return "it depends on the set-up: as printed, it is confirmed"
    if claim["verdict"] == "inconclusive" and claim.get("parts") and not claim["parts"]["refuted"]:
        if claim["parts"]["total"] == 1:
            return "undecided: nothing is refuted, but the interval contains the bound"
        return "undecided: nothing is refuted; refuting one of several parts takes a wider interval than the one given"
    return str(own["text"])


def main_message_claims(ids: Iterable[str], claims: Iterable[Claim]) -> list[Claim]:
    """The claims with these ids that were decided, in this order: the main messages of a paper."""
    claim_of = {claim["id"]: claim for claim in claims if not claim.get("reading")}
    return [claim_of[id_] for id_ in ids if id_ in claim_of]


def badge_sort_key(claim: Claim) -> tuple[int, float]:
    """A key that sorts claims by badge, worst first, and then by their largest miss; claims that do not count last."""
    badge = claim.get("badge")
    order = -list(BADGES).index(badge) if badge in BADGES else 1
    if not is_counted(claim):
        order = 2
    distance = claim.get("distance")
    return order, -distance["worst"] / FAR[distance["unit"]] if distance else -math.inf
