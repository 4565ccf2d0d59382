"""Figure 10: RED's control function over the measured queue laws (Section V)."""

import numpy as np

from penstock.reproduce.figure import Number, formula
from penstock.results.sample import RunSample

from .constant import drops_and_marks, one_graph_figure, queue_law
from .setup import claim
from .step_load import ABOUT_200, LIMIT, MAX_P, MAX_TH, MIN_TH

study = drops_and_marks


def _most(timeouts: bool) -> Number:
    """By the law for drops, the largest number of flows that meet RED's control function below max_th."""
    most = RunSample(float(queue_law("drop", timeouts=timeouts).largest_flows(MAX_TH, MAX_P)))
    return formula(lambda: most, "the most flows that meet RED below max_th")


# Figure 10 has the curves of "the previous section", which are the measured curves of figure 9 (c14 there).
CLAIMS = tuple(
    claim("c14", _most(timeouts).matches_printed(200, *ABOUT_200), reading=f"the law's curves: {words}")
    for words, timeouts in (("drops, with timeouts", True), ("drops, without", False))
)

RED = [*((MAX_P * share, MIN_TH + (MAX_TH - MIN_TH) * share) for share in np.geomspace(0.05, 1, 20)), (1.0, MAX_TH)]
"""The queue at each probability: from 5 % of max_p, as the axis is logarithmic, up to the jump at max_th."""
draw = one_graph_figure(limits=(0, LIMIT + MIN_TH), functions={"RED": RED})
