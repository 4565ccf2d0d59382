"""Left open (Section VI): whether an adaptation by the queue law reaches a well-configured state faster."""

from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Claim, CurveFigure, Number, QuickOrFull, Sweep, every, metric

from .setup import LEFT_OPEN, dumbbell, tcp_flows
from .step_load import LIMIT, MAX_TH, MIN_TH

MIDDLE, NEAR = 200, 40  # packets: well configured within a fifth of the distance of the thresholds
UP, DOWN, END = 50, 100, 150  # s: start and stop of the other flows, and the end


def adaptive_queues(ecn: bool = False) -> dict[str, ps.Queue]:
    """The queues that adapt max_p, by name."""
    shared: dict[str, Any] = {"limit": f"{LIMIT}p", "min_th": MIN_TH, "max_th": MAX_TH, "w_q": 0.002, "ecn": ecn}
    return {"A-RED": ps.AredFloyd(**shared, max_p_low=0.001), "queue law": ps.Qlaw(**shared)}


def _visited(queue: str, flows: int) -> ps.Scenario:
    """50 flows for 50 s, then more of them for 50 s, then 50 again."""
    more = tcp_flows(flows - 50, start={"uniform": [f"{UP}s", f"{UP + 1}s"]}, stop=f"{DOWN}s")
    return dumbbell(adaptive_queues()[queue], {"bulk": tcp_flows(50), "more": more}, f"{END}s", "0s")


def away(run: ps.Run) -> dict[str, float]:
    """Seconds with the average queue far from the middle of the thresholds, after flows start and after they stop."""
    time, average = run.over_time("bottleneck", "avg")
    far = np.abs(average - MIDDLE) > NEAR
    step = float(time[1] - time[0])
    return {
        "up_s": step * int(far[(time > UP + 1) & (time <= DOWN)].sum()),
        "down_s": step * int(far[time > DOWN].sum()),
    }


study = Sweep(
    _visited,
    {"queue": list(adaptive_queues()), "flows": QuickOrFull([300], [100, 200, 300, 400])},
    seeds=QuickOrFull(5, 10),
    keep=away,
)


def _compared(g: Number) -> tuple[Number, Number]:
    return g(queue="queue law"), g(queue="A-RED")


def _back(metric_name: str, says: str) -> Claim:
    ours, theirs = _compared(metric(metric_name, says="time away from the middle"))
    return Claim(
        f"open-{metric_name.removesuffix('_s')}",
        f"after flows have {says}, the queue law is back at the middle in half of Adaptive RED's time",
        ours / theirs <= 0.5,
        f"seconds away from {MIDDLE} +- {NEAR} packets, at each step of the load",
        reason_text="from 200 flows on it does, by far; a step to 100 is small, and both are there in a few seconds",
        reading=LEFT_OPEN,
    )


CLAIMS = (
    _back("up_s", "come"),
    _back("down_s", "gone"),
    Claim(
        "open-cost",
        "it costs no utilization and no losses to speak of",
        every(
            *(
                abs(first - second) <= 0.005
                for first, second in (_compared(metric(name)) for name in ("utilization", "loss"))
            )
        ),
        reading=LEFT_OPEN,
    ),
)

draw = CurveFigure("flows", "up_s", "queue", labels=("flows from 50 s to 100 s", "away from the middle (s)"))
