"""Figure 2.13: the variance of the queue against PSAND's factor and power (Section 2.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.factors import study
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """How it goes with each, and what the text says of Figures 2.12 and 2.13 together."""
    coefs, gammas, flows = table.axis("coef"), table.axis("gamma"), table.axis("flows")

    def of(metric: str, coef: float, gamma: float, n: int) -> Sample:
        return table(metric, coef=coef, gamma=gamma, flows=n)

    yield Claim(
        id="fig2.13/c1",
        says="the variance falls with the factor and rises with the power",
        expected="for every N and power; for every N and factor above 1",
        holds=all_of(
            *(
                judge.falling([of("VQS", c, g, n) for c in coefs]).at(f"{n} flows, power {g:g}")
                for g in gammas
                for n in flows
            ),
            *(
                judge.rising([of("VQS", c, g, n) for g in gammas]).at(f"{n} flows, factor {c:g}")
                for c in coefs
                if c > 1
                for n in flows
            ),
        ),
    )
    yield Claim(
        id="fig2.12-13/c3",
        says="with a factor above 1 mean and variance are below the adaptive REDs'",
        expected="AQS and VQS for any power and N",
        holds=judge.sweep(
            (of(metric, c, g, n) < table(metric, scheme=s, flows=n)).at(f"{metric}, {s}, {n} flows, {c:g}, {g:g}")
            for metric in ("AQS", "VQS")
            for s in ("Feng", "Floyd")
            for n in flows
            for c in coefs
            if c > 1
            for g in gammas
        ),
    )
    near = [(c, g) for c in coefs for g in gammas if (c >= 1.5 and g <= 1) or (c, g) == (1.75, 1.5)]
    yield Claim(
        id="fig2.12-13/c3",
        says="so it is with powers up to 1 and factors from 1.5 on, and with the thesis' own pair",
        expected="AQS and VQS for these at every N",
        holds=judge.sweep(
            (of(metric, c, g, n) < table(metric, scheme=s, flows=n)).at(f"{metric}, {s}, {n} flows, {c:g}, {g:g}")
            for metric in ("AQS", "VQS")
            for s in ("Feng", "Floyd")
            for n in flows
            for c, g in near
        ),
        reading="powers up to 1, factors from 1.5 on, and (1.75, 1.5)",
    )
    above = [c for c in coefs if c >= 1]
    middle, top = above[len(above) // 2], above[-1]
    yield Claim(
        id="fig2.12-13/c4",
        says="mean and variance converge as the factor grows, and sooner for a smaller power",
        expected=f"changes from factor 1 to {middle:g} above those to {top:g}; the latter smaller at the least power",
        holds=all_of(
            condition.at(f"{metric}, {n} flows")
            for metric in ("AQS", "VQS")
            for n in flows
            for condition in (
                abs(of(metric, 1, gammas[0], n) - of(metric, middle, gammas[0], n))
                > abs(of(metric, middle, gammas[0], n) - of(metric, top, gammas[0], n)),
                abs(of(metric, middle, gammas[0], n) - of(metric, top, gammas[0], n))
                < abs(of(metric, middle, gammas[-1], n) - of(metric, top, gammas[-1], n)),
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """A panel for each number of flows."""
    return panels.draw(
        shown, [panels.Panel("coef", "VQS", "gamma", {"flows": n}, f"{n} flows") for n in shown.axis("flows")]
    )
