"""The end of chapter 3: a Max that moves far from twice the target does harm (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.tab3_3 import study
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.table import Table

__all__ = ["claims", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Methods 1 and 2, whose Max is near the target and near the buffer, against the fixed one."""
    yield Claim(
        id="ch3/c1",
        says="a very small or a very large Max makes the queue longer and less steady than one about twice the target",
        expected="103 flows: AQS and VQS of methods 1 and 2 above those of (0, 20)",
        holds=all_of(
            (table(metric, method=method, flows=103) > table(metric, method="none", flows=103)).at(
                f"{metric}, {method}"
            )
            for metric in ("AQS", "VQS")
            for method in ("max-down", "max-up")
        ),
    )
