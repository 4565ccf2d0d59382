"""Flows that are added every 50 s (Section V): the common part of figures 11 to 18."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots.curves import draw_over_time
from penstock.plots.curves import time_course as course_of
from penstock.reproduce.figure import QuickOrFull, SummaryTable, Sweep, judged_statement, metric
from penstock.results.condition import all_of, any_of

from .setup import dumbbell, tcp_flows

MIN_TH, MAX_TH, MAX_P, LIMIT = 100, 300, 0.1, 500  # packets; Section V
STEP = 50  # number of flows added in each step, and seconds between steps (Section V)
LOADS = [50, 100, 150, 200, 250, 300, 350, 400]  # the text speaks of 50 to more than 250; up to 400 is a decision
MEASURED = 40  # the last seconds of each phase (decision)

RED: dict[str, Any] = {"min_th": MIN_TH, "max_th": MAX_TH, "max_p": MAX_P, "w_q": 0.002, "limit": f"{LIMIT}p"}
# The paper's lower bound of max_p, 0.001, is not the 0.01 of the algorithm's authors; ns-2 adapts at arrivals.
_ADAPTIVE: dict[str, Any] = {**RED, "max_p_low": 0.001, "tick": "arrival", "gentle": True, "gentle_from": "current"}

QUEUES: dict[str, ps.Queue] = {
    "drop-tail": ps.DropTail(limit=f"{LIMIT}p"),
    "RED": ps.Red(**RED),
    "gentle RED": ps.Red(**RED, gentle=True),
    "A-RED": ps.AredFloyd(**_ADAPTIVE),
    "RED-ECN": ps.Red(**RED, ecn=True),
    "gentle RED-ECN": ps.Red(**RED, gentle=True, ecn=True),
    "A-RED-ECN": ps.AredFloyd(**_ADAPTIVE, ecn=True),
    # Marks on the gentle ramp too, which the text does not mention; and gentle RED with a larger max_p (claim c27).
    "gentle RED-ECN, marks to the top": ps.Red(**RED, gentle=True, ecn=True, mark_up_to="top"),
    "gentle RED, max_p 0.3": ps.Red(**{**RED, "max_p": 0.3}, gentle=True),
}
DROPPING = ["RED", "gentle RED", "A-RED"]
MARKING = ["RED-ECN", "gentle RED-ECN", "A-RED-ECN"]


def step_scenario(queue: ps.Queue, flows: int, **changes: Any) -> ps.Scenario:
    """The phase of the stepped load with this number of flows; all before it is warm-up. `changes` are keys of TCP.

    Each phase is the end of a separate run, since a run counts the drops and arrivals of its measured part as a whole.
    The phases of one seed repeat the same course up to their ends.
    """
    end = 50 * (flows // STEP)
    groups = {
        f"from{at}s": tcp_flows(
            STEP, ecn=getattr(queue, "ecn", False), start={"uniform": [f"{at}s", f"{at + 1}s"]}, **changes
        )
        for at in range(0, end, 50)
    }
    return dumbbell(queue, groups, f"{end}s", f"{end - MEASURED}s")


def course(run: ps.Run) -> dict[str, Any]:
    """Queue, average and max_p (if adapted) by second in the last phase, and the deviation of the average."""
    adaptive = run.scenario["links"]["bottleneck"]["queue"]["scheme"].startswith("ared")
    record: dict[str, Any] = {}
    for name in ("queue", "avg", "max_p") if adaptive else ("queue", "avg"):
        if name not in run.series["bottleneck"]:
            continue
        at, values = run.over_time("bottleneck", name)
        seconds = np.ceil(at - max(at) + 50).astype(int)
        record[name] = [round(float(values[seconds == second].mean()), 4) for second in range(1, 51)]
        if name == "avg":
            part = values[seconds > 10]
            record |= {"avg_sd": float(part.std()), "avg_mean": float(part.mean())}
            record["below"] = float((part < MAX_TH).mean())
            record["inside"] = float(((part >= MIN_TH) & (part <= MAX_TH)).mean())
    return record


def load_sweep(*queues: str, seeds: QuickOrFull[int] | None = None) -> Sweep:
    """A sweep of these queues at each load."""
    axes: dict[str, Any] = {"queue": list(queues), "flows": QuickOrFull([100, 200, 250, 300], LOADS)}
    return Sweep(
        lambda queue, flows: step_scenario(QUEUES[queue], flows), axes, seeds=seeds or QuickOrFull(5, 10), keep=course
    )


WHOLE = {"flows": LOADS[-1]}
"""Only full runs have this label; claims about a range of loads need full runs."""
swing = metric("avg_sd", "packets", "sd of the average")
ABOUT_200 = (150, 250)  # flows, read between the curves of figure 9 for 100, 200 and 300 to half their distance
below, inside = metric("below", says="time below max_th"), metric("inside", says="time within the thresholds")
loss, used, queue_length = metric("loss"), metric("utilization"), metric("q", "packets", "mean queue")
SWING = 0.15 * MAX_TH  # packets (decision)
hits = below < 1
# An average that is below max_th for 99 % of a phase may look in a figure as if it stays below, or as if it hits it.
stable = judged_statement(
    lambda sd, time: all_of((sd <= SWING).at("sd of the average"), (time >= 0.99).at("time below max_th")),
    swing,
    below,
    text=f"stable: {{}} <= {SWING:g}, {{}} >= 0.99",
)
unstable = judged_statement(
    lambda sd, time: any_of((sd > SWING).at("sd of the average"), (time < 1).at("time below max_th")),
    swing,
    below,
    text=f"unstable: {{}} > {SWING:g} or {{}} < 1",
)


def draw_course(queue: str, summary: SummaryTable) -> Figure:
    """Figure of queue, average and max_p of the first run over time, with 50 more flows every 50 s."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for flows in summary.axis("flows"):
        for name, label, scale in (("queue", "queue", 1), ("avg", "average", 1), ("max_p", "1000 max_p", 1000)):
            points = [
                (flows - STEP + at, scale * value) for at, value in course_of(summary, name, queue=queue, flows=flows)
            ]
            if points:
                lines.setdefault(label, []).extend(points)
    return draw_over_time(lines, "packets", levels=(MIN_TH, MAX_TH))
