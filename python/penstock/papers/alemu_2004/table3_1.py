"""Table 3.1 and Figures 3.5 and 3.6: pairs of thresholds at one load (Sections 3.2.2 to 3.2.4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import penstock as ps
from penstock.explain.explanation import prepare_explanation
from penstock.reproduce.figure import Claim, Exhibit, QuickOrFull, ReproductionEffort, Rows, Sweep
from penstock.reproduce.label_values import within
from penstock.reproduce.number import Number, formula, metric
from penstock.reproduce.printed_table import PrintedTable
from penstock.reproduce.shape import rises, values_other_than
from penstock.reproduce.statement import Statement, at_least_share, every, join_parts, some, table_statement
from penstock.results.condition import all_of

from . import judge, panels
from .measures import Numbers, course, queue_and_average_metrics
from .setup import (
    AQS,
    BUFFER,
    EMPTY,
    KT,
    OFF,
    PLR,
    VQS,
    WAQS,
    claim,
    joining_flows_scenario,
    psand,
    steady_flows_scenario,
)

MAXIMA, MINIMA = [10.5, 15, 20, 35], [0, 5, 9.75]
ROWS_STUDY = Sweep(
    lambda max_th, min_th: steady_flows_scenario(psand(1, 1, 0.5, min_th=min_th, max_th=max_th), 23),
    {"max_th": MAXIMA, "min_th": MINIMA},
    seeds=QuickOrFull(5, 100),
)


def _address(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
    _, max_th, _, min_th = row.split()
    return column, {"max_th": float(max_th), "min_th": float(min_th)}


PRINTED = judge.read_thesis_table("tab3-1", _address)
WIDER = PrintedTable([replace(cell, metric="25 to 35", column=cell.row) for cell in PRINTED if cell.metric == "full"])
"""The column of full queues, on the assumption that they are queues of more than 25 packets."""
FULL = metric("full", "%", "full queues")
HIGHER_MIN = values_other_than(0)


def _rows() -> Iterator[Claim]:
    for i, (max_th, min_th) in enumerate(itertools.product(MAXIMA, MINIMA), 1):
        own = PRINTED.row(f"Max {max_th:g} Min {min_th:g}")
        row = partial(Claim, f"tab3.1/r{i}", f"the row of Max {max_th:g}, Min {min_th:g}")
        yield row(own.matches_measured())


tab3_1 = Exhibit(
    "Table 3.1: the thresholds of PSAND with 23 flows, factor and power 1 and max_p of at most 0.5 (Section 3.2.2)",
    *_rows(),
    PRINTED.interval_claim("tab3.1"),
    claim("tab3.1/full", WIDER.matches_measured("the column of full queues"), reading="full from 26 packets on"),
    *(
        claim("tab3.1/c1", AQS.at_next_value("min_th") > AQS),
        claim("tab3.1/c2", AQS(max_th=35) > AQS(max_th=10.5), must_hold=True),
        claim("tab3.1/c3", PLR(min_th=0) < PLR(min_th=HIGHER_MIN)),
        claim("tab3.1/c4", EMPTY(min_th=0) < EMPTY(min_th=HIGHER_MIN)),
        claim(
            "tab3.1/c5",
            every(
                *(q(max_th=35, min_th=0) < q(max_th=values_other_than(35)) for q in (PLR, VQS, EMPTY)),
                *(q(max_th=35, min_th=0) < q(max_th=35, min_th=HIGHER_MIN) for q in (PLR, VQS, EMPTY)),
                AQS(max_th=35, min_th=0) > 10,
            ),
            "PLR, VQS and P(X=0) of row 10 below all others; its AQS > 10",
        ),
        claim("tab3.1/c6", rises(FULL(min_th=0), "max_th")),
        claim("tab3.1/c6", rises(FULL, "max_th"), reading="each Min"),
        claim("tab3.1/c7", (PLR(max_th=10.5) > PLR(max_th=35))(min_th=HIGHER_MIN)),
    ),
    draw=PRINTED.draw,
    study=ROWS_STUDY,
)
SMALL, LARGE = {"max_th": 10.5, "min_th": 9.75}, {"max_th": [15, 35], "min_th": 9.75}
"""Large Min with a small Max (row 3) and with a larger one (rows 6 and 12)."""
LARGER = values_other_than(10.5)
ONE = {"max_th": 10.5, "min_th": 0}
WIDE = [{"max_th": 15, "min_th": 0}, {"max_th": 20, "min_th": 0}]
"""Rows 4 and 7: a small Min and a larger Max."""


def _is_least(number: Number, row: dict[str, Any], larger: Any = LARGER) -> Statement:
    """The number of a row with Max 10.5 is at most that of any other row, or of the rows with these larger Max."""
    own = number(**row)
    return every(own <= number(max_th=larger), own <= number(max_th=10.5, min_th=values_other_than(row["min_th"])))


def _better(row: dict[str, Any]) -> Statement:
    """All numbers are lower than with a large Min."""
    parts = (q(**row) < q(**other) for q in (AQS, VQS, PLR, EMPTY) for other in (SMALL, LARGE))
    return join_parts(all_of, every(*parts))


OTHER_MIN = {"max_th": 10.5, "min_th": values_other_than(0)}
OF_RUNS = (
    claim(
        "fig3.5a/c1",
        every(_is_least(OFF, SMALL), PLR(**SMALL) > PLR(**LARGE)),
        "row 3: |AQS - 10| least of all rows, PLR above rows 6 and 12 (the table has rows 1, 4, 7 nearer)",
    ),
    claim("fig3.5b/c1", every(AQS(**LARGE) > KT, PLR(**LARGE) < PLR(**SMALL)), "rows 6 and 12: AQS > 10, PLR < row 3"),
    claim(
        "fig3.5c/c1",
        every(
            join_parts(all_of, _is_least(AQS, ONE)),
            join_parts(all_of, _is_least(VQS, ONE)),
            at_least_share(8 / 11, every(PLR(**ONE) > PLR(max_th=LARGER), PLR(**ONE) > PLR(**OTHER_MIN))),
        ),
        "row 1: least AQS and VQS of all rows, PLR above 8 of the 11 others (the table itself contradicts it)",
    ),
    Claim(
        "fig3.5c/c1",
        "a small Min with a small Max has a steady queue",
        _is_least(VQS, ONE, within(15, 20)),
        "row 1: least VQS of the rows with Max <= 20",
        reading="variance among Max <= 20, as in the table",
    ),
    claim(
        "fig3.5d/c1",
        some(every(*map(_better, WIDE))),
        "row 4 or 7: AQS, VQS, PLR and P(X=0) below those of rows 3, 6 and 12 (the table itself: not VQS)",
    ),
)
PRINT = PRINTED.numbers()


def _in_print(claim: Claim) -> Claim:
    """The claim, decided by the printed numbers of Table 3.1, which contradict some of the text."""
    holds = table_statement(lambda _: claim.statement.on_table(PRINT), claim.statement.text)
    return replace(claim, holds=holds, reading="the printed numbers of Table 3.1")


fig3_5 = Exhibit(
    "Figure 3.5: four situations of the thresholds, as rows of Table 3.1 (Section 3.2.2)",
    *OF_RUNS,
    *(_in_print(claim) for claim in OF_RUNS if not claim.reading),
    study=ROWS_STUDY,
    # The result of the triangles in the figure.
    draw=panels.panel_figure(*(panels.Panel("min_th", y, "max_th") for y in ("AQS", "VQS", "PLR", "empty"))),
)


def keep_average(run: ps.Run) -> Mapping[str, Any]:
    """From 50 s on: the average and the queue in each half second, and the share of time with max_p at its bound."""
    series = run.series["bottleneck"]
    half = len(series["t_ns"]) // 2
    average = np.asarray(series["avg"]["mean"])[half:]
    steady = average[len(average) // 10 :]
    bound = np.asarray(series["max_p"]["mean"])[half:] >= 0.75 - 1e-9
    queue = {name: np.asarray(series["queue"][name])[half:].reshape(100, -1) for name in ("min", "max")}
    return {
        "average": [round(float(x), 2) for x in average.reshape(100, -1).mean(axis=1)],
        "least queue": [float(x) for x in queue["min"].min(axis=1)],
        "most": [float(x) for x in queue["max"].max(axis=1)],
        "largest": float(steady.max()),
        "least": float(steady.min()),
        "at bound": 100 * float(bound.mean()),
    }


def weighted_average_metrics(run: ps.Run) -> Numbers:
    """Statistics of the queue and of RED's weighted average from 50 s on; for seed 1, both over time."""
    record = run.raw["kept"]
    numbers = queue_and_average_metrics(run) | {name: record[name] for name in ("largest", "least", "at bound")}
    if run.seed == 1:
        numbers |= course(record["least queue"], record["most"], record["average"], begin=50, step=0.5)
    return numbers


