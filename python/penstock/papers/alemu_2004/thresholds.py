"""Figures 3.1 to 3.4 and 3.7: the queue against the thresholds (Section 3.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from matplotlib.figure import Figure

from penstock.reproduce import shape
from penstock.reproduce.figure import (
    Curve,
    Exhibit,
    QuickOrFull,
    SummaryTable,
    Sweep,
    Table,
    claims_if_measured,
    claims_under_reading,
    where_least,
)
from penstock.reproduce.label_values import Readings, at_least, at_most
from penstock.reproduce.number import Number, formula, judged_statement
from penstock.reproduce.shape import along_sweep, falls, has_minimum_at, relative_range, rises, values_other_than
from penstock.reproduce.statement import every, join_parts, table_statement
from penstock.results.condition import Condition, all_of, any_of
from penstock.results.sample import RunSample

from . import panels
from .panels import Panel
from .setup import AQS, AREDS, KT, LOADS, PLR, VQS, claim, feng, floyd, psand, steady_flows_scenario

MINIMA = [0, 2, 5, 7, 9.5]
MAXIMA = [10.5, 13, 15, 18, 20, 25, 30, 35]


def threshold_sweep(minima: Collection[float] = MINIMA, maxima: Collection[float] = MAXIMA) -> Sweep:
    """All pairs, or some rows or columns of them."""
    return Sweep(
        lambda min_th, max_th, flows: steady_flows_scenario(psand(min_th=min_th, max_th=max_th), flows),
        {
            "min_th": QuickOrFull(*([x for x in tried if x in minima] for tried in ([0, 5, 9.5], MINIMA))),
            "max_th": QuickOrFull(*([x for x in tried if x in maxima] for tried in ([10.5, 20, 35], MAXIMA))),
            "flows": QuickOrFull([3, 53, 103], LOADS),
        },
        seeds=QuickOrFull(5, 100),
    )


def figure_against_max(minima: Sequence[float]) -> Callable[[SummaryTable], Figure]:
    """AQS and VQS against Max, two panels for each Min."""
    where = [(y, {"min_th": low}, f"Min {low:g}") for low in minima for y in ("AQS", "VQS")]
    return panels.panel_figure(*(Panel("max_th", y, "flows", at, title) for y, at, title in where))


def figure_against_min(maxima: Sequence[float]) -> Callable[[SummaryTable], Figure]:
    """AQS and VQS against Min, two panels for each Max."""
    where = [(y, {"max_th": high}, f"Max {high:g}") for high in maxima for y in ("AQS", "VQS")]
    return panels.panel_figure(*(Panel("min_th", y, "flows", at, title) for y, at, title in where))


c1 = claim("fig3.3-4/c1", along_sweep(every(has_minimum_at(AQS, "min_th", 0), rises(AQS, "min_th"))))

SMALL_MIN = [0, 2, 5]
ALL_MAX = Readings({at_least(0): "", at_most(20): "Max up to 20"})
fig3_1 = Exhibit(
    "Figure 3.1: the queue against Max for a small Min (Section 3.2.1)",
    claim(
        "fig3.1/c1",
        along_sweep(
            every(
                relative_range(AQS(max_th=ALL_MAX), "max_th") <= 0.25,
                relative_range(VQS(max_th=ALL_MAX), "max_th") <= 0.4,
                AQS(max_th=ALL_MAX) < 10,
            )
        )(min_th=at_most(2), flows=at_most(23)),
    ),
    *claims_if_measured(
        {"max_th": 18},
        claim(
            "fig3.1a/c1",
            every(
                has_minimum_at(AQS(min_th=0, flows=3), "max_th", 10.5),
                has_minimum_at(AQS(min_th=0, flows=[53, 73, 103]), "max_th", 18),
            ),
        ),
    ),
    claim(
        "fig3.1/c11",
        every(
            has_minimum_at(VQS(min_th=0, flows=3), "max_th", 10.5),
            has_minimum_at(VQS(min_th=0, flows=103), "max_th", 20),
        ),
    ),
    study=threshold_sweep(minima=SMALL_MIN),
    draw=figure_against_max(SMALL_MIN),
)


LARGE_MIN = [7, 9.5]
LEAST = {23: (10.5, 13, 15), 53: (13, 15, 18), 73: (15, 18, 20), 103: (18, 20, 25)}
"""The Max with the shortest queue at Min 9.5 by the number of flows, between its neighbours in the plot."""
BEST = AQS(min_th=9.5).along("max_th", where_least, "Max with the shortest queue", unit="packets")
fig3_2 = Exhibit(
    "Figure 3.2: the queue against Max for a large Min (Section 3.2.1)",
    *claims_if_measured(
        {"max_th": 13},
        claim(
            "fig3.2c/c1",
            every(
                *(BEST(flows=n).matches_printed(best, low=low, high=high) for n, (low, best, high) in LEAST.items()),
                rises(BEST(flows=list(LEAST)), "flows"),
            ),
            "13, 15, 18 and 20 packets at 23, 53, 73 and 103 flows, each within one step of the plot",
        ),
    ),
    study=threshold_sweep(minima=LARGE_MIN),
    draw=figure_against_max(LARGE_MIN),
)


SMALL_MAX = [10.5, 15, 18]
fig3_3 = Exhibit(
    "Figure 3.3: the queue against Min for a small Max (Section 3.2.1)",
    *claims_under_reading("small Max alone", [c1]),
    study=threshold_sweep(maxima=SMALL_MAX),
    draw=figure_against_min(SMALL_MAX),
)


LARGE_MAX = [20, 30, 35]
fig3_4 = Exhibit(
    "Figure 3.4: the queue against Min for a large Max (Section 3.2.1)",
    *claims_under_reading("large Max alone", [c1]),
    study=threshold_sweep(maxima=LARGE_MAX),
    draw=figure_against_min(LARGE_MAX),
)


FEW, HEAVY = at_most(23), at_least(73)
ENDS = [10.5, 35]
SHORTEST = {0: 9, 2: 11, 5: 12, 7: 15.5, 9.5: 14}
"""The shortest queue with 103 flows, by Min."""


def _by_means(number: Number, function: Callable[[list[float], np.ndarray], float], text: str) -> Number:
    """A function of the values of Max and the means at these values, for each group of runs."""

    def along(curve: Curve) -> RunSample:
        return RunSample([function(list(curve), row) for row in shape.group_means(list(curve.values()))])

    return number.along("max_th", along, text)


def _minimum(number: Number) -> Number:
    return _by_means(number, lambda _, row: float(row.min()), "least")


RANGE = _by_means(AQS, lambda _, row: float(row.max() - row.min()), "range")
BEST = _by_means(AQS, lambda maxima, row: maxima[int(row.argmin())], "Max with the least")


def _between(table: Table) -> Condition:
    """The queue is above the target at both ends, and below both ends at some Max in between."""
    highs = table.axis("max_th")

    def of(low: float, high: float, n: int) -> RunSample:
        return table("AQS", min_th=low, max_th=high, flows=n)

    return shape.conditions_at_sweep_points(
        condition.at(f"Min {low:g}, {n} flows")
        for low in table.axis("min_th")
        for n in table.axis("flows")
        if n >= 73
        for condition in (
            *(of(low, end, n) > float(KT) for end in ENDS),
            all_of(any_of(of(low, high, n) < of(low, end, n) for high in highs[1:-1]) for end in ENDS),
        )
    )


fig3_1_4 = Exhibit(
    "Figures 3.1 to 3.4 together: what the text says of all pairs of thresholds (Section 3.2.1)",
    claim(
        "fig3.1-4/c0",
        every(
            (abs(PLR(max_th=values_other_than(20)) - PLR(max_th=20)) <= 0.5)(flows=3),
            (abs(PLR(max_th=values_other_than(20)) - PLR(max_th=20)) <= 2)(flows=values_other_than(3)),
        ),
    ),
    claim(
        "fig3.1-2/c2", every(rises(AQS, "max_th"), has_minimum_at(AQS, "max_th", 10.5))(min_th=at_least(5), flows=FEW)
    ),
    claim("fig3.1-2/c3", rises(RANGE, "flows")),
    claim(
        "fig3.1-2/c4",
        table_statement(_between, "73 and 103 flows: AQS > 10 at Max 10.5 and 35 for every Min, and lower between"),
    ),
    claim("fig3.1-2/c5", along_sweep(every(BEST <= 20, shape.axis_rank_correlation(BEST, "flows") >= 0))),
    claim(
        "fig3.1-2/c6",
        along_sweep(join_parts(all_of, AQS(max_th=20) <= AQS(max_th=values_other_than(20)) * 1.2, "max_th")),
    ),
    claim(
        "fig3.1-2/c7",
        judged_statement(
            lambda queue, printed: queue.matches_printed(printed, share=0.25),
            _minimum(AQS),
            formula(lambda min_th: SHORTEST[min_th], "printed"),
            text="{} as {}, +- 25 %",
        )(flows=103),
    ),
    claim("fig3.1-2/c8", relative_range(VQS(flows=3), "max_th") <= 0.4),
    *claims_if_measured(
        {"flows": 23},
        claim("fig3.1f,3.2b,3.2d/c1", rises(VQS(flows=23, min_th=at_least(5)), "max_th")),
    ),
    claim(
        "fig3.1-2/c9",
        along_sweep(
            every(
                VQS(max_th=10.5) > VQS(max_th=35),
                VQS(max_th=35) > VQS(max_th=20),
                rises(VQS(max_th=35) - VQS(max_th=20), "min_th"),
            )
        )(flows=HEAVY),
    ),
    claim("fig3.1-2/c10", rises(_minimum(VQS), "min_th")),
    c1,
    claim(
        "fig3.3-4/c2",
        along_sweep(
            every(has_minimum_at(VQS(max_th=35), "min_th", 0), relative_range(VQS(max_th=10.5), "min_th") <= 0.4)
        ),
    ),
    claim(
        "fig3.3-4/c3",
        along_sweep(every(*(_minimum(q)(min_th=0) < _minimum(q)(min_th=at_least(5)) for q in (AQS, VQS)))),
    ),
    claim(
        "fig3.1-4/c12",
        along_sweep(
            every(
                AQS(min_th=0, max_th=20) <= KT,
                join_parts(
                    all_of,
                    every(
                        VQS(min_th=0, max_th=20) <= VQS(min_th=0, max_th=values_other_than(20)) * 1.2,
                        VQS(min_th=0, max_th=20) <= VQS(min_th=values_other_than(0)) * 1.2,
                    ),
                    "min_th",
                    "max_th",
                ),
            )
        ),
    ),
    draw=panels.panel_figure(
        *(panels.Panel("max_th", y, "flows", {"min_th": 0}, "Min 0") for y in ("AQS", "VQS")),
        *(panels.Panel("min_th", y, "flows", {"max_th": 20}, "Max 20") for y in ("AQS", "VQS")),
    ),
    study=threshold_sweep(),
)


SCHEMES = {"Feng": feng, "Floyd": floyd, "PSAND": psand}


def fall(curve: Curve) -> RunSample:
    """The value at the smallest value of the axis minus the value at the largest, run by run."""
    samples = list(curve.values())
    return samples[0] - samples[-1]


fig3_7 = Exhibit(
    "Figure 3.7: the thresholds of the adaptive REDs (Section 3.2.4)",
    claim("fig3.7/c1", along_sweep(every(*(q(scheme="PSAND") < q(scheme=AREDS) for q in (AQS, VQS))))),
    claim(
        "fig3.7/c2",
        every(rises(AQS, "max_th"), falls(VQS, "max_th"), PLR.along("max_th", fall).between(0, 2))(scheme=AREDS),
    ),
    # All three with each pair of thresholds (guess 14).
    study=Sweep(
        lambda scheme, min_th, max_th, flows: steady_flows_scenario(
            SCHEMES[scheme](min_th=min_th, max_th=max_th), flows
        ),
        {
            "scheme": list(SCHEMES),
            "min_th": QuickOrFull([0, 5], [0, 2, 5, 7, 9.5]),
            "max_th": QuickOrFull([10.5, 20, 35], [10.5, 15, 18, 20, 30, 35]),
            "flows": QuickOrFull([3, 103], LOADS),
        },
        seeds=QuickOrFull(5, 30),
    ),
    draw=panels.panel_figure(
        *(
            panels.Panel(x, y, "flows", {"scheme": scheme, **where}, f"{scheme}, {name}")
            for scheme in AREDS
            for x, where, name in (("max_th", {"min_th": 5}, "Min 5"), ("min_th", {"max_th": 20}, "Max 20"))
            for y in ("AQS", "VQS")
        )
    ),
)
