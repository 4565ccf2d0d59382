"""Figures 4.5 to 4.7 and Table 4.2: the schemes of chapter 4, equal round trips (Section 4.6.1)."""

from __future__ import annotations

from functools import partial

from penstock.reproduce.figure import (
    Exhibit,
    Table,
    above,
    at_most,
    every,
    join_parts,
    mean,
    metric,
    some,
    table_statement,
)
from penstock.reproduce.shape import along_sweep, rises
from penstock.results.condition import Condition, all_of, most_of

from . import controllers, symbols
from .controllers import (
    AVQS,
    LREDS,
    MANY,
    NOT_MANY,
    REM,
    controllers_except,
    is_higher_at_each_load,
    is_lower_at_each_load,
    mean_over_loads,
)
from .setup import AQS, CONTROLLERS, EMPTY, LONG_RUNS, LRL1, LU, PLR, VQS, F, claim

fig4_5 = Exhibit(
    "Figure 4.5: mean and variance of the queue and losses, equal round trips (Section 4.6.1)",
    claim(
        "fig4.5/c1",
        along_sweep(
            every(
                *(is_lower_at_each_load(q, "PSAND", ["BLUE", "PI"]) for q in (AQS, VQS, PLR, EMPTY)),
                *(is_higher_at_each_load(q, "PSAND", ["BLUE", "PI"]) for q in (F, LU, LRL1)),
            )
        ),
        "all metrics of Figures 4.5 to 4.7 better for every N",
    ),
    claim(
        "fig4.5a/c1",
        along_sweep(
            every(
                is_lower_at_each_load(AQS, REM, "PSAND"),
                (abs(AQS / mean_over_loads(AQS) - 1) <= 0.25)(scheme=REM),
                AQS(scheme=REM) < 7.5,
            )
        ),
    ),
    claim("fig4.5a/c2", rises(AQS(scheme="PSAND"), "flows"), must_hold=True),
    claim("fig4.5b/c1", along_sweep(is_higher_at_each_load(VQS, REM, "PSAND"))),
    claim("fig4.5c/c1", along_sweep(is_higher_at_each_load(PLR, REM, "PSAND"))),
    claim("fig4.5a/c3", along_sweep(is_lower_at_each_load(AQS, "AVQ*", controllers_except("AVQ*")))),
    claim("fig4.5b/c2", along_sweep(is_lower_at_each_load(VQS, "AVQ*", controllers_except("AVQ*")))),
    claim(
        "fig4.5c/c2",
        along_sweep(
            every(
                some(
                    every(
                        *(
                            join_parts(all_of, is_lower_at_each_load(PLR, s, controllers_except(*AVQS)), "scheme")
                            for s in AVQS
                        )
                    ),
                    "scheme",
                ),
                is_lower_at_each_load(PLR, "AVQ", "AVQ*")(flows=MANY),
            )
        ),
    ),
    claim(
        "fig4.5/c2",
        every(
            *(is_lower_at_each_load(q, "AVQ*", "AVQ") for q in (AQS, VQS)), is_higher_at_each_load(PLR, "AVQ*", "AVQ")
        )(flows=MANY),
    ),
    claim(
        "fig4.5/c3",
        along_sweep(
            every(
                *(is_lower_at_each_load(q, AVQS, "PSAND") for q in (AQS, PLR)),
                is_lower_at_each_load(VQS, "AVQ*", "PSAND"),
                is_lower_at_each_load(VQS, "AVQ", "PSAND")(flows=NOT_MANY),
                is_higher_at_each_load(VQS, "AVQ", "PSAND")(flows=MANY),
            )
        ),
    ),
    claim(
        "fig4.5a/c4",
        along_sweep(
            every(AQS(scheme=LREDS).matches_printed(10, share=0.25), is_lower_at_each_load(AQS, "PSAND", LREDS))
        ),
    ),
    claim(
        "fig4.5b/c3",
        along_sweep(
            every(
                (VQS(scheme="LRED") / VQS(scheme="PSAND")).matches_printed(1, share=0.4)(flows=above(13)),
                is_higher_at_each_load(VQS, "LRED", "PSAND")(flows=at_most(13)),
                is_lower_at_each_load(VQS, "LRED*", ["LRED", "PSAND"]),
                PLR(scheme="LRED*") - PLR(scheme="PSAND") <= 2,
            )
        ),
    ),
    study=controllers.load_sweep("same"),
    draw=controllers.panels_against_flows("same", "AQS", "VQS", "PLR"),
)