at_bound = metric("at bound", "%", "time of max_p at 0.75")
apart = abs(AQS(gentle=True) / AQS(gentle=False) - 1)
"""Relative difference between the queues of the two modes."""


def _best(number: Number) -> Statement:
    own = number(max_th=20, gentle=True)
    return own < number(max_th=[10.5, 35])


PANELS = {
    f"Max {high:g}, {'gentle' if gentle else 'strict'}": {"max_th": high, "gentle": gentle}
    for high, gentle in ((10.5, True), (10.5, False), (35, True), (35, False), (20, True))
}


fig3_6 = Exhibit(
    "Figure 3.6: gentle and strict mode with thresholds near and far, 100 flows that join at 50 s (Section 3.2.3)",
    claim(
        "fig3.6/c0",
        every(at_bound(max_th=[10.5, 35]) >= 90, at_bound(max_th=20, gentle=True) >= 90),
        "for 90 % of [50, 100] s in all five panels",
    ),
    claim(
        "fig3.6a/c1",
        every(metric("largest", "packets", "largest average after 55 s") < 21, WAQS.between(10.5, 21), AQS > KT)(
            max_th=10.5, gentle=True
        ),
    ),
    claim(
        "fig3.6b/c1",
        every(AQS(gentle=False) < AQS(gentle=True), PLR(gentle=False) > PLR(gentle=True))(max_th=10.5),
        "AQS lower, PLR higher",
    ),
    claim("fig3.6c,d/c1", every(WAQS > KT, apart <= 0.1)(max_th=35)),
    claim("fig3.6e/c1", every(_best(AQS), _best(VQS)), "AQS and VQS below those of the other panels"),
    claim("fig3.6/c2", every(apart(max_th=10.5) > 0.1, apart(max_th=[20, 35]) < 0.1)),
    measure=weighted_average_metrics,
    draw=partial(panels.draw_queues_over_time, cells=PANELS),
    # Each Max with Min 0 in both modes; the thesis shows both for 10.5 and 35 and the gentle one for 20 (guess 13).
    study=Sweep(
        lambda max_th, gentle: joining_flows_scenario(psand(min_th=0, max_th=max_th, gentle=gentle), 100, warmup="50s"),
        {"max_th": [10.5, 20, 35], "gentle": [True, False]},
        seeds=QuickOrFull(5, 20),
        keep=keep_average,
    ),
)


