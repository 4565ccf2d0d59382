"""Table 1.2: the policy of each scheme (Section 1.5)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.laws.catalog import find_scheme
from penstock.papers.alemu_2004.registry import NAMES
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Labels, Table

__all__ = ["claims", "rows"]


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """Whether each scheme is there with its law in words."""
    return [({"scheme": name}, {"law": float("# Law\n" in find_scheme(ours).doc)}) for name, ours in NAMES.items()]


def claims(table: Table) -> Iterator[Claim]:
    """All are there."""
    yield Claim(
        id="tab1.2/c1",
        says="each scheme of the table is there, with its policy",
        expected="17 schemes, each with the section of its law that `penstock explain` shows",
        holds=all_of((table("law", scheme=name) >= 1.0).at(name) for name in NAMES),
        must_hold=True,
    )
