"""What the printed numbers of the thesis say of its own statements, and what ns-2.35 says of those without PSAND."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import cells, judge, symbols, tab3_1, tab4_2, tab4_3
from penstock.papers.alemu_2004.blocks import QUARTER, TENTH
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.papers.alemu_2004.setup import CONTROLLERS, KT
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Table

__all__ = ["claims", "rows"]

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


def rows(effort: Effort) -> list[tuple[Mapping[str, Any], Mapping[str, float]]]:
    """The printed numbers that statements of the text are laid beside."""
    del effort
    found: list[tuple[Mapping[str, Any], Mapping[str, float]]] = []
    for table, printed in (("4.2", tab4_2.PRINTED), ("4.3", tab4_3.PRINTED)):
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


def claims(table: Table) -> Iterator[Claim]:
    """By chapter."""
    yield from _thresholds(cells.as_table(tab3_1.PRINTED))
    yield from _symbols(table)
    yield from _codes(table)
    yield from _ns2()


def _own(name: str, says: str, expected: str, holds: Condition) -> Claim:
    return Claim(id=f"why-print/{name}", says=says, expected=expected, holds=holds, reading="own")


def _thresholds(table: Table) -> Iterator[Claim]:
    def of(metric: str, max_th: float, min_th: float) -> Sample:
        return table(metric, max_th=max_th, min_th=min_th, acks="each")

    highs = tab3_1.MAXIMA
    yield _own(
        "rising",
        "Table 3.1: the variance does not rise with Max for Min from 5 on",
        "rank correlation below 0.8 for Min 5 and 9.75",
        all_of((judge.trend([of("VQS", high, low) for high in highs]) < 0.8).at(f"Min {low:g}") for low in (5, 9.75)),
    )
    yield _own(
        "beyond",
        "Table 3.1: the variance is not larger at Max 35 than at Max 20 (Section 3.2.4: it decreases with Max)",
        "VQS at Max 35 below that at 20 for Min 0 and 9.75, within 1 % for Min 5",
        all_of((of("VQS", 35, low) < of("VQS", 20, low) * (1.01 if low == 5 else 1)).at(f"Min {low:g}")
               for low in tab3_1.MINIMA),
    )  # fmt: skip
    yield _own(
        "recommended",
        "Table 3.1: with (0, 20) the average exceeds the target and the variance is not near the least",
        "AQS > 10; VQS more than 20 % above that of Max 35, Min 0",
        all_of((of("AQS", 20, 0) > float(KT)).at("AQS"), (of("VQS", 20, 0) > of("VQS", 35, 0) * 1.2).at("VQS")),
    )


def _symbols(table: Table) -> Iterator[Claim]:
    def of(metric: str, scheme: str, printed: str) -> Sample:
        return table(metric, table=printed, scheme=scheme)

    yield _own(
        "fairness",
        "Table 4.3 has three ratings of F, Table 4.2 the same for PSAND, REM and LRED",
        "F of the schemes differs in Table 4.3; F(PSAND) = F(REM) = F(LRED) in Table 4.2",
        all_of(
            (of("F", "BLUE", "4.3") > of("F", "PSAND", "4.3")).at("BLUE"),
            (of("F", "PSAND", "4.3") > of("F", "REM", "4.3")).at("REM"),
            *((abs(of("F", "PSAND", "4.2") - of("F", s, "4.2")) <= 0.0).at(s) for s in ("REM", "LRED")),
        ),
    )
    yield _own(
        "avq",
        "Table 4.2 has the mean queue of AVQ as good as PSAND's and its variance worse",
        "AQS the same symbol, VQS + below ++",
        all_of(
            (abs(of("AQS", "AVQ", "4.2") - of("AQS", "PSAND", "4.2")) <= 0.0).at("AQS"),
            (of("VQS", "AVQ", "4.2") < of("VQS", "PSAND", "4.2")).at("VQS"),
        ),
    )
    yield _own(
        "unequal",
        "Tables 4.2 and 4.3 do not rate BLUE and REM alike, nor PI worse with unequal round trips",
        "BLUE's PLR better; REM's AQS and VQS better, LU and F worse; PI worse in no column",
        all_of(
            (of("PLR", "BLUE", "4.3") > of("PLR", "BLUE", "4.2")).at("BLUE"),
            *((of(metric, "REM", "4.3") > of(metric, "REM", "4.2")).at(f"REM, {metric}") for metric in ("AQS", "VQS")),
            *((of(metric, "REM", "4.3") < of(metric, "REM", "4.2")).at(f"REM, {metric}") for metric in ("LU", "F")),
            *((of(metric, "PI", "4.3") >= of(metric, "PI", "4.2")).at(f"PI, {metric}") for metric in tab4_2.PRINTED),
        ),
    )


def _codes(table: Table) -> Iterator[Claim]:
    def of(column: str, code: str, n: int, name: str = "printed") -> Sample:
        return table(name, code=code, flows=n, column=column)

    flows = table.axis("flows")
    right = Sample(100 * sum(_right(table, code, n) for code in CODES.values() for n in flows) / (2 * len(flows)))
    yield _own(
        "rule",
        "the rule of Section 5.6, RED where p (k + h) <= x_h, picks the better scheme too seldom by Tables 5.1 and 5.2",
        "less than 80 % of their 20 points, p drop-tail's PLRBC",
        right < 80.0,
    )
    yield _own(
        "redundancy",
        "Tables 5.1 and 5.2: four times the redundancy does not change losses before correction beyond the intervals",
        "PLRBC of (16,1) and (16,4) within the sum of their 99 % half-widths, both schemes, every load",
        all_of(
            (
                abs(of(f"PLRBC {s}", "16,4", n) - of(f"PLRBC {s}", "16,1", n))
                <= of(f"PLRBC {s}", "16,1", n, "half") + of(f"PLRBC {s}", "16,4", n, "half")
            ).at(f"{s}, {n} flows")
            for s, n in itertools.product(("DT", "RED"), flows)
        ),
    )
    gaps = {codes[0]: [_modelled(table, *numbers(code)) for code in codes] for codes in (QUARTER, TENTH)}
    yield _own(
        "gap",
        "the model of Section 5.5 has RED's disadvantage with 100 flows fall with the block at a quarter of redundancy",
        "PLRBC of Table 5.2: rank correlation of the modelled gap with k -1, and 1 at a tenth",
        all_of(
            (judge.trend(gaps["8,2"]) <= -1.0).at("a quarter"),
            (judge.trend(gaps["10,1"]) >= 1.0).at("a tenth"),
        ),
    )
    yield _own(
        "crossing",
        "Table 5.2 does not tell RED from drop-tail at 80 flows",
        "PLR closer than the sum of the 99 % half-widths",
        abs(of("PLR RED", "16,4", 80) - of("PLR DT", "16,4", 80))
        <= of("PLR RED", "16,4", 80, "half") + of("PLR DT", "16,4", 80, "half"),
    )
    yield _own(
        "ratios",
        "Table 5.2: what (16,4) divides the losses at 10 flows by is open, as its losses may be none",
        "99 % half-widths of PLR at 10 flows as large as PLR; at 30 flows, behind RED, 63 % of it",
        all_of(
            *((of(f"PLR {s}", "16,4", 10) <= of(f"PLR {s}", "16,4", 10, "half")).at(s) for s in ("DT", "RED")),
            (of("PLR RED", "16,4", 30, "half") >= of("PLR RED", "16,4", 30) * 0.6).at("RED, 30"),
        ),
    )


def _modelled(table: Table, k: int, h: int) -> Sample:
    """RED's losses after correction above drop-tail's by the model, with the losses before it of 100 flows."""
    before = {s: table("printed", code="16,4", flows=100, column=f"PLRBC {s}").mean / 100 for s in ("RED", "DT")}
    return Sample(float(RED.residual_loss(before["RED"], k, h) - DROPTAIL.residual_loss(before["DT"], k, h)))


def _right(table: Table, code: str, n: int) -> bool:
    """Whether the rule picks the scheme with the smaller printed loss after correction."""

    def of(column: str) -> float:
        return table("printed", code=code, flows=n, column=column).mean

    k, h = numbers(code)
    limit = ps.model.code_threshold(RED, DROPTAIL, h) or 0.0
    return bool((of("PLRBC DT") / 100 * (k + h) <= limit) == (of("PLR RED") <= of("PLR DT")))


def _ns2() -> Iterator[Claim]:
    yield _own(
        "ns2-queue",
        "ns-2.35 too: with 3 flows the adaptive REDs have a longer and less steady queue than RED",
        "AQS and VQS of Feng's and Floyd's scheme above RED's",
        all_of(
            (Sample(NS2[s][metric]) > NS2["RED"][metric]).at(f"{metric}, {s}")
            for metric in ("AQS", "VQS")
            for s in ("Feng", "Floyd")
        ),
    )
    yield _own(
        "ns2-losses",
        "ns-2.35 too: with 3 flows Floyd's scheme loses less than RED",
        "95 % interval of the difference below 0",
        Sample(max(NS2_LESS)) < 0.0,
    )
    yield _own(
        "ns2-full",
        "ns-2.35 too: once Floyd's scheme has adapted it seldom fills the buffer",
        "X = 35 for less than 1 % of the time with 50, 70 and 100 more flows",
        all_of((Sample(share) < 1.0).at(f"{more} more") for more, share in NS2_FULL.items()),
    )
    yield _own(
        "ns2-runs",
        "ns-2.35 too: more than 78 % of the runs of losses behind drop-tail are single losses",
        "60 % + 30 % of it at most, as printed: above",
        Sample(NS2_SINGLE) > 78.0,
    )