RULE = {10: (0, 20), 17.5: (0, 35), 20: (5, 35), 30: (25, 35)}
"""Min and Max for a target, by the rule."""


def rows(_: ReproductionEffort) -> Rows:
    """The queues at which the drop function leaves 0 and reaches max_p, for each target."""
    for target in RULE:
        scheme = f"psand:target={target}p,max_p=0.1"
        curve = prepare_explanation(scheme, "1.5Mbit", "54ms", None, f"{BUFFER}p").drop_function_curve()
        if curve is None:
            raise AssertionError("PSAND has a drop function")
        queue, p = (np.asarray(values) for values in curve)
        inside = (p > 1e-9) & (p < 0.1 - 1e-9)
        slope, offset = np.polyfit(queue[inside], p[inside], 1)
        yield {"target": target}, {"min": float(-offset / slope), "max": float((0.1 - offset) / slope)}


psand_th = Exhibit(
    "The rule for PSAND's thresholds: as far apart as the buffer allows, around the target (Section 3.2.4)",
    claim(
        "psand-th/c1",
        every(
            abs(metric("min") - formula(lambda target: RULE[target][0])) <= 1e-6,
            abs(metric("max") - formula(lambda target: RULE[target][1])) <= 1e-6,
        ),
        "B = 35: KT 10 (0, 20), 17.5 (0, 35), 20 (5, 35), 30 (25, 35), to 1e-6",
        must_hold=True,
    ),
    rows=rows,
)
