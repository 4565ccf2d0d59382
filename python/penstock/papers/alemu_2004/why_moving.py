"""Why Section 3.3 finds the fixed thresholds best: unlike loads side by side, and max_p of method 8 that begins at 0.1.

`why-methods` tells the load of each row of Table 3.3 from its losses. Here method 8 begins with max_p 0.1, as PSAND in
Table 2.1, not with 1, as the text has it; and the swings of Figure 3.12 are looked for at "a heavy traffic load".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import adaptations, cells, fig3_12, fig3_14
from penstock.papers.alemu_2004.measures import Numbers, of_queue
from penstock.papers.alemu_2004.setup import KT, load, psand
from penstock.papers.alemu_2004.tab3_3 import JUDGES, METHODS, PRINTED
from penstock.papers.alemu_2004.why_methods import OWN
from penstock.reproduce.claim import Claim, on
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]


def study(effort: Effort) -> Study:
    """All methods at three loads, and the courses of some."""

    def scenario(method: str, flows: int, sampling: str = "10ms") -> ps.Scenario:
        first = {"max_p": 0.1} if method == "sandwich" else {}
        return load(psand(adapt=method, **first), flows, sampling=sampling)

    courses = Study(
        lambda method, flows: scenario(method, flows, "100ms"),
        {"method": ["max-down", "spread", "shift-down", "sandwich"], "flows": [23, 103]},
        seeds=effort.choose(5, 20),
        labels={"part": "course"},
        keep=adaptations.keep,
    )
    axes: Mapping[str, Sequence[Any]] = {"method": [*METHODS, "none"], "flows": [23, 53, 103]}
    return Study(scenario, axes, seeds=effort.choose(5, 100), labels={"part": "table"}) + courses


def measure(run: ps.Run) -> Numbers:
    """The queue; of a course how it lies to its thresholds."""
    kept = run.raw.get("kept")
    if kept is None:
        return of_queue(run)
    steps = {name: np.asarray(kept["steps"][name]) for name in ("change", "max", "high")}
    opposite, at_bound = abs(steps["max"] + steps["change"]) < 1e-6, steps["high"] <= KT
    return {
        **of_queue(run),
        **{name: kept[name] for name in ("above", "crossings", "mean max_th")},
        "against": 100 * float(np.mean(opposite | at_bound)),
        "at bound": 100 * float(np.mean(at_bound)),
    }


def claims(table: Table) -> Iterator[Claim]:
    """The row and the figure of method 8, the figure of method 6, and who beats the fixed thresholds."""
    rows, courses = table.where(part="table"), table.where(part="course")

    def of(metric: str, method: str, flows: int) -> Sample:
        return rows(metric, method=method, flows=flows)

    for name, row, method, flows in (
        ("row4", "spread", "shift-up", 53),
        ("row6", "shift-down", "shift-up", 53),
        ("row8", "sandwich", "sandwich", 23),
    ):
        own = [replace(cell, at={"method": method, "flows": flows}) for cell in PRINTED if cell.row == row]
        yield Claim(
            id=f"why-moving/{name}",
            says=f"the row of {row} is what {method} gives at {flows} flows, max_p from 0.1",
            expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
            holds=cells.fits(rows, own, JUDGES),
            reading="own",
        )
    for claim in (
        *on(fig3_14.CLAIMS, courses.where(method="sandwich", flows=23)),
        *on(fig3_12.CLAIMS, courses.where(flows=103)),
    ):
        yield replace(claim, id=f"why-moving/{claim.id}", reading="own")
    down = courses.where(method="max-down", flows=103)
    yield Claim(
        id="why-moving/max",
        says="method 1: Max and the average move against each other: Max is at 10 at the peaks of the average only",
        expected="a step is minus the change of the average or ends at 10, at most 5 % of them there; mean Max > 12.5",
        holds=all_of(
            (down("against") >= 99.0).at("against"),
            (down("at bound") <= 5.0).at("at 10"),
            (down("mean max_th") > 12.5).at("mean"),
        ),
        reading="own",
    )
    for name, methods in (("tab3.3-c4", (1, 2, 4, 5, 6, 7, 8)), ("ch3-c1", (1, 2))):
        yield Claim(
            id=f"why-moving/{name}",
            says=f"(0, 20) at 23 flows against methods {', '.join(map(str, methods))}, each at the load of its row",
            expected="AQS and VQS of (0, 20) below",
            holds=all_of(
                (of(metric, "none", 23) < of(metric, METHODS[i - 1], OWN[METHODS[i - 1]])).at(f"{metric}, method {i}")
                for metric in ("AQS", "VQS")
                for i in methods
            ),
            reading="own",
        )
    yield Claim(
        id="why-moving/concl-c2",
        says="method 8 with max_p from 0.1 does not beat (0, 20)",
        expected="AQS and VQS above at 23 and 103 flows",
        holds=all_of(
            (of(metric, "sandwich", n) > of(metric, "none", n)).at(f"{metric}, {n}")
            for metric in ("AQS", "VQS")
            for n in (23, 103)
        ),
        reading="own",
    )
