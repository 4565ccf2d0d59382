"""Short answers to "is it confirmed?": for a figure, for a paper, and for its main messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock.reproduce.assessment import BADGES, NEAR
from penstock.reproduce.claim import badged, badges, counted, counts

__all__ = ["as_printed", "by_distance", "headline", "messages", "of_figure"]

Claim = Mapping[str, Any]


def of_figure(claims: Iterable[Claim], omitted: int = 0) -> str:
    """One sentence on the claims that a figure decides, and how many of them were tried if some are omitted.

    Empty if it decides none, or if they have no badges.
    """
    claims = list(claims)
    if not badged(claims):
        return ""
    badge_counts = badges(claims)
    total, held = sum(badge_counts.values()), badge_counts["confirmed"]
    if not total:
        return ""
    if omitted and held == total == 1:
        return f"Of {total + omitted} claims, 1 was tried: it is confirmed."
    return _tried(total, omitted) + _answer(badge_counts, total, held)


def _answer(badge_counts: Mapping[str, int], total: int, held: int) -> str:
    if held == total:
        return "Yes: its claim is confirmed." if total == 1 else f"Yes: all {total} claims are confirmed."
    rest = _rest(badge_counts)
    if held + badge_counts["near"] == total:
        return (
            f"Nearly: {held} of {total} claims {_are(held)} confirmed, {rest}."
            if total > 1
            else "Nearly: its claim is near."
        )
    if badge_counts["opposite"] == total:
        return "No: the reverse is found, or nothing near it."
    return (
        f"In part: {held} of {total} claims {_are(held)} confirmed, {rest}."
        if total > 1
        else "In part: its claim is mixed."
    )


def _tried(total: int, omitted: int) -> str:
    """A sentence on claims that were not tried, if there are any."""
    return f"Of {total + omitted} claims, {total} {'was' if total == 1 else 'were'} tried. " if omitted else ""


def _rest(badge_counts: Mapping[str, int]) -> str:
    words = [f"{number} {_are(number)} {badge}" for badge, number in badge_counts.items() if number]
    return ", ".join(word for word in words if not word.endswith("confirmed"))


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def headline(claims: Sequence[Claim], omitted: int = 0) -> str:
    """The claims of a paper in one sentence: how many are confirmed, near, mixed, and opposite.

    `omitted` is the number of claims that were not tried.
    """
    if not badged(claims):
        return ", ".join(f"{number} {verdict}" for verdict, number in counts(claims).items() if number) + "."
    badge_counts = badges(claims)
    total, confirmed = sum(badge_counts.values()), badge_counts["confirmed"]
    if total < 2:
        return of_figure(claims, omitted)
    clauses = [f"Of {total} claims, {confirmed} {_are(confirmed)} confirmed"]
    words = {
        "near": "{} nearly (the order is as claimed, but a number or a few of the tested settings are missed)",
        "mixed": "{} in part",
        "opposite": "of {} the reverse is found, or nothing near it",
    }
    clauses += [text.format(badge_counts[badge]) for badge, text in words.items() if badge_counts[badge]]
    sentence = ", ".join(clauses[:-1]) + ", and " + clauses[-1] if len(clauses) > 1 else clauses[0]
    return f"{_tried(total, omitted)}{sentence}."


def as_printed(claims: Iterable[Claim]) -> str:
    """A sentence on the claims that are confirmed in the set-up as printed; empty if none was decided in it."""
    counting = [claim for claim in claims if counted(claim)]
    if not any(claim.get("printed") for claim in counting):
        return ""
    verdicts = [(claim.get("printed") or claim)["verdict"] for claim in counting]
    decidable = [verdict for verdict in verdicts if verdict != "not comparable"]
    held = decidable.count("confirmed")
    return f"In the set-up as printed, {held} of {len(decidable)} {_are(held)} confirmed."


def messages(ids: Iterable[str], claims: Iterable[Claim]) -> list[Claim]:
    """The claims with these ids that were decided, in this order: the main messages of a paper."""
    claim_of = {claim["id"]: claim for claim in claims if not claim.get("reading")}
    return [claim_of[id_] for id_ in ids if id_ in claim_of]


def by_distance(claim: Claim) -> tuple[int, float]:
    """A key that sorts claims by badge, best first, and then by their median miss."""
    badge, distance = claim.get("badge"), claim.get("distance")
    order = list(BADGES).index(badge) if badge in BADGES else len(BADGES)
    if not counted(claim):
        order = len(BADGES) + 1
    return order, distance["median"] / NEAR[distance["unit"]] if distance else math.inf
