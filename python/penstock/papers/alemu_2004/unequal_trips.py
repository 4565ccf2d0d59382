"""Figures 4.8 to 4.10 and Table 4.3: the schemes of chapter 4, unequal round trips (Section 4.6.2)."""

from __future__ import annotations

from functools import partial

from penstock.reproduce.figure import Claim, Exhibit, Number, at_least, at_most, claims_in_cells, every, some
from penstock.reproduce.shape import along_sweep

from . import controllers, symbols
from .controllers import (
    AVQS,
    LREDS,
    MANY,
    NOT_MANY,
    controllers_except,
    is_better_at_each_load,
    is_better_on_average,
    is_higher_at_each_load,
    is_lower_at_each_load,
    mean_over_loads,
)
from .setup import AQS, EMPTY, LONG_RUNS, LRL1, LU, PLR, VQS, F, claim

FEW = at_most(13)


def _same(number: Number) -> Number:
    """The average over the numbers of flows with equal round trips."""
    return mean_over_loads(number(topology="same"))


CHANGE = mean_over_loads(PLR) - _same(PLR)
LITTLE = every(
    *((mean_over_loads(q) / _same(q)).matches_printed(1, share=share) for q, share in ((AQS, 0.25), (VQS, 0.4))),
    CHANGE.between(-2, 2),
)
WORSE = every(mean_over_loads(AQS) > _same(AQS) * 1.25, mean_over_loads(VQS) > _same(VQS) * 1.4, CHANGE > 2)
fig4_8 = Exhibit(
    "Figure 4.8: mean and variance of the queue and losses, unequal round trips (Section 4.6.2)",
    *claims_in_cells(
        {"topology": "diff"},
        claim(
            "fig4.8/c1",
            every(
                LITTLE(scheme=["BLUE", "REM", "PSAND"]),
                *(some(WORSE(scheme=scheme)) for scheme in ("PI", "AVQ", "LRED")),
            ),
            "averages over N: AQS within 25 %, VQS 40 %, PLR 2 points; for the latter one worse by more",
        ),
        claim("fig4.8a/c1", along_sweep(is_higher_at_each_load(AQS, "PI", controllers_except("PI")))),
        claim(
            "fig4.8b/c1",
            along_sweep(
                every(
                    (VQS(scheme="PI") <= VQS(scheme="PSAND") * 1.4)(flows=at_least(28)),
                    is_higher_at_each_load(VQS, "PI", "PSAND")(flows=FEW),
                )
            ),
        ),
        claim(
            "fig4.8c/c1",
            along_sweep(
                every(
                    is_lower_at_each_load(PLR, "PI", controllers_except("PI"))(flows=FEW),
                    is_lower_at_each_load(PLR, "PSAND", controllers_except("PSAND"))(flows=MANY),
                )
            ),
        ),
        claim(
            "fig4.8a/c2",
            along_sweep(
                every(
                    (mean_over_loads(AQS) > _same(AQS) * 1.25)(scheme="AVQ"),
                    (mean_over_loads(AQS) > _same(AQS))(scheme="AVQ*"),
                    is_lower_at_each_load(AQS, "PSAND", "AVQ"),
                    is_lower_at_each_load(AQS, "PSAND", "AVQ*")(flows=NOT_MANY),
                    is_higher_at_each_load(AQS, "PSAND", "AVQ*")(flows=MANY),
                )
            ),
            "mean AQS of AVQ 25 % above, AVQ* above equal round trips'; PSAND below both, above AVQ* for N >= 73",
        ),
        claim(
            "fig4.8b/c2",
            along_sweep(
                every(
                    is_higher_at_each_load(VQS, "AVQ", "PSAND"),
                    is_higher_at_each_load(VQS, "AVQ*", "PSAND")(flows=NOT_MANY),
                    is_lower_at_each_load(VQS, "AVQ*", controllers_except("AVQ*"))(flows=MANY),
                )
            ),
        ),
        claim(
            "fig4.8c/c2",
            along_sweep(
                every(
                    is_lower_at_each_load(PLR, "PSAND", AVQS),
                    is_higher_at_each_load(PLR, "AVQ*", "AVQ")(flows=MANY),
                    is_lower_at_each_load(LU, "AVQ*", "AVQ")(flows=MANY),
                )
            ),
        ),
        claim(
            "fig4.8b/c3",
            every(
                is_better_on_average("VQS", "LRED", ["BLUE", "AVQ"]),
                is_better_on_average("VQS", controllers_except("BLUE", "AVQ", "LRED"), "LRED"),
            ),
        ),
        claim(
            "fig4.8b/c4",
            along_sweep(
                every(
                    is_higher_at_each_load(VQS, "LRED*", "PSAND")(flows=at_most(53)),
                    is_lower_at_each_load(VQS, "LRED*", "PSAND")(flows=at_least(93)),
                )
            ),
        ),
        claim(
            "fig4.8a/c3",
            every(
                mean_over_loads(AQS(scheme="LRED")) <= mean_over_loads(AQS(scheme="PSAND")) * 1.25,
                *(is_better_on_average(name, "PSAND", "LRED") for name in ("VQS", "PLR", "LU")),
            ),
            "averages: AQS at most 25 % above PSAND's; VQS, PLR and LU worse",
        ),
    ),
    study=controllers.load_sweep("diff") + controllers.load_sweep("same"),
    draw=controllers.panels_against_flows("diff", "AQS", "VQS", "PLR"),
)


