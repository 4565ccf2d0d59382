"""Figures 2.12 to 2.16: PSAND's factor, power and largest max_p (Sections 2.4.3, 2.4.5)."""

from __future__ import annotations

from collections.abc import Mapping

from penstock.reproduce.figure import Claim, Curve, Exhibit, QuickOrFull, Sweep, Table, every, table_statement
from penstock.reproduce.label_values import above, at_least, at_most
from penstock.reproduce.shape import along_sweep, falls, relative_range, rises
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import panels
from .setup import ADAPTIVE, AQS, AREDS, LOADS, PLR, VQS, claim, psand, steady_flows_scenario

COEFS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3]
GAMMAS = [0.25, 0.5, 1, 1.5, 2]
FLOWS = QuickOrFull([3, 103], [3, 53, 73, 103])
ANY = {"coef": above(0), "gamma": above(0)}
"""The cells of PSAND."""
MANY = above(3)
"""Numbers of flows that count as many."""
# PSAND with each factor and power, and the adaptive REDs, whose labels are `scheme` and `flows` (guess 12).
PAIRS = Sweep(
    lambda coef, gamma, flows: steady_flows_scenario(psand(coef, gamma), flows),
    {"coef": QuickOrFull([0.5, 1, 1.75, 3], COEFS), "gamma": QuickOrFull([0.25, 1.5], GAMMAS), "flows": FLOWS},
    seeds=QuickOrFull(5, 100),
) + Sweep(
    lambda scheme, flows: steady_flows_scenario(ADAPTIVE[scheme](), flows),
    {"scheme": AREDS, "flows": FLOWS},
    seeds=QuickOrFull(5, 100),
)


fig2_12 = Exhibit(
    "Figure 2.12: the mean queue against PSAND's factor and power (Section 2.4.3)",
    claim("fig2.12/c1", falls(AQS(**ANY), "coef")),
    claim("fig2.12/c2", rises(AQS(coef=above(1), gamma=above(0)), "gamma")),
    study=PAIRS,
    draw=panels.figure_per_load("coef", "AQS", "gamma"),
)


