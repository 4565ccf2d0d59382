"""Flows that are added every 50 s (Section V): the common part of figures 11 to 18."""

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots.curves import course as course_of
from penstock.plots.curves import over_time
from penstock.reproduce.figure import Choice, SummaryTable, Sweep, judged, metric
from penstock.results.sample import all_of, any_of

from .setup import dumbbell

MIN_TH, MAX_TH, MAX_P, LIMIT = 100, 300, 0.1, 500  # packets; Section V
STEP = 50  # flows, and the seconds after which so many more begin (Section V)
LOADS = [50, 100, 150, 200, 250, 300, 350, 400]  # the text speaks of 50 to more than 250; up to 400 is a decision
MEASURED = 40  # the last seconds of each phase (decision)

_RED: dict[str, Any] = {"min_th": MIN_TH, "max_th": MAX_TH, "max_p": MAX_P, "w_q": 0.002, "limit": f"{LIMIT}p"}
# The paper's lower bound of max_p, 0.001, is not the 0.01 of the algorithm's authors; ns-2 adapts at arrivals.
_ADAPTIVE: dict[str, Any] = {**_RED, "max_p_low": 0.001, "tick": "arrival", "gentle": True, "gentle_from": "current"}

QUEUES: dict[str, ps.Queue] = {
    "drop-tail": ps.DropTail(limit=f"{LIMIT}p"),
    "RED": ps.Red(**_RED),
    "gentle RED": ps.Red(**_RED, gentle=True),
    "A-RED": ps.AredFloyd(**_ADAPTIVE),
    "RED-ECN": ps.Red(**_RED, ecn=True),
    "gentle RED-ECN": ps.Red(**_RED, gentle=True, ecn=True),
    "A-RED-ECN": ps.AredFloyd(**_ADAPTIVE, ecn=True),
    # Marks on the gentle ramp too, on which the text is silent; and gentle RED with a larger max_p (claim c27).
    "gentle RED-ECN, marks to the top": ps.Red(**_RED, gentle=True, ecn=True, mark_up_to="top"),
    "gentle RED, max_p 0.3": ps.Red(**{**_RED, "max_p": 0.3}, gentle=True),
}
DROPPING = ["RED", "gentle RED", "A-RED"]
MARKING = ["RED-ECN", "gentle RED-ECN", "A-RED-ECN"]


def steps(queue: ps.Queue, flows: int) -> ps.Scenario:
    """The phase in which so many flows are there: everything before it is its warm-up.

    A phase is the end of a run of its own, as counts of drops and arrivals are those of the measured part of a run; the
    phases of one seed are parts of one and the same course.
    """
    phases = flows // STEP
    end = 50 * phases
    base = dumbbell(queue, STEP, duration=f"{end}s", warmup=f"{end - MEASURED}s")
    bulk = base.traffic["bulk"]
    starts = [50 * phase for phase in range(phases)]
    traffic = {f"from{at}s": replace(bulk, start={"uniform": [f"{at}s", f"{at + 1}s"]}) for at in starts}
    return replace(base, name=f"Chung and Claypool, {flows} flows in steps", traffic=traffic)


def kept(run: ps.Run) -> dict[str, Any]:
    """Of queue, average and max_p in the last phase: their mean in each second of it; of the average more."""
    series = run.series["bottleneck"]
    end = max(series["t_ns"])
    seconds = np.ceil(np.array(series["t_ns"]) / 1e9 - end / 1e9 + 50).astype(int)
    found: dict[str, Any] = {}
    for name in ("queue", "avg", "max_p"):
        if name in series:
            values = np.array(series[name]["mean"], dtype=float)
            found[name] = [round(float(values[seconds == second].mean()), 4) for second in range(1, 51)]
    if "avg" in series:
        part = np.array(series["avg"]["mean"], dtype=float)[seconds > 10]
        found["avg_sd"] = float(part.std())
        found["avg_mean"] = float(part.mean())
        found["below"] = float((part < 300).mean())
        found["inside"] = float(((part >= 100) & (part <= 300)).mean())
    return found


def numbers(run: ps.Run) -> dict[str, float | None]:
    """Of the last 40 s of a phase, lengths in packets."""
    link, found = run.links["bottleneck"], run.raw["kept"]
    return {
        "q": link.length_mean_pkts,
        "q_sd": float(np.sqrt(link.length_var_pkts2)),
        "loss": link.loss_rate,
        "utilization": link.utilization,
        **{name: found[name] for name in ("avg_mean", "avg_sd", "below", "inside") if name in found},
    }


def course(run: ps.Run) -> dict[str, float | None]:
    """The same, and of the first run queue, average and (where it moves) max_p second by second, for the figures."""
    values, found = numbers(run), run.raw["kept"]
    adaptive = run.scenario["links"]["bottleneck"]["queue"]["scheme"].startswith("ared")
    for name in ("queue", "avg", "max_p") if adaptive else ("queue", "avg"):
        for second, value in enumerate(found.get(name, ()), start=1):
            values[f"{name}@{second}"] = value if run.seed == 1 else None
    return values


def runs(*queues: str, seeds: Choice[int] | None = None) -> Sweep:
    """These queues at each load."""
    axes: dict[str, Any] = {"queue": list(queues), "flows": Choice([100, 250], LOADS)}
    return Sweep(lambda queue, flows: steps(QUEUES[queue], flows), axes, seeds=seeds or Choice(5, 10), keep=kept)


WHOLE = {"flows": LOADS[-1]}
"""Where all loads were run, as the claims of a range need."""
swing = metric("avg_sd", "packets", "sd of the average")
below, inside = metric("below", says="time below max_th"), metric("inside", says="time within the thresholds")
loss, used, queue_length = metric("loss"), metric("utilization"), metric("q", "packets", "mean queue")
SWING = 0.15 * MAX_TH  # packets (decision)
stable = judged(
    lambda sd, time: all_of((sd <= SWING).at("sd of the average"), (time >= 0.99).at("time below max_th")),
    swing,
    below,
    text=f"stable: {{}} <= {SWING:g}, {{}} >= 0.99",
)
unstable = judged(
    lambda sd, time: any_of((sd > SWING).at("sd of the average"), (time < 0.99).at("time below max_th")),
    swing,
    below,
    text=f"unstable: {{}} > {SWING:g} or {{}} < 0.99",
)


def draw_course(queue: str, shown: SummaryTable) -> Figure:
    """Queue, average and max_p of the first run over time, a phase with 50 more flows every 50 s."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for flows in shown.axis("flows"):
        for name, label, scale in (("queue", "queue", 1), ("avg", "average", 1), ("max_p", "1000 max_p", 1000)):
            found = [
                (flows - STEP + at, scale * value) for at, value in course_of(shown, name, queue=queue, flows=flows)
            ]
            if found:
                lines.setdefault(label, []).extend(found)
    return over_time(lines, "packets", levels=(MIN_TH, MAX_TH))
