"""The router with a constant probability (Sections II to IV): the common part of figures 4 to 9."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import numpy as np

import penstock as ps
from penstock.reproduce.figure import (
    Curve,
    CurveFigure,
    Number,
    QuickOrFull,
    Statement,
    Sweep,
    every,
    metric,
    r_squared,
    slope,
)
from penstock.results.sample import RunSample, per_run

from .setup import RATE, RTLD, dumbbell, service_rate, tcp_flows

FLOWS = [100, 200, 300]
GRID = [0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5]  # decision: the figures' points are not printed
SAME = 0.05  # of the axis: values that the text calls the same differ by at most this in a plot (decision)
ALIKE = 0.01  # up to this p drops and marks have nearly the same queue, "when the probability is low" (Section IV)
BUSY = 10.0  # packets: a shorter mean queue cannot be distinguished from 0 on axes that go to thousands


@cache
def queue_law(signal: str, rate: str = RATE, rtld: float = RTLD, timeouts: bool = False) -> ps.model.QueueLaw:
    """Equation 2 in the paper's form; `timeouts` adds the timeouts that drops cause, and the exact balance."""
    by: Literal["drop", "mark"] = "mark" if signal == "mark" else "drop"
    own = ps.model.QueueLaw(rtld=rtld, service_rate=service_rate(rate), signal=by)
    return replace(own, min_rto=0.2, balance="exact") if timeouts else own


def constant_probability_scenario(
    by: str, flows: int, p: float, rate: str = RATE, rtld: float = RTLD, window: int = 10_000, **changes: Any
) -> ps.Scenario:
    """A router that drops or marks each packet with the same probability (Section II); `changes` to TCP.

    Without a limit the first slow start makes the queue many times longer than the law predicts. The excess drains in
    about 15 cycles of a window W at the round trip R of the law, so the warm-up is 15 W R, at least 50 s as for the
    other points, and the measured time is as long, at least 150 s.
    """
    settled = queue_law("mark", rate, rtld)
    around = rtld + float(settled.queue(flows, p)) / settled.service_rate
    cycle = min(float(settled.window(p)), window) * around
    warmup = 50 * max(1, round(15 * cycle / 50 + 0.5)) if window > 100 else 50
    queue = ps.Bernoulli(p=p, ecn=by == "mark", limit="inf")
    traffic = {"bulk": tcp_flows(flows, window=window, ecn=queue.ecn, **changes)}
    return dumbbell(queue, traffic, f"{warmup + max(150, warmup)}s", f"{warmup}s", rate, rtld)


# Figures 4, 5 (top), 6 and 9: numbers of flows at each probability, by drops and by marks.
drops_and_marks = Sweep(
    constant_probability_scenario,
    {"by": ["drop", "mark"], "flows": FLOWS, "p": QuickOrFull([0.01, 0.05, 0.2, 0.3], [*GRID, 0.7, 1.0])},
    where=lambda by, flows, p: by == "mark" or p <= 0.5,
)
# Figure 5, middle: the round-trip delay of the links in s (Section III).
over_delay = Sweep(
    lambda rtld, p: constant_probability_scenario("drop", 300, p, rtld=rtld),
    {"rtld": QuickOrFull([0.04, 0.16], [0.04, 0.08, 0.12, 0.16]), "p": QuickOrFull([0.05], GRID)},
)
RATES = QuickOrFull(["5Mbit", "20Mbit"], ["5Mbit", "10Mbit", "15Mbit", "20Mbit"])
# Figure 5, bottom: the rate of the congested link (Section III).
over_rate = Sweep(
    lambda rate, p: constant_probability_scenario("drop", 300, p, rate), {"rate": RATES, "p": QuickOrFull([0.05], GRID)}
)

LIMITS = {10_000: 300, 12: 700, 6: 1300}
"""Limits of the window in packets, and the number of flows with each (Section III); the first does not limit."""
# Figures 7 and 8: flows whose window is limited, dropped at a constant probability (Section III).
limited = Sweep(
    lambda limit, p: constant_probability_scenario("drop", LIMITS[limit], p, window=limit),
    {"limit": list(LIMITS), "p": QuickOrFull([0.005, 0.01, 0.03, 0.05, 0.1, 0.15], GRID)},
)
queue, window = metric("q", "packets", "queue"), metric("window", "packets")
in_use = metric("in_use", "packets", "window in use")


def probability_at_queue(level: float) -> Number:
    """The probability at which the mean queue is `level` packets, interpolated linearly in log p."""

    def crossing(curve: Curve) -> RunSample:
        """The probability at which the mean queue crosses `level`, run by run."""
        points = np.log(list(curve))

        def of_run(queues: Any) -> float:
            falling = np.minimum.accumulate(queues)
            if not falling[-1] <= level <= falling[0]:
                return float("nan")
            return float(np.exp(np.interp(-level, -falling, points)))

        return per_run(of_run, list(curve.values()))

    return queue.along("p", crossing, f"p at {level:g} packets")


def fitted_line(axis: str, xs: Callable[[Any], float] = float, act: Callable[[Curve], RunSample] = slope) -> Number:
    """A number of the line through the mean queues along an axis, by default its slope; `xs` maps axis values to x."""
    name = "slope" if act is slope else "R^2 of the means"
    return queue.along(axis, lambda curve: act({xs(value): sample for value, sample in curve.items()}), name)


def _straightness(curve: Curve) -> RunSample:
    """R^2 of the mean queues: at small p, single runs differ as much as the queues at different rates."""
    return r_squared({x: RunSample(sample.mean) for x, sample in curve.items()})


FALLS = "at each p where q > 0 (10 packets): R^2 of the mean queues >= 0.99, slope < 0"


def falls_linearly(axis: str, xs: Callable[[Any], float] = float) -> Statement:
    """The queue decreases linearly along an axis, where it is not empty."""
    return where_queue_is_busy(every(fitted_line(axis, xs, _straightness) >= 0.99, fitted_line(axis, xs) < 0), axis)


def where_queue_is_busy(statement: Statement, axis: str) -> Statement:
    """A statement only where the queue is distinguishable from an empty one for all values of an axis."""
    busy = queue.along(axis, lambda curve: float(all(sample.mean >= BUSY for sample in curve.values())), "busy")
    return statement.only_where(busy, lambda yes: yes.mean > 0)


def figure_against_p(by: str, y: str = "q", label: str = "mean queue (packets)", **how: Any) -> CurveFigure:
    """A figure of `y` against the drop or mark probability, in log scale, with a line for each value of `by`."""
    return CurveFigure("p", y, by, **{"labels": ("drop probability", label), "log": "x", **how})


def law_of_line(line: str, p: float) -> float:
    """Mean queue in packets by Equation 2 at the probability `p`, for a line of `one_graph_figure`."""
    by, _, flows = line.partition(", N = ")
    return float(queue_law(by).queue(int(flows), p))


def one_graph_figure(**how: Any) -> CurveFigure:
    """One figure of the mean queue against p with drops and with marks, for all numbers of flows."""
    labels = ("probability", "mean queue (packets)")
    return CurveFigure("p", lambda at: {f"{at['by']}, N = {at['flows']}": "q"}, labels=labels, log="x", **how)
