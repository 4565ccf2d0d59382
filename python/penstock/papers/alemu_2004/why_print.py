"""What the printed numbers of the thesis say of its own statements, and what ns-2.35 says of those without PSAND."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Claim, Effort, Statement, Table, by_table, every, metric
from penstock.results.sample import Condition, Sample, all_of

from . import cells, equal_trips, judge, symbols, table3_1, unequal_trips, why
from .blocks import QUARTER, TENTH
from .model5 import DROPTAIL, RED
from .setup import AQS, CONTROLLERS, KT, LU, PLR, VQS, F
from .tables5 import numbers

CODES = {"tab5-1": "16,1", "tab5-2": "16,4"}
NS2: Mapping[str, Mapping[str, float]] = {
    "RED": {"AQS": 10.749, "VQS": 26.870},
    "Floyd": {"AQS": 11.070, "VQS": 31.718},
    "Feng": {"AQS": 11.225, "VQS": 33.426},
}
"""ns-2.35 with 3 flows, means of ten runs (`tests/data/ns2/thesis_link.json`)."""
NS2_LESS = (-0.088, -0.011)
"""Losses with 3 flows in percent, Floyd's scheme less RED (1.563 and 1.612): 95 % interval over 50 pairs of runs of
ns-2.35 (`validation/ns2/trace_lines.tcl`)."""
NS2_FULL = {50: 0.210, 70: 0.505, 100: 0.740}
"""Share of the time from 60 s on in percent in which the buffer is full under Floyd's scheme, by the flows that join at
50 s: ns-2.35, five runs each of the same script."""
NS2_SINGLE = 79.46
"""Single losses among the runs of datagrams behind drop-tail, in percent: ns-2.35, (16,1) beside 50 flows, five runs
(`tests/data/ns2/fec.json`)."""


def rows(_: Effort) -> list[tuple[Mapping[str, Any], Mapping[str, float]]]:
    """The printed numbers that statements of the text are laid beside."""
    found: list[tuple[Mapping[str, Any], Mapping[str, float]]] = []
    for table, printed in (("4.2", equal_trips.PRINTED), ("4.3", unequal_trips.PRINTED)):
        found += [
            (
                {"table": table, "scheme": s},
                {metric: float(symbols.rating(column[s])) for metric, column in printed.items()},
            )
            for s in CONTROLLERS
        ]
    for name, code in CODES.items():
        with (Path(__file__).parent / "expected" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                at = {"code": code, "flows": int(line["line"].split()[0]), "column": line["x"]}
                found.append((at, {"printed": float(line["y"]), "half": float(line["half"])}))
    return found


own = why.own("why-print")


def _of_thresholds(name: str, says: str, expected: str, holds: Statement) -> Claim:
    """A claim on the printed numbers of Table 3.1."""
    printed = cells.as_table(table3_1.PRINTED)
    return own(name, says, by_table(lambda _: holds(acks="each").on(printed), expected))


THRESHOLDS = (
    _of_thresholds(
        "rising",
        "Table 3.1: the variance does not rise with Max for Min from 5 on",
        "rank correlation below 0.8 for Min 5 and 9.75",
        judge.rank(VQS(min_th=[5, 9.75]), "max_th") < 0.8,
    ),
    _of_thresholds(
        "beyond",
        "Table 3.1: the variance is not larger at Max 35 than at Max 20 (Section 3.2.4: it decreases with Max)",
        "VQS at Max 35 below that at 20 for Min 0 and 9.75, within 1 % for Min 5",
        every(*((VQS(max_th=35) < VQS(max_th=20) * (1.01 if low == 5 else 1))(min_th=low) for low in table3_1.MINIMA)),
    ),
    _of_thresholds(
        "recommended",
        "Table 3.1: with (0, 20) the average exceeds the target and the variance is not near the least",
        "AQS > 10; VQS more than 20 % above that of Max 35, Min 0",
        every(AQS(max_th=20) > KT, VQS(max_th=20) > VQS(max_th=35) * 1.2)(min_th=0),
    ),
)


EQUAL, UNEQUAL = {"table": "4.2"}, {"table": "4.3"}
"""Which round trips a table is of."""

SYMBOLS = (
    own(
        "fairness",
        "Table 4.3 has three ratings of F, Table 4.2 the same for PSAND, REM and LRED",
        every(
            (F(scheme="BLUE") > F(scheme="PSAND"))(**UNEQUAL),
            (F(scheme="PSAND") > F(scheme="REM"))(**UNEQUAL),
            (abs(F(scheme="PSAND") - F(scheme=["REM", "LRED"])) <= 0)(**EQUAL),
        ),
        "F of the schemes differs in Table 4.3; F(PSAND) = F(REM) = F(LRED) in Table 4.2",
    ),
    own(
        "avq",
        "Table 4.2 has the mean queue of AVQ as good as PSAND's and its variance worse",
        every(abs(AQS(scheme="AVQ") - AQS(scheme="PSAND")) <= 0, VQS(scheme="AVQ") < VQS(scheme="PSAND"))(**EQUAL),
        "AQS the same symbol, VQS + below ++",
    ),
    own(
        "unequal",
        "Tables 4.2 and 4.3 do not rate BLUE and REM alike, nor PI worse with unequal round trips",
        every(
            (PLR(**UNEQUAL) > PLR(**EQUAL))(scheme="BLUE"),
            *((q(**UNEQUAL) > q(**EQUAL))(scheme="REM") for q in (AQS, VQS)),
            *((q(**UNEQUAL) < q(**EQUAL))(scheme="REM") for q in (LU, F)),
            *((q(**UNEQUAL) >= q(**EQUAL))(scheme="PI") for q in map(metric, equal_trips.PRINTED)),
        ),
        "BLUE's PLR better; REM's AQS and VQS better, LU and F worse; PI worse in no column",
    ),
)


def _rule_is_right(table: Table) -> Condition:
    """RED where p (k + h) <= x_h picks the scheme with the smaller printed loss after correction: too seldom."""
    right = []
    for code in CODES.values():
        k, h = numbers(code)
        limit = ps.model.code_threshold(RED, DROPTAIL, h) or 0.0
        for n in table.axis("flows"):
            before, red, tail = (
                table("printed", code=code, flows=n, column=column).mean for column in ("PLRBC DT", "PLR RED", "PLR DT")
            )
            right.append((before / 100 * (k + h) <= limit) == (red <= tail))
    return Sample(100 * float(np.mean(right))) < 80.0


def _modelled(table: Table) -> Condition:
    """How RED's disadvantage by the model goes with the block, with the losses before correction of 100 flows."""
    red, tail = (
        table("printed", code="16,4", flows=100, column=f"PLRBC {scheme}").mean / 100 for scheme in ("RED", "DT")
    )

    def trend(codes: list[str]) -> Sample:
        sizes = [numbers(code) for code in codes]
        gaps = [float(RED.residual_loss(red, k, h) - DROPTAIL.residual_loss(tail, k, h)) for k, h in sizes]
        return judge.trend([Sample(gap) for gap in gaps])

    return all_of((trend(QUARTER) <= -1.0).at("a quarter"), (trend(TENTH) >= 1.0).at("a tenth"))


