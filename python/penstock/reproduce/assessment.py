"""Assessment of a claim in addition to its strict verdict: parts, direction, distance, and one of four badges."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from penstock.results.condition import ConditionPart, Finding

__all__ = ["BADGES", "assessment_fields", "assessment_in_words", "badge_rule", "deciding_part"]

BADGES = {
    "confirmed": "as claimed",
    "near": "the order is found, or nearly all parts; some number or cell is missed",
    "mixed": "part of it is found, or all of it is missed by a moderate amount",
    "opposite": "the reverse is found, or nothing near it",
}
"""The badges, best first, each with its meaning."""

SAME, MOSTLY, OPPOSITE = 0.9, 0.6, 0.25
"""Shares of the ordered parts with the claimed sign from which a direction is the same or mostly the same, and up to
which it is opposite."""
NEAR_PARTS = 0.75
"""Share of confirmed parts from which a claim is near, if its order does not contradict it."""
NEAR, FAR = {"tolerances": 2.0, "%": 10.0}, {"tolerances": 4.0, "%": 50.0}
"""Median distance up to which a claim is near, if none of its parts is beyond FAR; beyond it the claim is opposite."""


def assessment_fields(finding: Finding) -> dict[str, Any]:
    """The fields of a claim's JSON that follow from the parts of its finding.

    `parts` has the number that hold, are undecided and are refuted, and all; `direction` is "same" (90 % of the parts
    with an order have the claimed sign), "mostly" (60 %), "mixed" or "opposite" (25 % or less), None where fewer than
    half of the parts have an order; `distance` has the median and the worst miss, in tolerances of printed numbers, or
    else in per cent of the bound.
    """
    if finding.verdict == "not comparable":
        return {"parts": None, "direction": None, "distance": None, "badge": None}
    comparisons = finding.comparisons
    verdicts = [part.verdict for part in comparisons]
    held, refuted = verdicts.count("confirmed"), verdicts.count("contradicted")
    parts = {
        "held": held,
        "undecided": len(comparisons) - held - refuted,
        "refuted": refuted,
        "total": len(comparisons),
    }
    direction, distance = _direction(comparisons), _distance(comparisons)
    badge, _ = _badge(finding.verdict, parts, direction, distance)
    return {"parts": parts, "direction": direction, "distance": distance, "badge": badge}


def _direction(parts: Sequence[ConditionPart]) -> str | None:
    signs = [part.is_on_claimed_side for part in parts if part.is_on_claimed_side is not None]
    if 2 * len(signs) < len(parts) or not signs:
        return None
    share = sum(signs) / len(signs)
    return "same" if share >= SAME else "mostly" if share >= MOSTLY else "opposite" if share <= OPPOSITE else "mixed"


def _distance(parts: Sequence[ConditionPart]) -> dict[str, Any] | None:
    """The median and the largest miss; in tolerances if every part has one."""
    units = [part.distance_in_tolerances for part in parts if part.distance_in_tolerances is not None]
    if len(units) == len(parts):
        return _spread(units, "tolerances")
    shares = [
        part.distance_percent
        for part in parts
        if part.distance_percent is not None and math.isfinite(part.distance_percent)
    ]
    return _spread(shares, "%") if shares else None


def _spread(misses: Sequence[float], unit: str) -> dict[str, Any]:
    median, worst = (float(f"{value:.3g}") for value in (statistics.median(misses), max(misses)))
    return {"median": median, "worst": worst, "unit": unit}


def _badge(
    verdict: str, parts: Mapping[str, int], direction: str | None, distance: Mapping[str, Any] | None
) -> tuple[str, str]:
    """The badge, and the rule from which it follows in words."""
    if verdict == "confirmed":
        return "confirmed", "every part holds"
    share = parts["held"] / parts["total"]
    if direction == "opposite" and share < 0.5:
        return "opposite", "the order is the reverse, and fewer than half of the parts hold"
    if direction == "same":
        return "near", "the order is as claimed"
    if distance is not None and distance["median"] > FAR[distance["unit"]]:
        return "opposite", f"{_typical(distance)} is above {_limit(FAR, distance)}"
    if distance is None and parts["refuted"] == parts["total"]:
        return "opposite", "every part is refuted"
    if direction in ("mixed", "opposite"):
        return "mixed", "the order is as claimed in some parts, and the reverse in others"
    if share >= NEAR_PARTS:
        return "near", f"at least {NEAR_PARTS:.0%} of the parts hold".replace("%", " %")
    if distance is not None and distance["median"] <= NEAR[distance["unit"]]:
        if not _far_off(distance):
            return "near", f"{_typical(distance)} is at most {_limit(NEAR, distance)}"
        return "mixed", f"the largest miss is above {_limit(FAR, distance)}"
    return "mixed", f"fewer than {NEAR_PARTS:.0%} of the parts hold".replace("%", " %") if distance is None else (
        f"{_typical(distance)} is above {_limit(NEAR, distance)}"
    )


def badge_rule(claim: Mapping[str, Any]) -> str:
    """The rule from which the badge of a claim follows; empty if it is confirmed, or its parts are not recorded."""
    if not claim.get("parts") or claim["verdict"] == "confirmed":
        return ""
    badge, words = _badge(claim["verdict"], claim["parts"], claim.get("direction"), claim.get("distance"))
    return words if badge == claim["badge"] else ""


def _typical(distance: Mapping[str, Any]) -> str:
    return "the miss" if distance["median"] == distance["worst"] else "the median miss"


def _limit(limits: Mapping[str, float], distance: Mapping[str, Any]) -> str:
    return f"{limits[distance['unit']]:g} {distance['unit']}"


def _far_off(distance: Mapping[str, Any]) -> bool:
    return bool(distance["worst"] > FAR[distance["unit"]])


def assessment_in_words(claim: Mapping[str, Any]) -> str:
    """The parts, direction and distance of a claim in words: "61 of 63 parts confirmed; order as claimed"."""
    parts, distance = claim.get("parts"), claim.get("distance")
    if not parts:
        return ""
    clauses = [f"{parts['held']} of {parts['total']} parts confirmed"] if parts["total"] > 1 else []
    clauses += [f"{parts['undecided']} undecided"] if clauses and parts["undecided"] else []
    order = {"same": "as claimed", "mostly": "mostly as claimed", "mixed": "mixed", "opposite": "the reverse"}
    clauses += [f"order {order[claim['direction']]}"] if claim.get("direction") else []
    clauses += [_miss(distance, parts["total"])] if distance and distance["worst"] else []
    return "; ".join(clauses)


def _miss(distance: Mapping[str, Any], total: int) -> str:
    unit = " tolerances" if distance["unit"] == "tolerances" else " %"
    if total == 1:
        return f"off by {distance['worst']:g}{unit}"
    median = f"{distance['median']:g}{unit} in the median, " if distance["median"] else ""
    return f"off by {median}{distance['worst']:g}{unit} at worst"


def deciding_part(claim: Mapping[str, Any]) -> str:
    """The part of a claim that decides it, with its numbers: the end of `why`, without the number of parts."""
    return re.sub(r"^(\d+ of \d+ confirmed; )+", "", claim["why"])
