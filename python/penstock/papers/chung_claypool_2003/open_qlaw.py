"""Left open (Section VI): whether an adaptation by the queue law reaches a well-configured state faster."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003.setup import dumbbell
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

LEFT_OPEN = "a question that the work leaves open"
MIDDLE, NEAR = 200, 40  # packets: within a fifth of the distance of the thresholds is well configured
UP, DOWN, END = 50, 100, 150  # s: when the other flows come and go

QUEUES: Mapping[str, ps.Queue] = {
    "A-RED": ps.AredFloyd(limit="500p", min_th=100, max_th=300, w_q=0.002, max_p_low=0.001),
    "queue law": ps.Qlaw(limit="500p", min_th=100, max_th=300, w_q=0.002),
}


def study(effort: Effort) -> Study:
    """50 flows for 50 s, then more of them for 50 s, then 50 again."""

    def scenario(queue: str, flows: int) -> ps.Scenario:
        few = dumbbell(QUEUES[queue], 50, duration=f"{END}s", warmup="0s")
        start = {"uniform": [f"{UP}s", f"{UP + 1}s"]}
        more = dataclasses.replace(few.traffic["bulk"], count=flows - 50, start=start, stop=f"{DOWN}s")
        return dataclasses.replace(few, traffic={**few.traffic, "more": more})

    axes: dict[str, Sequence[object]] = {"queue": list(QUEUES), "flows": effort.choose([300], [100, 200, 300, 400])}
    return Study(scenario, axes, seeds=effort.choose(5, 10), keep=away)


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


def measure(run: ps.Run) -> dict[str, float | None]:
    """The seconds, and what it costs."""
    link = run.links["bottleneck"]
    return {**run.raw["kept"], "loss": link.loss_rate, "utilization": link.utilization}


def claims(table: Table) -> Iterator[Claim]:
    """What comes out."""
    flows = table.axis("flows")
    for metric, says in (("up_s", "come"), ("down_s", "gone")):
        yield Claim(
            id=f"open-{metric.removesuffix('_s')}",
            says=f"after flows have {says}, the queue law is back at the middle in half of Adaptive RED's time",
            expected=f"seconds away from {MIDDLE} +- {NEAR} packets, at each step of the load",
            reading=LEFT_OPEN,
            because="from 200 flows on it does, by far; a step to 100 is small, and both are there in a few seconds",
            holds=all_of(
                (table(metric, queue="queue law", flows=n) / table(metric, queue="A-RED", flows=n) <= 0.5).at(
                    f"50 to {n}"
                )
                for n in flows
            ),
        )
    yield Claim(
        id="open-cost",
        says="it costs no utilization and no losses to speak of",
        expected="utilization and loss within half a point",
        reading=LEFT_OPEN,
        holds=all_of(
            (abs(table(name, queue="queue law", flows=n) - table(name, queue="A-RED", flows=n)) <= 0.005).at(
                f"{name}, {n}"
            )
            for name in ("utilization", "loss")
            for n in flows
        ),
    )


def draw(shown: Shown) -> Figure:
    """Seconds away after the flows have come."""
    labels = ("flows from 50 s to 100 s", "away from the middle (s)")
    return curves(shown, "flows", "up_s", "queue", labels=labels)
