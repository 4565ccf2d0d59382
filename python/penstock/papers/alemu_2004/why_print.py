"""Statements of the thesis against its own printed numbers; statements without PSAND against ns-2.35."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce import shape
from penstock.reproduce.figure import ReproductionEffort, Rows, Statement, Table, every, metric, table_statement
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import equal_trips, symbols, table3_1, unequal_trips
from .blocks import QUARTER, TENTH
from .judge import NS2
from .model5 import DROPTAIL, RED
from .own import own_claim_factory
from .setup import AQS, CONTROLLERS, KT, LU, PLR, VQS, F
from .tables5 import block_packets

CODES = {"tab5-1": "16,1", "tab5-2": "16,4"}


def rows(_: ReproductionEffort) -> Rows:
    """The printed numbers with which statements of the text are compared."""
    for table, printed in (("4.2", equal_trips.PRINTED), ("4.3", unequal_trips.PRINTED)):
        yield from [
            (
                {"table": table, "scheme": s},
                {metric: float(symbols.symbol_rank(column[s])) for metric, column in printed.items()},
            )
            for s in CONTROLLERS
        ]
    for name, code in CODES.items():
        with (Path(__file__).parent / "expected" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                at = {"code": code, "flows": int(line["line"].split()[0]), "column": line["x"]}
                yield at, {"printed": float(line["y"]), "half": float(line["half"])}


own = own_claim_factory("why-print")


def _printed(holds: Statement, text: str) -> Statement:
    """A statement on the printed numbers of Table 3.1."""
    table = table3_1.PRINTED.numbers()
    return table_statement(lambda _: holds.on_table(table), text)


BEYOND = every(*((VQS(max_th=35) < VQS(max_th=20) * (1.01 if low == 5 else 1))(min_th=low) for low in table3_1.MINIMA))
NEAR = every(AQS(max_th=20) > KT, VQS(max_th=20) > VQS(max_th=35) * 1.2)(min_th=0)
THRESHOLDS = (
    own(
        "rising",
        _printed(
            shape.axis_rank_correlation(VQS(min_th=[5, 9.75]), "max_th") < 0.8,
            "rank correlation below 0.8 for Min 5 and 9.75",
        ),
    ),
    own("beyond", _printed(BEYOND, "VQS at Max 35 below that at 20 for Min 0 and 9.75, within 1 % for Min 5")),
    own("recommended", _printed(NEAR, "AQS > 10; VQS more than 20 % above that of Max 35, Min 0")),
)


EQUAL, UNEQUAL = {"table": "4.2"}, {"table": "4.3"}
"""The tables of equal and of unequal round trips."""

SYMBOLS = (
    own(
        "fairness",
        every(
            (F(scheme="BLUE") > F(scheme="PSAND"))(**UNEQUAL),
            (F(scheme="PSAND") > F(scheme="REM"))(**UNEQUAL),
            (abs(F(scheme="PSAND") - F(scheme=["REM", "LRED"])) <= 0)(**EQUAL),
        ),
        "F of the schemes differs in Table 4.3; F(PSAND) = F(REM) = F(LRED) in Table 4.2",
    ),
    own(
        "avq",
        every(abs(AQS(scheme="AVQ") - AQS(scheme="PSAND")) <= 0, VQS(scheme="AVQ") < VQS(scheme="PSAND"))(**EQUAL),
    ),
    own(
        "unequal",
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
    """RED where p (k + h) <= x_h is the scheme with the smaller printed loss after correction at too few points."""
    right = []
    for code in CODES.values():
        k, h = block_packets(code)
        limit = ps.model.code_threshold(RED, DROPTAIL, h) or 0.0
        for n in table.axis("flows"):
            before, red, tail = (
                table("printed", code=code, flows=n, column=column).mean for column in ("PLRBC DT", "PLR RED", "PLR DT")
            )
            right.append((before / 100 * (k + h) <= limit) == (red <= tail))
    return RunSample(100 * float(np.mean(right))) < 80.0


def _modelled(table: Table) -> Condition:
    """RED's modelled disadvantage against the block size, with the losses before correction of 100 flows."""
    red, tail = (
        table("printed", code="16,4", flows=100, column=f"PLRBC {scheme}").mean / 100 for scheme in ("RED", "DT")
    )

    def trend(codes: list[str]) -> RunSample:
        sizes = [block_packets(code) for code in codes]
        gaps = [float(RED.residual_loss(red, k, h) - DROPTAIL.residual_loss(tail, k, h)) for k, h in sizes]
        return shape.curve_rank_correlation([RunSample(gap) for gap in gaps])

    return all_of((trend(QUARTER) <= -1.0).at("a quarter"), (trend(TENTH) >= 1.0).at("a tenth"))


printed, half = metric("printed", "%"), metric("half", "%")


def _apart(first: Mapping[str, Any], second: Mapping[str, Any]) -> Statement:
    """Two printed numbers differ by at most the sum of their half-widths."""
    return abs(printed(**second) - printed(**first)) <= half(**first) + half(**second)


CODED = (
    own("rule", table_statement(_rule_is_right, "less than 80 % of their 20 points, p drop-tail's PLRBC")),
    own("redundancy", _apart({"code": "16,1"}, {"code": "16,4"})(column=["PLRBC DT", "PLRBC RED"])),
    own(
        "gap",
        table_statement(
            _modelled, "PLRBC of Table 5.2: rank correlation of the modelled gap with k -1, and 1 at a tenth"
        ),
    ),
    own("crossing", _apart({"column": "PLR RED"}, {"column": "PLR DT"})(code="16,4", flows=80)),
    own(
        "ratios",
        every(
            (printed <= half)(column=["PLR DT", "PLR RED"], flows=10),
            (half >= printed * 0.6)(column="PLR RED", flows=30),
        )(code="16,4"),
        "99 % half-widths of PLR at 10 flows as large as PLR; at 30 flows, behind RED, 63 % of it",
    ),
)


def _settled(text: str, *holds: Condition) -> Statement:
    """Conditions on numbers of ns-2.35."""
    return table_statement(lambda _: all_of(*holds) if len(holds) > 1 else holds[0], text)


ADAPTED = NS2["full buffer"].items()
LONGER = (
    (RunSample(NS2[f"{scheme}, 3 flows"][q]) > NS2["RED, 3 flows"][q]).at(f"{q}, {scheme}")
    for q in ("AQS", "VQS")
    for scheme in ("Feng", "Floyd")
)
OF_NS2 = (
    own("ns2-queue", _settled("AQS and VQS of Feng's and Floyd's scheme above RED's", *LONGER)),
    own(
        "ns2-losses",
        _settled("95 % interval of the difference below 0", RunSample(NS2["losses less RED's"]["high"]) < 0.0),
    ),
    own(
        "ns2-full",
        _settled(
            "X = 35 for less than 1 % of the time with 50, 70 and 100 more flows",
            *((RunSample(share) < 1.0).at(f"{more} more") for more, share in ADAPTED),
        ),
    ),
    own(
        "ns2-runs",
        _settled("60 % + 30 % of it at most, as printed: above", RunSample(NS2["runs of losses"]["single"]) > 78.0),
    ),
)

CLAIMS = (*THRESHOLDS, *SYMBOLS, *CODED, *OF_NS2)