def _converge(table: Table) -> Condition:
    """Most of the change lies below the middle factor; the change above it is smaller at the smallest power."""
    factors, gammas = [c for c in table.axis("coef") if c >= 1], table.axis("gamma")
    middle, top = factors[len(factors) // 2], factors[-1]

    def change(metric: str, first: float, second: float, gamma: float, n: int) -> RunSample:
        """Absolute difference of a metric between two factors, with the same power and number of flows."""
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


fig2_13 = Exhibit(
    "Figure 2.13: the variance of the queue against PSAND's factor and power (Section 2.4.3)",
    claim("fig2.13/c1", every(falls(VQS(**ANY), "coef"), rises(VQS(coef=above(1), gamma=above(0)), "gamma"))),
    claim(
        "fig2.12-13/c3", along_sweep(every(*(q(coef=above(1), gamma=above(0)) < q(scheme=AREDS) for q in (AQS, VQS))))
    ),
    Claim(
        "fig2.12-13/c3",
        "so it is with powers up to 1 and factors from 1.5 on, and with the thesis' own pair",
        along_sweep(
            every(
                *(q(coef=at_least(1.5), gamma=at_most(1)) < q(scheme=AREDS) for q in (AQS, VQS)),
                *(q(coef=1.75, gamma=1.5) < q(scheme=AREDS) for q in (AQS, VQS)),
            )
        ),
        reading="powers up to 1, factors from 1.5 on, and (1.75, 1.5)",
    ),
    claim(
        "fig2.12-13/c4",
        table_statement(
            _converge,
            "changes from factor 1 to the middle one above those to the largest; the latter smaller at the least power",
        ),
    ),
    study=PAIRS,
    draw=panels.figure_per_load("coef", "VQS", "gamma"),
)


def rise(curve: Curve) -> RunSample:
    """The value at the largest power minus the value at the smallest, run by run."""
    values = list(curve.values())
    return values[0] - values[-1]


more = PLR(coef=1.75, gamma=above(0)).along("gamma", rise)
fig2_14 = Exhibit(
    "Figure 2.14: losses against PSAND's factor and power (Section 2.4.3)",
    claim("fig2.14/c1", every(rises(PLR(**ANY), "coef"), falls(PLR(coef=above(1), gamma=above(0)), "gamma"))),
    claim("fig2.14/c2", more(flows=3) > more(flows=MANY)),
    claim(
        "fig2.14/c3",
        every(
            PLR(coef=3, gamma=above(0)).matches_printed(1.8, 1.3, 2.3),
            PLR(coef=3, gamma=above(0)) < 2,
            PLR(scheme=AREDS).matches_printed(0.9, 0.4, 1.4),
        )(flows=3),
    ),
    claim("fig2.14/c4", every(PLR(coef=0.5) < PLR(coef=3), AQS(coef=0.5) > AQS(coef=3))(gamma=1.5)),
    claim(
        "fig2.14/c5",
        along_sweep(every(*(q(coef=above(1), gamma=above(0)) < q(scheme=AREDS) for q in (AQS, PLR))))(flows=MANY),
    ),
    claim(
        "fig2.12-14/c6",
        every(
            *(q(coef=1, gamma=above(1)) < q(scheme=AREDS) for q in (AQS, VQS)),
            PLR(coef=1, gamma=above(1)) - PLR(scheme=AREDS) <= 0.5,
        )(flows=3),
    ),
    study=PAIRS,
    draw=panels.figure_per_load("coef", "PLR", "gamma"),
)


def max_p_bound_sweep(coef: float, gamma: float, labels: Mapping[str, str] | None = None) -> Sweep:
    """PSAND with each bound and load."""
    return Sweep(
        lambda high, flows: steady_flows_scenario(psand(coef, gamma, high), flows),
        {
            "high": QuickOrFull([0.1, 0.4, 0.7, 1.0], [i / 10 for i in range(1, 11)]),
            "flows": QuickOrFull([3, 53, 103], LOADS),
        },
        seeds=QuickOrFull(5, 100),
        labels=labels or {},
    )


HEAVY = at_least(73)
fall = AQS(high=0.1) - AQS(high=1.0)
fig2_15 = Exhibit(
    "Figure 2.15: the upper bound of PSAND's max_p, with factor 1.75 and power 1.5 (Section 2.4.5)",
    claim(
        "fig2.15b/c1", every(falls(AQS(flows=at_least(53)), "high"), fall.at_next_value("flows") > fall), must_hold=True
    ),
    claim(
        "fig2.15b/c2",
        every(AQS(high=0.1).matches_printed(25, share=0.1), AQS(high=1.0).matches_printed(8, 7, 9))(flows=103),
    ),
    claim(
        "fig2.15/c3",
        along_sweep(
            every(
                relative_range(AQS, "high") <= 0.25,
                relative_range(VQS, "high") <= 0.4,
                abs(PLR(high=at_least(0)) - PLR(high=1.0)) <= 0.5,
            )
        )(flows=3),
    ),
    claim("fig2.15a/c1", every(falls(VQS(high=at_most(0.7)), "high"), VQS(high=1.0) > VQS(high=0.7))(flows=HEAVY)),
    claim("fig2.15c/c1", (PLR(high=1.0) - PLR(high=0.1)).between(0, 2)(flows=HEAVY)),
    draw=panels.panel_figure(*(panels.Panel("high", metric, "flows") for metric in ("VQS", "AQS", "PLR"))),
    study=max_p_bound_sweep(1.75, 1.5),
)


ONE, FIG2_15 = "1, 1", "1.75, 1.5"
fig2_16 = Exhibit(
    "Figure 2.16: the upper bound of PSAND's max_p, with factor and power 1 (Section 2.4.5)",
    claim(
        "fig2.16b/c1",
        every(
            (fall(pair=ONE) < fall(pair=FIG2_15)),
            AQS(pair=ONE, high=above(0.1)) > AQS(pair=FIG2_15, high=above(0.1)),
        ),
        "AQS falls by less from a bound of 0.1 to 1 than in Figure 2.15, and is above it at each larger bound",
    ),
    claim("fig2.16a/c1", VQS(pair=ONE) > VQS(pair=FIG2_15)),
    study=max_p_bound_sweep(1, 1, {"pair": ONE}) + max_p_bound_sweep(1.75, 1.5, {"pair": FIG2_15}),
    draw=panels.panel_figure(*(panels.Panel("high", metric, "flows", {"pair": ONE}) for metric in ("VQS", "AQS"))),
)
