"""Conditions on runs: a finding with its verdict and its parts, and several conditions as one.

Each comparison has a confidence interval that misses the mean with probability `alpha`, and several comparisons in one
condition keep that probability together. If k of n conditions are required, k of them at `alpha / (n - k + 1)` confirm
the whole, and n - k + 1 of them at `alpha / k` contradict it (Y. Benjamini and R. Heller, Screening for Partial
Conjunction Hypotheses, Biometrics 64, 2008). If all n are required, the separate intervals at `alpha` confirm the whole
(R. L. Berger, Multiparameter Hypothesis Testing and Acceptance Sampling, Technometrics 24, 1982), but a single part
contradicts it only by its interval at `alpha / n`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from penstock.results.estimate import ALPHA, Estimate

__all__ = ["Condition", "ConditionPart", "Finding", "Verdict", "all_of", "any_of", "most_of"]

Verdict = Literal["confirmed", "contradicted", "inconclusive", "not comparable"]


@dataclass(frozen=True)
class ConditionPart:
    """One comparison of a condition, with its own verdict.

    Attributes:
        verdict: the verdict on this comparison.
        is_on_claimed_side: whether the mean lies on the claimed side of no difference; None if no side is claimed.
        distance_percent: distance of the mean from the bound or printed number, in per cent of it; 0 for a mean on the
            right side of its bound, None if it is unknown.
        distance_in_tolerances: distance of the mean from a printed number in units of its tolerance; None without one.

    """

    verdict: Verdict
    is_on_claimed_side: bool | None = None
    distance_percent: float | None = None
    distance_in_tolerances: float | None = None


@dataclass(frozen=True)
class Finding:
    """A verdict, the number that decided it with its interval, the reason in a line, and the comparisons behind it."""

    verdict: Verdict
    measured: Estimate | None
    why: str
    parts: tuple[ConditionPart, ...] = ()

    @property
    def comparisons(self) -> tuple[ConditionPart, ...]:
        """The parts; a finding without parts counts as one part."""
        return self.parts or (ConditionPart(self.verdict),)


@dataclass(frozen=True, eq=False)
class Condition:
    """A statement about runs, decided by their numbers.

    Attributes:
        finding_at_alpha: gives the finding from intervals that miss their mean with this probability.
        margin: distance from being refuted, in units of its bound; the smallest decides among several.

    """

    finding_at_alpha: Callable[[float], Finding]
    margin: float = math.inf

    def decide(self) -> Finding:
        """The finding from 95 % intervals."""
        return self.finding_at_alpha(ALPHA)

    def with_finding_change(self, change: Callable[[Finding], Finding]) -> Condition:
        """The same condition with a change of its finding."""
        return replace(self, finding_at_alpha=lambda alpha: change(self.finding_at_alpha(alpha)))

    def at(self, where: str) -> Condition:
        """The same condition, labelled with the place where it applies: `at("N = 16")`."""
        return self.with_finding_change(lambda finding: replace(finding, why=f"{where}: {finding.why}"))

    def __bool__(self) -> bool:
        raise TypeError("a condition has no truth value before it is decided; combine several with all_of or any_of")


def all_of(*conditions: Condition | Iterable[Condition]) -> Condition:
    """All conditions hold: contradicted if one of them is, confirmed if all are."""
    parts = _flat(conditions)
    return _joined(parts, len(parts))


def any_of(*conditions: Condition | Iterable[Condition]) -> Condition:
    """At least one condition holds; together they count as one comparison."""
    return _joined(_flat(conditions), 1).with_finding_change(_as_one)


def most_of(share: float, *conditions: Condition | Iterable[Condition]) -> Condition:
    """At least this fraction of the conditions holds, from 0 to 1."""
    parts = _flat(conditions)
    return _joined(parts, math.ceil(share * len(parts) - 1e-9))


def _flat(conditions: Iterable[Condition | Iterable[Condition]]) -> list[Condition]:
    flat: list[Condition] = []
    for item in conditions:
        flat += [item] if isinstance(item, Condition) else _flat(item)
    return flat


def _joined(parts: list[Condition], need: int) -> Condition:
    if not parts:
        raise ValueError("there are no conditions to decide")
    spare = len(parts) - need + 1

    def at_level(alpha: float) -> Finding:
        own = [part.finding_at_alpha(alpha) for part in parts]
        if len(parts) == 1:
            return own[0]
        sure = own if spare == 1 else [part.finding_at_alpha(alpha / spare) for part in parts]
        wide = own if need <= 1 else [part.finding_at_alpha(alpha / need) for part in parts]
        findings = [_adjusted(*three) for three in zip(own, sure, wide, strict=True)]
        verdicts = [each.verdict for each in findings]
        held, refuted = verdicts.count("confirmed"), verdicts.count("contradicted")
        verdict: Verdict = "confirmed" if held >= need else "contradicted" if refuted >= spare else "inconclusive"
        spoken = _representative(findings, parts, verdict)
        requirement = "" if need == len(parts) else f", {need} required"
        comparisons = tuple(part for each in findings for part in each.comparisons)
        why = f"{held} of {len(parts)} confirmed{requirement}; {spoken.why}"
        return Finding(verdict, spoken.measured, why, comparisons)

    return Condition(at_level, min(part.margin for part in parts))


def _adjusted(own: Finding, sure: Finding, wide: Finding) -> Finding:
    """The finding of one of several: confirmed only if `sure` is, too; contradicted only if `wide` is, too."""
    verdict = _agreed(own.verdict, sure.verdict, wide.verdict)
    parts = (
        replace(each, verdict=_agreed(each.verdict, safe.verdict, wider.verdict))
        for each, safe, wider in zip(own.comparisons, sure.comparisons, wide.comparisons, strict=True)
    )
    return replace(own, verdict=verdict, parts=tuple(parts))


def _agreed(own: Verdict, sure: Verdict, wide: Verdict) -> Verdict:
    other = sure if own == "confirmed" else wide if own == "contradicted" else own
    return own if other == own else "inconclusive"


def _representative(findings: list[Finding], parts: list[Condition], verdict: Verdict) -> Finding:
    """Among the findings with this verdict, the one with the smallest margin; among all if none has it."""
    margins = [part.margin if part.margin == part.margin else -math.inf for part in parts]
    same = [i for i, each in enumerate(findings) if each.verdict == verdict] or range(len(findings))
    return findings[min(same, key=margins.__getitem__)]


def _as_one(finding: Finding) -> Finding:
    """The parts of a finding as one part, with the order and the distance of the best."""
    ordered = [part.is_on_claimed_side for part in finding.comparisons if part.is_on_claimed_side is not None]
    best = ConditionPart(
        finding.verdict,
        any(ordered) if ordered else None,
        min((part.distance_percent for part in finding.comparisons if part.distance_percent is not None), default=None),
        min(
            (part.distance_in_tolerances for part in finding.comparisons if part.distance_in_tolerances is not None),
            default=None,
        ),
    )
    return replace(finding, parts=(best,))
