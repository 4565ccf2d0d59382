"""Figure 1: the drop functions of RED and of gentle RED, whose ramp ends at the buffer (Section 1)."""

import numpy as np

import penstock as ps
from penstock.reproduce.figure import CurveFigure, ReproductionEffort, Rows

from .setup import redopt_in_packets, thresholds

FLOWS = 64
MAX_P = 0.1


def rows(effort: ReproductionEffort) -> Rows:
    """Rows of the drop functions: probability by average queue in packets, standard settings, 64 flows."""
    at = redopt_in_packets(FLOWS)
    tops = {"RED": None, "GRED": at.buffer}
    return [
        (
            {"scheme": scheme, "average": float(average)},
            {"p": float(ps.model.red_control(average, *thresholds("REDstd", at), MAX_P, gentle_top=top))},
        )
        for scheme, top in tops.items()
        for average in np.linspace(0, at.buffer, 101)
    ]


CLAIMS = ()  # the figure is a definition

draw = CurveFigure("average", "p", "scheme", labels=("average queue (packets)", "drop probability"))
