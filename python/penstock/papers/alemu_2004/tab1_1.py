"""Table 1.1: congestion index, drop function and target of each scheme (Section 1.5)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.catalog import find_scheme
from penstock.claims import Claim, not_comparable
from penstock.papers.alemu_2004.registry import AVERAGE, NAMES, TARGET
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Labels, Table

__all__ = ["claims", "rows"]


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """Whether each scheme averages the queue, and has a target as a parameter."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for name, ours in NAMES.items():
        names = {param.name for param in find_scheme(ours).params}
        found.append(({"scheme": name}, {"average": float("w_q" in names), "target": float("target" in names)}))
    return found


def claims(table: Table) -> Iterator[Claim]:
    """What the registry can tell."""
    yield Claim(
        id="tab1.1/c1",
        says="the registry equals the table",
        expected="all columns of the table",
        holds=not_comparable("the registry has prose and parameters instead of the table's columns"),
    )
    yield Claim(
        id="tab1.1/c1",
        says="the registry equals the table",
        expected="w_q where the congestion index is AQS; target where the table has one that is set",
        holds=all_of(
            (abs(table(column, scheme=name) - float(name in having)) <= 0.0).at(f"{name}, {column}")
            for column, having in (("average", AVERAGE), ("target", TARGET))
            for name in NAMES
        ),
        reading="two columns, by parameters",
    )
