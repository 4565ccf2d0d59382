"""Why claims of chapter 1 are contradicted: each with one thing changed in all runs."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.papers.alemu_2004 import why
from penstock.papers.alemu_2004.changes import CITED
from penstock.papers.alemu_2004.why import draw
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.table import Table

__all__ = ["claims", "draw", "table"]


def table(effort: Effort) -> Table:
    """Verdicts by claim and change."""
    return why.table(effort, "why-1", changes=CITED)


def claims(found: Table) -> Iterator[Claim]:
    """What makes each hold."""
    return why.claims(found, "why-1")
