"""Why thresholds matter less here than in chapter 3: in ns-2's RED the ramp above Max stays where max_p first put it.

ns-2 works out line and ramp of its drop function once. A max_p that moves then multiplies the line below Max only, and
thresholds that move only tell which of the two counts. PSAND made of ns-2's RED has this: with receivers that have
delayed acknowledgements Table 3.1 is met, and method 1 has its row of Table 3.3 if Max may start at the buffer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import cells, judge, tab3_1, tab3_3
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import BUFFER, LOADS, floyd, load, psand
from penstock.papers.alemu_2004.thresholds import MINIMA
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Finding, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

NS2: Mapping[tuple[float, float], Mapping[str, float]] = {
    (10.5, 0): {"AQS": 10.59, "VQS": 42.08, "PLR": 12.03},
    (10.5, 9.75): {"AQS": 11.39, "VQS": 72.88, "PLR": 12.72},
    (20, 0): {"AQS": 11.27, "VQS": 55.60, "PLR": 12.12},
    (35, 0): {"AQS": 13.41, "VQS": 42.15, "PLR": 11.35},
}
"""By Max and Min: ns-2.35 with PSAND (1, 1), max_p at most 0.5, 23 flows and delayed acknowledgements, ten runs of
`validation/ns2/psand.tcl`."""
NS2_FLOYD = {10.5: 27.06, 15: 31.72, 20: 37.75, 35: 45.53}
"""Variance of the queue under Floyd's scheme by Max: ns-2.35 with Min 5, 3 flows, plain receivers, ten runs each."""
JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}
LEAST = 34
"""Cells of mean, variance and losses of Table 3.1, of 36, that are met."""


def study(effort: Effort) -> Study:
    """The rows of Table 3.1, method 1 from the buffer, Floyd's scheme, the ends of Figures 3.3 and 3.4."""

    def row(max_th: float, min_th: float) -> ps.Scenario:
        own = psand(1, 1, 0.5, min_th=min_th, max_th=max_th, gentle_from="first")
        return load(own, 23, acks="delayed")

    def moved(method: str, flows: int) -> ps.Scenario:
        return load(psand(adapt=method, max_th=BUFFER, gentle_from="first"), flows)

    def ends(max_th: float, min_th: float, flows: int) -> ps.Scenario:
        return load(psand(min_th=min_th, max_th=max_th, gentle_from="first"), flows, acks="delayed")

    def floyds(max_th: float) -> ps.Scenario:
        return load(floyd(min_th=5, max_th=max_th), 3)

    def part(name: str) -> Mapping[str, str]:
        return {"part": name}

    seeds = effort.choose(5, 10)
    rows: Mapping[str, Sequence[Any]] = {
        "max_th": effort.choose([20], tab3_1.MAXIMA),
        "min_th": effort.choose([0], tab3_1.MINIMA),
    }
    moves: Mapping[str, Sequence[Any]] = {"method": ["max-down"], "flows": [103]}
    figures: Mapping[str, Sequence[Any]] = {"max_th": [10.5, 35], "min_th": MINIMA, "flows": LOADS}
    found = (
        Study(row, rows, seeds=seeds, labels=part("rows"))
        + Study(moved, moves, seeds=2 * seeds, labels=part("moved"))
        + Study(floyds, {"max_th": list(NS2_FLOYD)}, seeds=2 * seeds, labels=part("Floyd"))
    )
    return found if effort.quick else found + Study(ends, figures, seeds=2 * seeds, labels=part("ends"))


def claims(table: Table) -> Iterator[Claim]:
    """Tables 3.1 and 3.3, Figures 3.3 and 3.4, and ns-2."""
    rows = table.where(part="rows")
    known = [key for key in NS2 if rows.has(max_th=key[0], min_th=key[1])]
    yield Claim(
        id="why-ramp/ns2",
        says="ns-2.35 with PSAND made of its RED has the same",
        expected="AQS and PLR within 10 %, VQS within 20 %",
        holds=all_of(
            rows(metric, max_th=high, min_th=low)
            .reads(NS2[high, low][metric], share=share)
            .at(f"{metric}, ({low:g}, {high:g})")
            for high, low in known
            for metric, share in (("AQS", 0.1), ("VQS", 0.2), ("PLR", 0.1))
        ),
        reading="own",
    )
    of_floyd = {high: table("VQS", part="Floyd", max_th=high) for high in NS2_FLOYD}
    yield Claim(
        id="why-ramp/ns2-max",
        says="Floyd, 3 flows: the variance rises with Max, as in ns-2.35",
        expected="within 10 % of ns-2's, higher at each step, Min 5",
        holds=all_of(
            *(of_floyd[high].reads(known, share=0.1).at(f"Max {high:g}") for high, known in NS2_FLOYD.items()),
            *(
                (of_floyd[low] < of_floyd[high]).at(f"{low:g} to {high:g}")
                for low, high in itertools.pairwise(NS2_FLOYD)
            ),
        ),
        reading="own",
    )
    if len(rows.cells) == len(tab3_1.MAXIMA) * len(tab3_1.MINIMA):
        own = [cell for cell in tab3_1.PRINTED if cell.metric in JUDGES]
        yield Claim(
            id="why-ramp/tab3.1",
            says="mean, variance and losses of Table 3.1 are met",
            expected=f"{LEAST} of {len(own)} cells at least within tolerance",
            holds=_most([_cell(rows, cell) for cell in own]),
            reading="own",
        )
    own = [
        cells.Cell(c.row, c.column, c.printed, c.metric, {"method": "max-down", "flows": 103, "part": "moved"})
        for c in tab3_3.PRINTED
        if c.row == "max-down"
    ]
    yield Claim(
        id="why-ramp/tab3.3-r1",
        says="the row of method 1, Max from 35",
        expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
        holds=cells.fits(table, own, tab3_3.JUDGES),
        reading="own",
    )
    if table.has(part="ends"):
        ends = table.where(part="ends")
        parts = [
            condition.at(f"{n} flows")
            for n in ends.axis("flows")
            for condition in (
                judge.lowest(0, [(low, ends("VQS", max_th=35, min_th=low, flows=n)) for low in MINIMA]),
                judge.relative_spread([ends("VQS", max_th=10.5, min_th=low, flows=n) for low in MINIMA]) <= 0.4,
            )
        ]
        yield Claim(
            id="why-ramp/fig3.3-4-c2",
            says="as fig3.3-4/c2",
            expected="refuted at no load",
            holds=_unrefuted(parts),
            reading="own",
        )


def _cell(table: Table, cell: cells.Cell) -> Condition:
    at = {key: value for key, value in cell.at.items() if key in ("max_th", "min_th")}
    return JUDGES[cell.metric](table(cell.metric, **at), cell.printed).at(cell.name)


def _most(parts: Sequence[Condition]) -> Condition:
    """At least so many are met."""
    missed = [part.decide() for part in parts]
    missed = [found for found in missed if found.verdict != "confirmed"]
    met = len(parts) - len(missed)
    why = "; ".join([f"{met} of {len(parts)} met", *(found.why for found in missed)])
    return Condition(lambda: Finding("confirmed" if met >= LEAST else "contradicted", None, why))


def _unrefuted(parts: Sequence[Condition]) -> Condition:
    """None is contradicted."""
    found = [part.decide() for part in parts]
    wrong = [one.why for one in found if one.verdict == "contradicted"]
    held = sum(one.verdict == "confirmed" for one in found)
    why = "; ".join([f"{held} of {len(found)} hold", *wrong])
    return Condition(lambda: Finding("contradicted" if wrong else "confirmed", None, why))
