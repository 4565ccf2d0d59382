"""Figure 2.12: the mean queue against PSAND's factor and power (Section 2.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.factors import study
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """How it goes with each."""
    coefs, gammas, flows = table.axis("coef"), table.axis("gamma"), table.axis("flows")
    yield Claim(
        id="fig2.12/c1",
        says="the mean queue falls with the factor",
        expected="for every N and power",
        holds=all_of(
            judge.falling([table("AQS", coef=c, gamma=g, flows=n) for c in coefs]).at(f"{n} flows, power {g:g}")
            for g in gammas
            for n in flows
        ),
    )
    yield Claim(
        id="fig2.12/c2",
        says="the mean queue rises with the power",
        expected="for every N and factor above 1",
        holds=all_of(
            judge.rising([table("AQS", coef=c, gamma=g, flows=n) for g in gammas]).at(f"{n} flows, factor {c:g}")
            for c in coefs
            if c > 1
            for n in flows
        ),
    )


def draw(shown: Shown) -> Figure:
    """A panel for each number of flows."""
    return panels.draw(
        shown, [panels.Panel("coef", "AQS", "gamma", {"flows": n}, f"{n} flows") for n in shown.axis("flows")]
    )
