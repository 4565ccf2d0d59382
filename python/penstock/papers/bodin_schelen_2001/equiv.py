"""WRED, RIO and WRT are the same while only packets out of profile are dropped (Section 2.1)."""

import penstock as ps
from penstock.reproduce.figure import Claim, Sweep, every, metric

from .setup import HALF, LEVEL_1, NEVER, network, run_span, wred

_MIN, _MAX, _P = LEVEL_1
QUEUES: dict[str, ps.Queue] = {
    "WRED": wred("DA", "strict"),
    "RIO": ps.Rio(min_in=NEVER[0], max_in=NEVER[1], p_in=NEVER[2], min_out=_MIN, max_out=_MAX, p_out=_P, w_q=0.002),
    "WRT": ps.Wrt(th_in=NEVER[0], min_th=(NEVER[0], _MIN), max_th=(NEVER[1], _MAX), max_p=(NEVER[2], _P), w_q=0.002),
}

study = Sweep(lambda queue: network(QUEUES[queue], "reno", HALF), {"queue": list(QUEUES)}, span=run_span("20s"))


def measure(run: ps.Run) -> dict[str, float | None]:
    """Numbers in which two runs would differ if the schemes did."""
    core = run.links["core"]
    return {"arrivals": core.arrivals, "drops": core.drops, "q": core.length_mean_pkts}


numbers = (metric("arrivals"), metric("drops"), metric("q", "packets", "mean queue"))
CLAIMS = (
    Claim(
        "equiv",
        "WRED, RIO and WRT behave equally when only packets out of profile are dropped",
        every(*(abs(number(queue=["RIO", "WRT"]) - number(queue="WRED")) <= 0 for number in numbers)),
        reading="not among the numbered claims",
        must_hold=True,
    ),
)
