"""Left open (Section VI): whether an adaptation by the queue law reaches a well-configured state faster."""

import dataclasses
from collections.abc import Mapping

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Curves, Number, Sweep, every, metric

from .setup import dumbbell

LEFT_OPEN = "a question that the work leaves open"
MIDDLE, NEAR = 200, 40  # packets: within a fifth of the distance of the thresholds is well configured
UP, DOWN, END = 50, 100, 150  # s: when the other flows come and go

QUEUES: Mapping[str, ps.Queue] = {
    "A-RED": ps.AredFloyd(limit="500p", min_th=100, max_th=300, w_q=0.002, max_p_low=0.001),
    "queue law": ps.Qlaw(limit="500p", min_th=100, max_th=300, w_q=0.002),
}


def _visited(queue: str, flows: int) -> ps.Scenario:
    """50 flows for 50 s, then more of them for 50 s, then 50 again."""
    few = dumbbell(QUEUES[queue], 50, duration=f"{END}s", warmup="0s")
    start = {"uniform": [f"{UP}s", f"{UP + 1}s"]}
    more = dataclasses.replace(few.traffic["bulk"], count=flows - 50, start=start, stop=f"{DOWN}s")
    return dataclasses.replace(few, traffic={**few.traffic, "more": more})


def away(run: ps.Run) -> dict[str, float]:
    """Seconds for which the average is away from the middle, after the others have come and after they have gone."""
    series = run.series["bottleneck"]
    time, average = np.array(series["t_ns"]) / 1e9, np.array(series["avg"]["mean"])
    far = np.abs(average - MIDDLE) > NEAR
    step = float(time[1] - time[0])
    return {
        "up_s": step * int(far[(time > UP + 1) & (time <= DOWN)].sum()),
        "down_s": step * int(far[time > DOWN].sum()),
    }


study = Sweep(
    _visited, {"queue": list(QUEUES), "flows": Choice([300], [100, 200, 300, 400])}, seeds=Choice(5, 10), keep=away
)


def measure(run: ps.Run) -> dict[str, float | None]:
    """The seconds, and what it costs."""
    link = run.links["bottleneck"]
    return {**run.raw["kept"], "loss": link.loss_rate, "utilization": link.utilization}


def _compared(g: Number) -> tuple[Number, Number]:
    return g(queue="queue law"), g(queue="A-RED")


def _back(metric_name: str, says: str) -> Claim:
    ours, theirs = _compared(metric(metric_name, says="time away from the middle"))
    return Claim(
        f"open-{metric_name.removesuffix('_s')}",
        f"after flows have {says}, the queue law is back at the middle in half of Adaptive RED's time",
        ours / theirs <= 0.5,
        f"seconds away from {MIDDLE} +- {NEAR} packets, at each step of the load",
        because="from 200 flows on it does, by far; a step to 100 is small, and both are there in a few seconds",
        reading=LEFT_OPEN,
    )


CLAIMS = (
    _back("up_s", "come"),
    _back("down_s", "gone"),
    Claim(
        "open-cost",
        "it costs no utilization and no losses to speak of",
        every(
            *(abs(one - other) <= 0.005 for one, other in (_compared(metric(name)) for name in ("utilization", "loss")))
        ),
        reading=LEFT_OPEN,
    ),
)

draw = Curves("flows", "up_s", "queue", labels=("flows from 50 s to 100 s", "away from the middle (s)"))
