"""Figure 10: where RED's control function meets the queue law (Section V)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003.constant import law
from penstock.papers.chung_claypool_2003.step_load import LIMIT, LOADS, MAX_P, MAX_TH, MIN_TH
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample
from penstock.results.summary_table import Shown
from penstock.results.table import Labels, Table

LAWS = {
    "drops, with timeouts": law("drop", timeouts=True),
    "drops, without": law("drop"),
    "marks": law("mark"),
}


def rows(effort: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """Queue and probability of each load, and the most flows that meet below max_th."""

    def control(q: float) -> float:
        return float(ps.model.red_control(q, MIN_TH, MAX_TH, MAX_P))

    found: list[tuple[Labels, dict[str, float]]] = []
    for name, of in LAWS.items():
        found.append(({"law": name}, {"most": float(of.largest_flows(MAX_TH, MAX_P))}))
        for flows in LOADS:
            at = of.crossing(flows, control, LIMIT)
            meets = at is not None and not at.at_jump
            queue, p = (at.queue, at.probability) if at is not None and meets else (math.nan, math.nan)
            found.append(({"law": name, "flows": flows}, {"q": queue, "p": p}))
    return found


def claims(table: Table) -> Iterator[Claim]:
    """Claim c14."""

    def most(name: str) -> Sample:
        return next(samples["most"] for at, samples in table.cells if at["law"] == name and "most" in samples)

    says = "the law says that RED is stable up to about 200 flows"
    expected = "the most flows that meet RED below max_th: 200 (175 to 225, half a step of the loads)"
    yield Claim(
        id="c14", says=says, expected=expected, must_hold=True,
        holds=most("drops, with timeouts").reads(200, low=175, high=225),
    )  # fmt: skip
    yield Claim(
        id="c14", says=says, expected=expected, reading="windows without timeouts, as figure 4 draws them",
        holds=most("drops, without").reads(200, low=175, high=225),
    )  # fmt: skip


def draw(shown: Shown) -> Figure:
    """The operating points."""
    return curves(shown, "flows", "q", "law", labels=("flows", "queue where law and RED meet (packets)"))
