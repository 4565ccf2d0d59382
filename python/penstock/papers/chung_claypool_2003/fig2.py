"""Figure 2: the control functions of gentle RED and of Adaptive RED at its bounds (Section I)."""

import penstock as ps
from penstock.reproduce.figure import CurveFigure, ReproductionEffort, Rows

from .step_load import MAX_P, MAX_TH, MIN_TH


def rows(effort: ReproductionEffort) -> Rows:
    """Rows of the control functions of gentle RED, and of Adaptive RED with max_p at its bounds of 0.001 and 0.5."""
    lines = {"gentle RED": MAX_P, "A-RED, max_p 0.001": 0.001, "A-RED, max_p 0.5": 0.5}
    return [
        ({"line": line, "q": q}, {"p": float(ps.model.red_control(q, MIN_TH, MAX_TH, max_p, gentle_top=2 * MAX_TH))})
        for line, max_p in lines.items()
        for q in range(0, 2 * MAX_TH + 1, 20)
    ]


CLAIMS = ()  # a sketch of definitions, which the tests of the schemes check

draw = CurveFigure("q", "p", "line", labels=("average queue (packets)", "probability"))
