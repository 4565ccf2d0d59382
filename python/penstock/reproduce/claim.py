"""What a published work claims, and what runs say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.results.sample import Condition, Finding

__all__ = ["VERDICTS", "Claim", "Decided", "by_claim", "counts", "decide", "not_comparable"]

VERDICTS = ("confirmed", "contradicted", "inconclusive", "not comparable")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of a work as a condition on runs.

    Attributes:
        id: as in the list of the work's claims.
        says: the claim in words.
        expected: the number or the inequality with its tolerance, as text.
        holds: what decides it.
        must_hold: whether a reproduction fails when it is not confirmed.
        because: the reason found for a claim that is contradicted, and the experiment whose runs show it.
        reading: which other reading of the work's text this is; such a claim is shown and does not count.

    """

    id: str
    says: str
    expected: str
    holds: Condition
    must_hold: bool = False
    because: str = ""
    reading: str = ""


@dataclass(frozen=True)
class Decided:
    """A claim with what came out."""

    claim: Claim
    finding: Finding

    @property
    def failed(self) -> bool:
        """Whether it must hold and is not confirmed."""
        return self.claim.must_hold and self.finding.verdict != "confirmed"

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of `reproduce`."""
        measured = self.finding.measured
        claim = self.claim
        extra = {"reading": claim.reading, "because": claim.because}
        return {
            "id": claim.id,
            "says": claim.says,
            "expected": claim.expected,
            "measured": None if measured is None else _rounded(measured.mean),
            "ci95": None if measured is None or measured.ci95 is None else [_rounded(end) for end in measured.ci95],
            "runs": 0 if measured is None else measured.runs,
            "verdict": self.finding.verdict,
            "why": self.finding.why,
            "must_hold": claim.must_hold,
            **{name: text for name, text in extra.items() if text},
        }


def not_comparable(reason: str) -> Condition:
    """A claim that no run can decide, with the reason in one line."""
    return Condition(lambda: Finding("not comparable", None, reason))


def decide(claims: Iterable[Claim]) -> list[Decided]:
    """Decide each."""
    return [Decided(claim, claim.holds.decide()) for claim in claims]


def counts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many claims of the JSON have each verdict; other readings do not count."""
    found = [claim["verdict"] for claim in claims if not claim.get("reading")]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


def by_claim(claims: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The claims of the JSON by their ids, the main reading of each before the others."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        found.setdefault(claim["id"], []).append(claim)
    return {id_: sorted(readings, key=lambda claim: bool(claim.get("reading"))) for id_, readings in found.items()}


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
