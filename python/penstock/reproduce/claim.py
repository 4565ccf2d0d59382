"""Claims of a paper, and verdicts on them from runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError, did_you_mean
from penstock.files import read_toml
from penstock.reproduce.assessment import BADGES, assessment_fields
from penstock.reproduce.label_values import Readings, ValueRange
from penstock.reproduce.statement import Statement
from penstock.results.condition import Condition, Finding
from penstock.results.table import Table

__all__ = [
    "GRADES",
    "VERDICTS",
    "Claim",
    "DecidedClaim",
    "claim_factory",
    "claims_if_measured",
    "claims_in_cells",
    "claims_on_table",
    "claims_under_reading",
    "count_badges",
    "count_verdicts",
    "decide_claims",
    "have_badges",
    "is_counted",
    "not_comparable",
    "readings_by_claim",
]

VERDICTS = ("confirmed", "contradicted", "inconclusive", "not comparable")

GRADES = {
    "full": "shown by runs of the full sweep",
    "part": "shown by runs of part of the sweep",
    "after": "found after the failure, not tested by runs of its own",
    "none": "no reason found",
}
"""Grades of the reason why a claim is not confirmed, best first."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper as a condition on runs.

    Attributes:
        id: its id in `claims.toml`, or one of our own.
        says: the claim in the work's words.
        holds: the condition that decides the claim: a `Statement`, or a `Condition` once there is a table.
        expected: the asked number or inequality with its tolerance, as text; if empty, the text of the statement.
        must_hold: a reproduction fails unless the main reading of the claim is confirmed.
        reason_text: the reason why the claim is not confirmed, and the experiment whose runs show it.
        grade: how well the reason is shown, one of `GRADES`.
        conflict: where the work contradicts itself on this claim; empty if it does not.
        cannot_fail: why no run could contradict the claim; such a claim is shown, but does not count.
        reading: describes another reading of the work's text; such a claim is shown, but does not count.
        needs: labels without which the claim is left out: no cell of the table has them. Claims about settled flows are
            left out of a quick reproduction in this way.
        others: the statements of other readings, by their descriptions.
        is_partial: whether only part of it is decided, because a quick reproduction lacks cells that it names.

    """

    id: str
    says: str
    holds: Condition | Statement
    expected: str = ""
    must_hold: bool = False
    reason_text: str = ""
    grade: str = "after"
    conflict: str = ""
    cannot_fail: str = ""
    reading: str = ""
    needs: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Statement] = field(default_factory=dict)
    is_partial: bool = False

    @property
    def statement(self) -> Statement:
        """The condition as a `Statement`; only for claims that are not yet on a table."""
        assert isinstance(self.holds, Statement)
        return self.holds

    def __call__(self, **labels: Any) -> Claim:
        """The claim with these labels wherever its statements leave them open."""
        others = {words: holds(**labels) for words, holds in self.others.items()}
        return replace(self, holds=self.statement(**labels), others=others)

    def with_reading_replaced(self, old: Readings, new: Any) -> Claim:
        """The claim with `new`, one value, in place of the label value `old`, which stands for several readings."""
        others = {words: holds.with_reading_replaced(old, new) for words, holds in self.others.items()}
        return replace(self, holds=self.statement.with_reading_replaced(old, new), others=others)

    def on_table(self, table: Table) -> Iterator[Claim]:
        """One claim for each reading, each with a condition on the table."""
        if self.needs and not table.has(**self.needs):
            return
        yield from self._readings(table)
        for words, holds in self.others.items():
            yield from replace(self, holds=holds, reason_text="")._readings(table, words)

    def _readings(self, table: Table, other: str = "") -> Iterator[Claim]:
        if isinstance(self.holds, Condition):
            yield self
            return
        for holds, words in _read(self.holds, table):
            reading = _joined(self.reading, words, other)
            yield replace(
                self,
                holds=holds.on_table(table),
                expected=self.expected or holds.text,
                reading=reading,
                must_hold=self.must_hold and not (words or other),
                reason_text="" if words else self.reason_text,
                others={},
            )


def claim_factory(setup: str) -> Callable[..., Claim]:
    """A function that creates the claims of a paper in the words of its `claims.toml`.

    After `claim = claim_factory(__file__)` in `setup.py`, `claim("c10", holds, ...)` is
    `Claim("c10", SAYS, holds, ...)` with the sentence that the list has for `c10`. An entry may also be a table of
    `says`, `conflict` and `cannot_fail`.
    Raises `PenstockError` if the list has no such claim.
    """
    file = Path(setup).with_name("claims.toml")
    listed: Mapping[str, str | Mapping[str, str]] = read_toml(file)

    def claim(id: str, holds: Condition | Statement, expected: str = "", **more: Any) -> Claim:
        if id not in listed:
            raise PenstockError(f"{file}: no claim {id}{did_you_mean(id, listed)}")
        entry = listed[id]
        words = {"says": entry} if isinstance(entry, str) else entry
        return Claim(**{"id": id, "holds": holds, "expected": expected, **words, **more})

    return claim


def claims_on_table(claims: Iterable[Claim], table: Table) -> list[Claim]:
    """All readings of claims, each with a condition on the table.

    If a quick reproduction lacks cells that a claim needs, the parts that it can decide replace the claim.
    """
    return [reading for claim in claims for reading in [*claim.on_table(table)] or _possible(claim, table)]


def _possible(claim: Claim, table: Table) -> Iterator[Claim]:
    """The parts of a claim whose cells are all in the table, if the claim is a main reading and has such parts."""
    if claim.reading or isinstance(claim.holds, Condition):
        return
    main = next((own for own, words in _read(claim.statement, table) if not words), None)
    holds = None if main is None else main.possible(table)
    if holds is not None:
        part = replace(claim, holds=holds, needs={}, others={}, must_hold=False, reason_text="", is_partial=True)
        yield from (reading for reading in part.on_table(table) if not reading.reading)


def claims_if_measured(labels: Mapping[str, Any], *claims: Claim) -> tuple[Claim, ...]:
    """These claims, but each is left out of a table in which no cell has these labels."""
    return tuple(replace(claim, needs={**labels, **claim.needs}) for claim in claims)


def claims_in_cells(labels: Mapping[str, Any], *claims: Claim) -> tuple[Claim, ...]:
    """The claims, with these labels added where their statements have none."""
    return tuple(claim(**labels) for claim in claims)


def claims_under_reading(reading: str, claims: Iterable[Claim], /, **labels: Any) -> Iterator[Claim]:
    """The claims as claims of another reading, decided by the cells with these labels, e.g. with a changed setting."""
    for claim in claims:
        yield replace(claim(**labels), must_hold=False, reason_text="", reading=_joined(reading, claim.reading))


def _read(holds: Statement, table: Table) -> Iterator[tuple[Statement, str]]:
    """Each reading of a statement, with its description."""
    all_readings = holds.readings()
    for chosen in itertools.product(*(readings.words.items() for readings in all_readings)):
        own = holds
        for readings, (value, _) in zip(all_readings, chosen, strict=True):
            own = own.with_reading_replaced(readings, value)
        words = _joined(*(words for _, words in chosen))
        is_there = (
            _there(value, holds.axes_with(readings), table)
            for readings, (value, _) in zip(all_readings, chosen, strict=True)
        )
        if not words or all(is_there):
            yield own, words


def _there(value: Any, axes: Collection[str], table: Table) -> bool:
    """Whether an axis has this value in the table; a quick reproduction may lack the values of further readings."""
    return isinstance(value, (ValueRange, list, tuple)) or any(
        axis in labels and labels[axis] == value for labels, _ in table.cells for axis in axes
    )


def _joined(*words: str) -> str:
    return "; ".join(filter(None, words))


@dataclass(frozen=True)
class DecidedClaim:
    """A claim with its finding."""

    claim: Claim
    finding: Finding

    @property
    def has_failed(self) -> bool:
        """Whether the claim must hold and is not confirmed."""
        return self.claim.must_hold and self.finding.verdict != "confirmed"

    def to_dict(self) -> dict[str, Any]:
        """The claim and its verdict as `penstock reproduce --json` writes them."""
        measured = self.finding.measured
        claim = self.claim
        extra = {"reading": claim.reading, "conflict": claim.conflict, "cannot_fail": claim.cannot_fail}
        reason = {"text": claim.reason_text, "grade": claim.grade} if claim.reason_text else None
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
            **assessment_fields(self.finding),
            "partial": claim.is_partial,
            "recorded": None,
            "printed": None,
            "reason": reason,
            **{name: text for name, text in extra.items() if text},
        }


def not_comparable(reason: str) -> Condition:
    """The condition of a claim that no run can decide; `reason` says why, in one line."""
    return Condition(lambda _: Finding("not comparable", None, reason))


def decide_claims(claims: Iterable[Claim]) -> list[DecidedClaim]:
    """Decide claims whose conditions are known, i.e. claims on a table."""
    decided = []
    for claim in claims:
        assert isinstance(claim.holds, Condition)
        decided.append(DecidedClaim(claim, claim.holds.decide()))
    return decided


def count_verdicts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of claims with each verdict, in the form of the JSON."""
    verdicts = [claim["verdict"] for claim in claims if is_counted(claim)]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def count_badges(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of claims with each badge, in the form of the JSON."""
    badges_of_claims = [claim.get("badge") for claim in claims if is_counted(claim)]
    return {badge: badges_of_claims.count(badge) for badge in BADGES}


def have_badges(claims: Iterable[Mapping[str, Any]]) -> bool:
    """Whether every claim that counts has a badge or cannot be run; claims of an earlier record have no badges."""
    return all(claim.get("badge") or claim["verdict"] == "not comparable" for claim in claims if is_counted(claim))


def is_counted(claim: Mapping[str, Any]) -> bool:
    """Whether a claim in the form of the JSON counts: the main reading of one that could fail."""
    return not claim.get("reading") and not claim.get("cannot_fail")


def readings_by_claim(claims: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Claims in the form of the JSON by their ids, the main reading of each before the others."""
    readings_of: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        readings_of.setdefault(claim["id"], []).append(claim)
    return {
        id_: sorted(readings, key=lambda claim: bool(claim.get("reading"))) for id_, readings in readings_of.items()
    }


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
