"""Figure 1: RED's control function over the queue law, well-configured (100 flows) and not (300) (Section I)."""

import numpy as np

import penstock as ps
from penstock.reproduce.figure import CurveFigure, ReproductionEffort, Rows

from .constant import queue_law
from .step_load import MAX_P, MAX_TH, MIN_TH


def rows(effort: ReproductionEffort) -> Rows:
    """Rows of RED's control function and of the queue law of 100 and 300 flows, where it has a probability."""
    for q in range(0, 401, 10):
        yield {"line": "RED", "q": q}, {"p": float(ps.model.red_control(q, MIN_TH, MAX_TH, MAX_P))}
        for flows in (100, 300):
            p = float(queue_law("drop", timeouts=True).probability(flows, q))
            if np.isfinite(p) and p <= 0.5:
                yield {"line": f"{flows} flows", "q": q}, {"p": p}


CLAIMS = ()  # a sketch; figure 10 has the points where the lines cross

draw = CurveFigure("q", "p", "line", labels=("mean queue (packets)", "probability"))