PI_BUSIEST = every(
    is_higher_at_each_load(LU, "PI", controllers_except("PI")),
    is_lower_at_each_load(EMPTY, "PI", controllers_except("PI")),
)
fig4_9 = Exhibit(
    "Figure 4.9: fairness, utilization and empty queues, unequal round trips (Section 4.6.2)",
    claim(
        "fig4.9b/c1", along_sweep(PI_BUSIEST), others={"from 8 flows on": along_sweep(PI_BUSIEST(flows=at_least(8)))}
    ),
    claim("fig4.9a/c1", along_sweep(abs(F(scheme=controllers_except("PSAND")) / F(scheme="PSAND") - 1) <= 0.1)),
    claim(
        "fig4.8-9/c2",
        along_sweep(every(is_higher_at_each_load(PLR, LREDS, "PSAND"), is_lower_at_each_load(LU, LREDS, "PSAND"))),
    ),
    study=controllers.load_sweep("diff"),
    draw=controllers.panels_against_flows("diff", "F", "LU", "empty"),
)


fig4_10 = Exhibit(
    "Figure 4.10: runs of losses of a flow, unequal round trips (Section 4.6.2)",
    claim("fig4.10a/c1", along_sweep(is_higher_at_each_load(LRL1, "PSAND", controllers_except("PSAND")))),
    claim(
        "fig4.10c/c1",
        every(
            along_sweep(is_lower_at_each_load(LONG_RUNS, "PSAND", controllers_except("PSAND"))),
            is_better_on_average("LRL>2", controllers_except("AVQ", "PI", "PSAND"), ["AVQ", "PI"]),
        ),
    ),
    study=controllers.load_sweep("diff"),
    draw=controllers.panels_against_flows("diff", "LRL1", "LRL2", "LRL3"),
)


PRINTED = symbols.read_symbols("tab4-3")
tab4_3 = Exhibit(
    "Table 4.3: the schemes rated, unequal round trips (Section 4.6.2)",
    *tuple(symbols.symbol_claims("tab4.3", PRINTED)),
    study=controllers.load_sweep("diff"),
    draw=partial(symbols.draw, printed=PRINTED),
)


METRICS = ("AQS", "VQS", "PLR", "LU", "F", "empty", "LRL1")
OTHERS = controllers_except("PSAND")
SAME, DIFF = {"topology": "same"}, {"topology": "diff"}
ch4 = Exhibit(
    "The ends of chapters 2 to 4 and of the thesis: PSAND against all others (Section 4.7, Conclusion)",
    claim(
        "ch4/c1",
        every(*(is_better_on_average(name, "PSAND", OTHERS) for name in METRICS))(**DIFF),
        "averages over N better than the seven others (Table 4.3: not AQS, LU, F)",
    ),
    Claim(
        "ch4/c1",
        "with unequal round trips PSAND is best by all metrics but fairness",
        every(*(is_better_on_average(name, "PSAND", OTHERS) for name in METRICS if name != "F"))(**DIFF),
        "averages over N better than the seven others",
        reading="all but fairness, as in the Conclusion",
    ),
    claim("ch4/c2", along_sweep(is_higher_at_each_load(LRL1, "PSAND", OTHERS))),
    claim(
        "concl/c3",
        every(
            *(
                some(every(*(is_better_at_each_load(name, "PSAND", OTHERS) for name in METRICS)), "metric")(**on)
                for on in (SAME, DIFF)
            )
        ),
        "PSAND better than each other one by at least one metric at every N",
        must_hold=True,
    ),
    claim(
        "concl/c4",
        every(
            every(
                *(is_higher_at_each_load(q, "LRED", "PSAND") for q in (VQS, EMPTY)),
                is_lower_at_each_load(LU, "LRED", "PSAND"),
            )(flows=3),
            *((q(scheme="PSAND") <= q(scheme="LRED") * 1.4)(flows=MANY) for q in (AQS, VQS)),
        )(**SAME),
        "3 flows: VQS, P(X=0) of LRED above, LU below; N >= 73: AQS, VQS of PSAND at most 1.4 of LRED's",
    ),
    study=controllers.load_sweep("same") + controllers.load_sweep("diff"),
)