OTHERS = controllers_except(*AVQS)
fig4_6 = Exhibit(
    "Figure 4.6: fairness, utilization and empty queues, equal round trips (Section 4.6.1)",
    claim(
        "fig4.6/c1",
        along_sweep(every(*(is_higher_at_each_load(q, "PSAND", REM) for q in (LU, F)))),
        "LU and F above REM's for every N (Table 4.2 has F equal)",
    ),
    claim("fig4.6a/c1", along_sweep(is_lower_at_each_load(F, AVQS, OTHERS))),
    claim(
        "fig4.6b/c1",
        along_sweep(
            every(*(join_parts(partial(most_of, 4 / 6), is_lower_at_each_load(LU, s, OTHERS), "scheme") for s in AVQS))
        ),
        "LU below four of the six others at least, for every N",
    ),
    claim("fig4.6c/c1", along_sweep(is_higher_at_each_load(EMPTY, AVQS, OTHERS))),
    claim("fig4.6a/c2", along_sweep(is_higher_at_each_load(F, "PSAND", "LRED"))),
    claim("fig4.6b/c2", along_sweep(is_higher_at_each_load(LU, "PSAND", "LRED"))),
    study=controllers.load_sweep("same"),
    draw=controllers.panels_against_flows("same", "F", "LU", "empty"),
)


BUT_PSAND = controllers_except("PSAND")
ALIKE = (abs(LRL1 / LRL1.along("scheme", mean) - 1) <= 0.25)(scheme=BUT_PSAND)
fig4_7 = Exhibit(
    "Figure 4.7: runs of losses of a flow, equal round trips (Section 4.6.1)",
    claim("fig4.7/c1", along_sweep(is_lower_at_each_load(LRL1, REM, "PSAND"))),
    claim("fig4.7a/c1", along_sweep(every(is_higher_at_each_load(LRL1, "PSAND", BUT_PSAND), ALIKE))),
    claim(
        "fig4.7bc/c1",
        along_sweep(
            every(*(is_lower_at_each_load(q, "PSAND", BUT_PSAND) for q in (metric("LRL2"), metric("LRL3"), LONG_RUNS)))
        ),
        "LRL(2), LRL(3) and LRL(>2) below the seven others for every N",
    ),
    claim("fig4.7/c2", along_sweep(is_lower_at_each_load(LRL1, LREDS, "PSAND"))),
    study=controllers.load_sweep("same"),
    draw=controllers.panels_against_flows("same", "LRL1", "LRL2", "LRL3"),
)


PRINTED = symbols.read_symbols("tab4-2")


def _only_psand(table: Table) -> Condition:
    """PSAND's worst symbol in the table is ++ or better; the worst symbol of each other scheme is not."""
    ranks = symbols.worst_ranks(table, PRINTED)
    return all_of(symbols.reaches(ranks[scheme], "++", scheme == "PSAND").at(scheme) for scheme in CONTROLLERS)


tab4_2 = Exhibit(
    "Table 4.2: the schemes rated, equal round trips (Section 4.6.1)",
    *symbols.symbol_claims("tab4.2", PRINTED),
    claim(
        "tab4.2/c6",
        table_statement(
            _only_psand,
            "its worst symbol is ++ or better; that of each other scheme is not, by the ranks that the intervals allow",
        ),
    ),
    study=controllers.load_sweep("same"),
    draw=partial(symbols.draw, printed=PRINTED),
)
