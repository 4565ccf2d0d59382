"""Figure 10: the intersections of RED's control function and the queue law (Section V)."""

import math

import penstock as ps
from penstock.reproduce.figure import Curves, Effort, Rows, Statement, metric

from .constant import law
from .setup import claim
from .step_load import LIMIT, LOADS, MAX_P, MAX_TH, MIN_TH

LAWS = {"drops, with timeouts": law("drop", timeouts=True), "drops, without": law("drop"), "marks": law("mark")}


def rows(effort: Effort) -> Rows:
    """Queue and probability for each load, and the largest number of flows with an intersection below max_th."""

    def control(q: float) -> float:
        return float(ps.model.red_control(q, MIN_TH, MAX_TH, MAX_P))

    for name, of in LAWS.items():
        yield {"law": name}, {"most": float(of.largest_flows(MAX_TH, MAX_P))}
        for flows in LOADS:
            at = of.crossing(flows, control, LIMIT)
            meets = at is not None and not at.at_jump
            queue, p = (at.queue, at.probability) if at is not None and meets else (math.nan, math.nan)
            yield {"law": name, "flows": flows}, {"q": queue, "p": p}


def _most(law: str) -> Statement:
    return metric("most", says="the most flows that meet RED below max_th")(law=law, flows=None).reads(200, 175, 225)


CLAIMS = (
    claim(
        "c14",
        _most("drops, with timeouts"),
        "the most flows that meet RED below max_th: 200 (175 to 225, half a step of the loads)",
        must_hold=True,
        others={"windows without timeouts, as figure 4 draws them": _most("drops, without")},
    ),
)

draw = Curves("flows", "q", "law", labels=("flows", "queue where law and RED meet (packets)"))
