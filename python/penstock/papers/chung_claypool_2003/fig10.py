"""Figure 10: the intersections of RED's control function and the queue law (Section V)."""

import math

import penstock as ps
from penstock.reproduce.figure import CurveFigure, ReproductionEffort, Rows, metric

from .constant import queue_law
from .setup import claim
from .step_load import ABOUT_200, LIMIT, LOADS, MAX_P, MAX_TH, MIN_TH

LAWS = {
    "drops, with timeouts": queue_law("drop", timeouts=True),
    "drops, without": queue_law("drop"),
    "marks": queue_law("mark"),
}


def rows(effort: ReproductionEffort) -> Rows:
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


most = metric("most", says="the most flows that meet RED below max_th")

# Figure 10 has the curves of "the previous section", which are the measured curves of figure 9 (c14 there).
CLAIMS = tuple(
    claim("c14", most(law=law, flows=None).matches_printed(200, *ABOUT_200), reading=f"the law's curves: {law}")
    for law in ("drops, with timeouts", "drops, without")
)

draw = CurveFigure("flows", "q", "law", labels=("flows", "queue where law and RED meet (packets)"))