printed, half = metric("printed", "%"), metric("half", "%")


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> Statement:
    """Two printed numbers are no further apart than the sum of their half-widths."""
    return abs(printed(**other) - printed(**one)) <= half(**one) + half(**other)


CODED = (
    own(
        "rule",
        "the rule of Section 5.6, RED where p (k + h) <= x_h, picks the better scheme too seldom by Tables 5.1 and 5.2",
        by_table(_rule_is_right, "less than 80 % of their 20 points, p drop-tail's PLRBC"),
    ),
    own(
        "redundancy",
        "Tables 5.1 and 5.2: four times the redundancy does not change losses before correction beyond the intervals",
        _apart({"code": "16,1"}, {"code": "16,4"})(column=["PLRBC DT", "PLRBC RED"]),
        "PLRBC of (16,1) and (16,4) within the sum of their 99 % half-widths, both schemes, every load",
    ),
    own(
        "gap",
        "the model of Section 5.5 has RED's disadvantage with 100 flows fall with the block at a quarter of redundancy",
        by_table(_modelled, "PLRBC of Table 5.2: rank correlation of the modelled gap with k -1, and 1 at a tenth"),
    ),
    own(
        "crossing",
        "Table 5.2 does not tell RED from drop-tail at 80 flows",
        _apart({"column": "PLR RED"}, {"column": "PLR DT"})(code="16,4", flows=80),
        "PLR closer than the sum of the 99 % half-widths",
    ),
    own(
        "ratios",
        "Table 5.2: what (16,4) divides the losses at 10 flows by is open, as its losses may be none",
        every(
            (printed <= half)(column=["PLR DT", "PLR RED"], flows=10),
            (half >= printed * 0.6)(column="PLR RED", flows=30),
        )(code="16,4"),
        "99 % half-widths of PLR at 10 flows as large as PLR; at 30 flows, behind RED, 63 % of it",
    ),
)


def _of_ns2(name: str, says: str, expected: str, holds: Condition) -> Claim:
    return own(f"ns2-{name}", f"ns-2.35 too: {says}", by_table(lambda _: holds, expected))


OF_NS2 = (
    _of_ns2(
        "queue",
        "with 3 flows the adaptive REDs have a longer and less steady queue than RED",
        "AQS and VQS of Feng's and Floyd's scheme above RED's",
        all_of(
            (Sample(NS2[s][name]) > NS2["RED"][name]).at(f"{name}, {s}")
            for name in ("AQS", "VQS")
            for s in ("Feng", "Floyd")
        ),
    ),
    _of_ns2(
        "losses",
        "with 3 flows Floyd's scheme loses less than RED",
        "95 % interval of the difference below 0",
        Sample(max(NS2_LESS)) < 0.0,
    ),
    _of_ns2(
        "full",
        "once Floyd's scheme has adapted it seldom fills the buffer",
        "X = 35 for less than 1 % of the time with 50, 70 and 100 more flows",
        all_of((Sample(share) < 1.0).at(f"{more} more") for more, share in NS2_FULL.items()),
    ),
    _of_ns2(
        "runs",
        "more than 78 % of the runs of losses behind drop-tail are single losses",
        "60 % + 30 % of it at most, as printed: above",
        Sample(NS2_SINGLE) > 78.0,
    ),
)

CLAIMS = (*THRESHOLDS, *SYMBOLS, *CODED, *OF_NS2)
