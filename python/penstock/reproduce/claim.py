"""The claims of a published work, and the verdicts of runs on them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError, nearest
from penstock.files import read_toml
from penstock.reproduce.choice import Range, Readings
from penstock.reproduce.statement import Statement
from penstock.results.sample import Condition, Finding
from penstock.results.table import Table

__all__ = [
    "VERDICTS",
    "Claim",
    "Decided",
    "by_claim",
    "claims_of",
    "counts",
    "decide",
    "in_cells",
    "needing",
    "not_comparable",
    "on",
    "read_as",
]

VERDICTS = ("confirmed", "contradicted", "inconclusive", "not comparable")


@dataclass(frozen=True)
class Claim:
    """A claim of a work as a condition on runs.

    Attributes:
        id: as in the list of the work's claims.
        says: the claim in the work's words.
        holds: the condition that decides it: a `Statement`, or on a table a `Condition`.
        expected: the number or inequality with its tolerance, as text; empty for that of each statement.
        must_hold: a reproduction fails unless the claim, as it is read first, is confirmed.
        because: the reason found for a claim that is contradicted, and the experiment whose runs show it.
        reading: another way to read the work's text; such a claim is shown and does not count.
        needs: labels that a cell of the table has where the claim can be decided; else it is left out. So claims about
            settled flows are left out of a quick reproduction.
        others: other readings, with the statement of each.

    """

    id: str
    says: str
    holds: Condition | Statement
    expected: str = ""
    must_hold: bool = False
    because: str = ""
    reading: str = ""
    needs: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Statement] = field(default_factory=dict)

    @property
    def statement(self) -> Statement:
        """Its condition, before there is a table."""
        assert isinstance(self.holds, Statement)
        return self.holds

    def __call__(self, **labels: Any) -> Claim:
        """The claim in the cells with these labels, where its statements do not have them."""
        others = {words: holds(**labels) for words, holds in self.others.items()}
        return replace(self, holds=self.statement(**labels), others=others)

    def replaced(self, old: Readings, new: Any) -> Claim:
        """The claim with one value in place of the readings."""
        others = {words: holds.replaced(old, new) for words, holds in self.others.items()}
        return replace(self, holds=self.statement.replaced(old, new), others=others)

    def on(self, table: Table) -> Iterator[Claim]:
        """One claim for each reading, each with a condition on the table."""
        if self.needs and not table.has(**self.needs):
            return
        yield from self._readings(table)
        for words, holds in self.others.items():
            yield from replace(self, holds=holds, because="")._readings(table, words)

    def _readings(self, table: Table, other: str = "") -> Iterator[Claim]:
        if isinstance(self.holds, Condition):
            yield self
            return
        for holds, words in _read(self.holds, table):
            reading = _joined(self.reading, words, other)
            yield replace(
                self,
                holds=holds.on(table),
                expected=self.expected or holds.text,
                reading=reading,
                must_hold=self.must_hold and not (words or other),
                because="" if words else self.because,
                others={},
            )


def claims_of(setup: str) -> Callable[..., Claim]:
    """A function that makes the claims of a work in the words of its `claims.toml`.

    After `claim = claims_of(__file__)` in `setup.py`, `claim("c10", holds, ...)` is `Claim("c10", SAYS, holds, ...)`
    with the sentence that the list has for `c10`. Raises `PenstockError` if it has none.
    """
    file = Path(setup).with_name("claims.toml")
    says: Mapping[str, str] = read_toml(file)

    def claim(id: str, holds: Condition | Statement, expected: str = "", **more: Any) -> Claim:
        if id not in says:
            raise PenstockError(f"{file}: no claim {id}{nearest(id, says)}")
        return Claim(id, says[id], holds, expected, **more)

    return claim


def on(claims: Iterable[Claim], table: Table) -> list[Claim]:
    """All readings of claims, each with a condition on the table."""
    return [one for claim in claims for one in claim.on(table)]


def needing(labels: Mapping[str, Any], *claims: Claim) -> tuple[Claim, ...]:
    """Claims that are left out of a table of which no cell has these labels."""
    return tuple(replace(claim, needs={**labels, **claim.needs}) for claim in claims)


def in_cells(labels: Mapping[str, Any], *claims: Claim) -> tuple[Claim, ...]:
    """Claims in the cells with these labels, where their statements do not have them."""
    return tuple(claim(**labels) for claim in claims)


def read_as(reading: str, claims: Iterable[Claim], /, **labels: Any) -> Iterator[Claim]:
    """Claims as another reading of them, in the cells with these labels: of runs with something changed."""
    for claim in claims:
        yield replace(claim(**labels), must_hold=False, because="", reading=_joined(reading, claim.reading))


def _read(holds: Statement, table: Table) -> Iterator[tuple[Statement, str]]:
    """A statement in each of its readings, and the words of that reading."""
    found = holds.readings()
    for chosen in itertools.product(*(readings.words.items() for readings in found)):
        own = holds
        for readings, (value, _) in zip(found, chosen, strict=True):
            own = own.replaced(readings, value)
        words = _joined(*(words for _, words in chosen))
        if not words or all(_there(value, table) for value, _ in chosen):
            yield own, words


def _there(value: Any, table: Table) -> bool:
    """Whether a value is in a table, as those of further readings need not be in a quick reproduction."""
    return isinstance(value, (Range, list, tuple)) or any(value in labels.values() for labels, _ in table.cells)


def _joined(*words: str) -> str:
    return "; ".join(filter(None, words))


@dataclass(frozen=True)
class Decided:
    """A claim with its finding."""

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
    """Decide claims that have conditions."""
    found = []
    for claim in claims:
        assert isinstance(claim.holds, Condition)
        found.append(Decided(claim, claim.holds.decide()))
    return found


def counts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of claims of the JSON with each verdict; other readings do not count."""
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
