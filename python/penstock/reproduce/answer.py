"""Short answers to "does it still hold?": of a figure, of a work, and of its main messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock.reproduce.assessment import BADGES, NEAR
from penstock.reproduce.claim import badged, badges, counted, counts

__all__ = ["by_distance", "headline", "messages", "of_figure"]

Claim = Mapping[str, Any]


def of_figure(claims: Iterable[Claim]) -> str:
    """One sentence on the claims that a figure decides; empty if it decides none, or if they have no badges."""
    claims = list(claims)
    if not badged(claims):
        return ""
    found = badges(claims)
    total, held = sum(found.values()), found["confirmed"]
    if not total:
        return ""
    if held == total:
        return "Yes: its claim holds." if total == 1 else f"Yes: all {total} claims hold."
    rest = _rest(found)
    if held + found["near"] == total:
        return f"Nearly: {held} of {total} claims hold, {rest}." if total > 1 else "Nearly: its claim is near."
    if found["opposite"] == total:
        return "No: the reverse is found, or nothing near it."
    return f"In part: {held} of {total} claims hold, {rest}." if total > 1 else "In part: its claim is mixed."


def _rest(found: Mapping[str, int]) -> str:
    words = [f"{number} {'is' if number == 1 else 'are'} {badge}" for badge, number in found.items() if number]
    return ", ".join(word for word in words if not word.endswith("confirmed"))


def headline(claims: Sequence[Claim]) -> str:
    """The claims of a work in one sentence: how many hold, are near, hold in part, and do not."""
    if not badged(claims):
        return ", ".join(f"{number} {verdict}" for verdict, number in counts(claims).items() if number) + "."
    found = badges(claims)
    total = sum(found.values())
    if total < 2:
        return of_figure(claims)
    said = [f"Of {total} claims, {found['confirmed']} hold as printed"]
    words = {
        "near": "{} nearly (the order is found, a number or a few of the tested settings are missed)",
        "mixed": "{} in part",
        "opposite": "of {} the reverse is found, or nothing near it",
    }
    said += [text.format(found[badge]) for badge, text in words.items() if found[badge]]
    return (", ".join(said[:-1]) + ", and " + said[-1] if len(said) > 1 else said[0]) + "."


def messages(ids: Iterable[str], claims: Iterable[Claim]) -> list[Claim]:
    """The claims with these ids that were decided, in this order: the main messages of a work."""
    known = {claim["id"]: claim for claim in claims if not claim.get("reading")}
    return [known[id_] for id_ in ids if id_ in known]


def by_distance(claim: Claim) -> tuple[int, float]:
    """A key that sorts claims by badge, best first, and then by their median miss."""
    badge, distance = claim.get("badge"), claim.get("distance")
    order = list(BADGES).index(badge) if badge in BADGES else len(BADGES)
    if not counted(claim):
        order = len(BADGES) + 1
    return order, distance["median"] / NEAR[distance["unit"]] if distance else math.inf
