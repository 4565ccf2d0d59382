"""Why c24: A-RED with drops and with marks, max_p moving or held, windows halved to whole or to real numbers."""

from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.figure import Claim, CurveFigure, QuickOrFull, SummaryTable, Sweep, every

from .setup import claim
from .step_load import LIMIT, MAX_TH, MIN_TH, QUEUES, course, step_scenario, swing

FLOWS = 200
HELD = {"A-RED": 0.25, "A-RED-ECN": 0.37}  # the average max_p with 200 flows
FORMS = {"as it is": (True, "whole"), "max_p held": (False, "whole"), "max_p held, real windows": (False, "real")}
"""Whether max_p moves, and how windows are halved."""


def _step(queue: str, form: str) -> ps.Scenario:
    moving, halving = FORMS[form]
    fixed = ps.Red(
        min_th=MIN_TH, max_th=MAX_TH, max_p=HELD[queue], w_q=0.002, limit=f"{LIMIT}p", gentle=True,
        ecn=queue.endswith("ECN"),
    )  # fmt: skip
    return step_scenario(QUEUES[queue] if moving else fixed, FLOWS, halving=halving)


study = Sweep(_step, {"queue": list(HELD), "form": list(FORMS)}, seeds=QuickOrFull(5, 10), keep=course)

AS_IT_IS, FIXED, REAL = (swing(form=form) for form in FORMS)
CLAIMS = (
    claim("c24", (FIXED(queue="A-RED-ECN") < FIXED(queue="A-RED")), reading="max_p held where it is on average"),
    Claim(
        "c24",
        "the average of A-RED-ECN moves because max_p is adapted and windows are 2 to 3 whole packets",
        every(FIXED < AS_IT_IS, REAL < FIXED)(queue="A-RED-ECN"),
        reading="the cause of the difference",
    ),
)


def draw(summary: SummaryTable) -> Figure:
    """Figure of the deviation of the average queue in each phase of the load."""
    points = SummaryTable(
        ({"queue": labels["queue"], "step": list(FORMS).index(labels["form"])}, numbers)
        for labels, numbers in summary.cells
    )
    labels = ("0: as it is, 1: max_p held, 2: and real windows", "sd of the average queue (packets)")
    return CurveFigure("step", "avg_sd", "queue", labels=labels)(points)
