"""Figure 2.13: the variance of the queue against PSAND's factor and power (Section 2.4.3)."""

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.factors import ANY, study
from penstock.papers.alemu_2004.judge import falls, rises, swept
from penstock.papers.alemu_2004.setup import AQS, AREDS, VQS
from penstock.reproduce.figure import Claim, Table, above, at_least, at_most, by_table, every
from penstock.results.sample import Condition, Sample, all_of

__all__ = ["CLAIMS", "draw", "study"]


def _converge(table: Table) -> Condition:
    """Changes from factor 1 to the middle one above those to the largest, which are smaller at the least power."""
    factors, gammas = [c for c in table.axis("coef") if c >= 1], table.axis("gamma")
    middle, top = factors[len(factors) // 2], factors[-1]

    def change(metric: str, first: float, second: float, gamma: float, n: int) -> Sample:
        a, b = (table(metric, coef=coef, gamma=gamma, flows=n) for coef in (first, second))
        return abs(a - b)

    return all_of(
        condition.at(f"{metric}, {n} flows")
        for metric in ("AQS", "VQS")
        for n in table.axis("flows")
        for condition in (
            change(metric, 1, middle, gammas[0], n) > change(metric, middle, top, gammas[0], n),
            change(metric, middle, top, gammas[0], n) < change(metric, middle, top, gammas[-1], n),
        )
    )


CLAIMS = (
    Claim(
        "fig2.13/c1",
        "the variance falls with the factor and rises with the power",
        every(falls(VQS(**ANY), "coef"), rises(VQS(coef=above(1), gamma=above(0)), "gamma")),
    ),
    Claim(
        "fig2.12-13/c3",
        "with a factor above 1 mean and variance are below the adaptive REDs'",
        swept(every(*(q(coef=above(1), gamma=above(0)) < q(scheme=AREDS) for q in (AQS, VQS)))),
    ),
    Claim(
        "fig2.12-13/c3",
        "so it is with powers up to 1 and factors from 1.5 on, and with the thesis' own pair",
        swept(
            every(
                *(q(coef=at_least(1.5), gamma=at_most(1)) < q(scheme=AREDS) for q in (AQS, VQS)),
                *(q(coef=1.75, gamma=1.5) < q(scheme=AREDS) for q in (AQS, VQS)),
            )
        ),
        reading="powers up to 1, factors from 1.5 on, and (1.75, 1.5)",
    ),
    Claim(
        "fig2.12-13/c4",
        "mean and variance converge as the factor grows, and sooner for a smaller power",
        by_table(
            _converge,
            "changes from factor 1 to the middle one above those to the largest; the latter smaller at the least power",
        ),
    ),
)

draw = panels.for_each_load("coef", "VQS", "gamma")
