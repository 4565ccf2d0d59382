"""Figure 15: queue and average, gentle RED with marks (Section V)."""

from functools import partial

from penstock.reproduce.figure import Statement, claims_if_measured, every, join_parts, within
from penstock.results.condition import all_of

from . import step_load
from .setup import claim
from .step_load import SWING, WHOLE, stable, swing

study = step_load.load_sweep("gentle RED-ECN", "gentle RED", "gentle RED-ECN, marks to the top")

UP_TO_200 = within(50, 200)


def _steady(marking: str) -> Statement:
    """The average does not oscillate; it may be above max_th, where the ramp of the gentle forms is."""
    steady = swing(flows=UP_TO_200) <= SWING
    return every(*(join_parts(all_of, steady(queue=queue)) for queue in ("gentle RED", marking)))


CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c15",
        _steady("gentle RED-ECN"),
        others={
            "packets are marked up to 2 max_th": _steady("gentle RED-ECN, marks to the top"),
            "the average is below max_th, too": stable(queue=["gentle RED", "gentle RED-ECN"], flows=UP_TO_200),
        },
    ),
)

draw = partial(step_load.draw_course, "gentle RED-ECN")
