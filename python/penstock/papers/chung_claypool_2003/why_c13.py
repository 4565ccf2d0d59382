"""Why c13: strict RED above 200 flows, with averages of longer and shorter memory."""

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Curves, Number, Sweep, every, metric, needing

from .step_load import RED, course, steps, swing


def _remembering(w_q: float, flows: int) -> ps.Scenario:
    """The weight of an arrival in the average, not given by the text: 0.002 is a memory of 0.2 s, a round trip."""
    return steps(ps.Red(**{**RED, "w_q": w_q}), flows)


study = Sweep(
    _remembering,
    {"w_q": Choice([0.002, 0.0001], [0.002, 0.0005, 0.0002, 0.0001]), "flows": Choice([250], [200, 250, 300])},
    keep=course,
)


def _grows(sd: Number, w_q: float, reading: str) -> Claim:
    return Claim(
        "c13",
        "RED becomes increasingly unstable above 200 flows",
        every(sd(flows=250) > sd(flows=200), sd(flows=300) > sd(flows=250))(w_q=w_q),
        reading=reading,
    )


CLAIMS = needing(
    {"flows": 300},
    _grows(metric("q_sd", says="sd of the queue"), 0.002, "the oscillation of the queue itself"),
    _grows(swing, 0.0001, "w_q = 0.0001, a memory of 4 s"),
)

draw = Curves("w_q", "avg_sd", "flows", labels=("w_q", "sd of the average queue (packets)"), log="x")
