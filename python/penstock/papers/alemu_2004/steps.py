"""Figures 2.3 to 2.8: flows that join or leave at 50 s (Section 2.4.2.1).

The thesis shows one run of each; here the claims are decided over several, and seed 1 is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.figure import (
    Claim,
    CurveFigure,
    Exhibit,
    QuickOrFull,
    SummaryTable,
    Sweep,
    at_least,
    every,
    metric,
    some,
)
from penstock.reproduce.shape import along_sweep, falls, rises

from . import panels
from .judge import NEVER, matches_aqs
from .measures import Numbers, course, queue_and_average_metrics
from .setup import (
    AREDS,
    EMPTY,
    FULL,
    KT,
    LONG,
    LONGER,
    NEAR,
    OTHERS,
    VQS,
    WAQS,
    claim,
    feng,
    floyd,
    joining_flows_scenario,
    leaving_flows_scenario,
    psand,
    red,
)

SCHEMES: dict[str, Callable[[], ps.Queue]] = {
    "RED": red, "Feng": feng, "Floyd": floyd, "PSAND": lambda: psand(high=0.5),
}  # fmt: skip
"""With max_p of PSAND at most 0.5 (guess 4)."""
ADAPTIVE = [*AREDS, "PSAND"]
WINDOWS: dict[str, tuple[int, int]] = {
    "10-50": (10, 50), "20-50": (20, 50), "50-100": (50, 100), "60-100": (60, 100), "70-100": (70, 100),
}  # fmt: skip
"""Parts of the run that have their own statistics, in seconds."""
LEVELS: dict[int, float] = {4: 10.7, 5: 12, 6: 18}
"""PSAND's weighted average in Figures 2.4 to 2.6 once flows have joined, in packets (Section 2.4.2.1.1)."""
LEVEL = LEVELS[4]
WAQS_OFF = abs(WAQS - KT)
"""Distance of the mean weighted average from the target, in packets."""
recovery = metric("recovery", "s")


def step_sweep(change: Callable[..., ps.Scenario], flows: list[int], traced: bool = True) -> Sweep:
    """`flows` join or leave at 50 s, by the scenario `change`; with the queue over time if `traced`."""

    def part(scheme: str, flows: int, window: str) -> ps.Scenario:
        """The scenario of this scheme and number of flows, with statistics only in the window named `window`."""
        begin, end = WINDOWS[window]
        return change(SCHEMES[scheme](), flows, warmup=f"{begin}s", duration=f"{end}s")

    axes: dict[str, list[Any]] = {"scheme": list(SCHEMES), "flows": flows}
    parts = Sweep(part, {**axes, "window": list(WINDOWS)}, seeds=QuickOrFull(5, 20))
    whole = Sweep(
        lambda scheme, flows: change(SCHEMES[scheme](), flows, sampling="100ms"),
        axes,
        seeds=QuickOrFull(5, 20),
        labels={"window": "all"},
        keep=keep,
    )
    return parts + whole if traced else parts


def keep(run: ps.Run) -> Mapping[str, Any]:
    """The weighted average every 0.1 s, and the smallest and the largest queue in every second, in packets."""
    series = run.series["bottleneck"]
    seconds = [np.asarray(series["queue"][name]).reshape(-1, 10) for name in ("min", "max")]
    return {
        "average": [round(float(x), 3) for x in series["avg"]["mean"]],
        "least": [float(x) for x in seconds[0].min(axis=1)],
        "most": [float(x) for x in seconds[1].max(axis=1)],
    }


def measure(run: ps.Run) -> Numbers:
    """Statistics of a part of the run; for a whole run, the time to recover; for seed 1, the queue over time."""
    record = run.raw.get("kept")
    if record is None:
        return queue_and_average_metrics(run)
    average = np.array(record["average"])
    before, after = average[200:500], average[600:]
    numbers: Numbers = {
        "recovery": recovery_time(average, low=0.0, high=12.0),
        "return": recovery_time(average, low=0.0, high=1.25 * LEVEL),
        "settling": recovery_time(average, *_around(float(average[700:].mean()))),
        "fall": float(average[450:500].mean() - average[500:550].min()),
        "ratio of sd": float(after.std() / before.std()),
        "period": oscillation_period(average[500:]),
    }
    if run.seed == 1:
        numbers |= course(record["least"], record["most"], average)
    return numbers


def recovery_time(average: np.ndarray, low: float, high: float) -> float:
    """Seconds from 50 s until the mean over 1 s stays within the bounds for 3 s; 47 if it never does."""
    moving = np.convolve(average, np.ones(10) / 10, mode="valid")
    inside = (moving >= low) & (moving <= high)
    for i in range(500, len(inside) - 20):
        if inside[i : i + 21].all():
            return (i - 500) / 10
    return 47.0


def _around(level: float) -> tuple[float, float]:
    """A quarter up and down, at least 2 packets."""
    margin = max(level / 4, 2.0)
    return level - margin, level + margin


def oscillation_period(average: np.ndarray) -> float:
    """The period in seconds of the largest Fourier component of the average queue, sampled every 0.1 s.

    Only components that repeat count: a single cycle over the whole course is no succession of swings.
    """
    power = np.abs(np.fft.rfft(average - average.mean()))[2:]
    return float(len(average) / 10 / (2 + int(np.argmax(power))))


def draw(figure: int, flows: int) -> Callable[[SummaryTable], Figure]:
    """A function that draws the queue of seed 1 over time, a panel for each scheme."""
    cells = {scheme: {"window": "all", "scheme": scheme, "flows": flows} for scheme in SCHEMES}
    printed = {"PSAND": LEVELS[figure]} if figure in LEVELS else {}
    return partial(panels.draw_queues_over_time, cells=cells, printed=printed)


STEPS = {
    3: (joining_flows_scenario, 20),
    4: (joining_flows_scenario, 50),
    5: (joining_flows_scenario, 70),
    6: (joining_flows_scenario, 100),
    7: (leaving_flows_scenario, 20),
    8: (leaving_flows_scenario, 50),
}
"""For each figure, whether flows join or leave at 50 s, and their number."""


def _step(figure: int, *claims: Claim) -> Exhibit:
    """Figure 2.3 to 2.8."""
    change, flows = STEPS[figure]
    moves, section = ("join", 1) if change is joining_flows_scenario else ("leave", 2)
    title = f"Figure 2.{figure}: {flows} flows {moves} three at 50 s (Section 2.4.2.1.{section})"
    return Exhibit(title, *claims, study=step_sweep(change, [flows]), measure=measure, draw=draw(figure, flows))


swing = metric("ratio of sd", says="sd of WAQS on [60, 100] s / [20, 50] s")
fig2_3 = _step(
    3,
    claim(
        "fig2.3/c1",
        every(
            recovery(scheme="PSAND") < 5,
            recovery(scheme="Floyd").matches_printed(10, 5, 20),
            recovery(scheme="Feng").matches_printed(15, 7.5, 30),
            recovery(scheme="PSAND") < recovery(scheme="Floyd"),
            recovery(scheme="Floyd") < recovery(scheme="Feng"),
        )(window="all"),
    ),
    claim(
        "fig2.3/c2",
        every(WAQS(scheme=ADAPTIVE).between(8, 12), WAQS_OFF(scheme="RED") > WAQS_OFF(scheme=ADAPTIVE))(
            window="70-100"
        ),
    ),
    claim("fig2.3d/c1", (abs(swing(scheme="PSAND") - 1) < abs(swing(scheme=AREDS) - 1))(window="all")),
)


back = metric("return", "s", f"time to return to {LEVEL} packets, at most 25 % above")
MOSTLY = 200 / 3
"""Share of the time, in percent, in which a queue is roughly contained in a range."""
swing_period = metric("period", "s", "period of WAQS on [50, 100] s")
fig2_4 = _step(
    4,
    claim(
        "fig2.4/c1",
        every(*(some(every(WAQS < 9, WAQS > 11))(scheme=scheme, window="60-100") for scheme in ("Feng", "RED"))),
        "mean WAQS on [60, 100] s outside 9 to 11",
    ),
    claim("fig2.4c/c1", swing_period(scheme="Floyd", window="all").matches_printed(15, 10, 20)),
    claim("fig2.4d/c1", every(back(window="all") < 10, matches_aqs(WAQS(window="60-100"), LEVEL))(scheme="PSAND")),
    claim(
        "fig2.4d/c2",
        every(NEAR(scheme="PSAND") >= MOSTLY, NEAR(scheme=OTHERS) < MOSTLY, NEAR(scheme="PSAND") > NEAR(scheme=OTHERS))(
            window="60-100"
        ),
        "P(5<X<=15) of PSAND at least two thirds and the largest, the others' less than two thirds",
    ),
)


fig2_5 = _step(5, claim("fig2.5d/c1", WAQS(scheme="PSAND", window="60-100").matches_printed(LEVELS[5], share=0.25)))


fig2_6 = _step(6, claim("fig2.6d/c1", WAQS(scheme="PSAND", window="60-100").matches_printed(LEVELS[6], share=0.25)))


settling = metric("settling", "s", "time to settle within a quarter (2 packets at least) for 3 s")
fall = metric("fall", "packets", "mean WAQS of [45, 50] s less the least of [50, 55] s")
change = WAQS(window="20-50") - WAQS(window="60-100")
fig2_7 = _step(
    7,
    claim(
        "fig2.7/c1",
        every(settling(scheme="PSAND") < 3, settling(scheme=OTHERS).matches_printed(5, 2.5, 10))(window="all"),
    ),
    claim("fig2.7/c2", (fall(scheme="RED") > fall(scheme=AREDS))(window="all")),
    claim(
        "fig2.7/c3",
        every(EMPTY(scheme="RED") > EMPTY(scheme=ADAPTIVE), EMPTY(scheme=AREDS) > EMPTY(scheme="PSAND"))(
            window="50-100"
        ),
    ),
    claim(
        "fig2.7/c4",
        every(abs(change(scheme="PSAND")) < abs(change(scheme=OTHERS)), change(scheme=OTHERS) > 0),
        "|change of mean WAQS| from [20, 50] to [60, 100] s smallest for PSAND; the others' falls",
    ),
    claim("fig2.7/c5", (VQS(scheme="PSAND") < VQS(scheme=OTHERS))(window="60-100")),
)


fig2_8 = _step(
    8,
    claim("fig2.8/c1", every(*(q(scheme=OTHERS) > q(scheme="PSAND") for q in (WAQS_OFF, VQS)))(window="10-50")),
    claim(
        "fig2.8/c2",
        every(
            (EMPTY(scheme=OTHERS) > EMPTY(scheme="PSAND"))(window="50-100"),
            (VQS(window="60-100") / VQS(window="10-50")).matches_printed(1, share=0.4)(scheme="PSAND"),
        ),
    ),
)


LARGE = at_least(50)
fig2_3_6 = Exhibit(
    "Figures 2.3 to 2.6 together: what the text says of all steps up (Section 2.4.2.1.1)",
    claim(
        "fig2.4-6/c1",
        along_sweep(every(WAQS(scheme=AREDS) > 11, WAQS_OFF(scheme=AREDS) > WAQS_OFF(scheme="PSAND")))(
            window="60-100", flows=LARGE
        ),
    ),
    claim("fig2.4-6/c2", rises(WAQS(scheme="PSAND", window="60-100", flows=LARGE), "flows"), must_hold=True),
    claim("fig2.3-6/c1", falls(EMPTY(scheme=ADAPTIVE, window="50-100"), "flows")),
    claim("fig2.3-6/c2", along_sweep(EMPTY(scheme="PSAND") < EMPTY(scheme=AREDS))(window="50-100")),
    claim(
        "fig2.3-6/c3",
        along_sweep(every(*(q(scheme="PSAND") < q(scheme=OTHERS) for q in (LONG, LONGER))))(window="50-100"),
    ),
    claim(
        "fig2.3-6/c4", every(FULL(scheme="PSAND") <= NEVER, FULL(scheme=AREDS, flows=LARGE) > NEVER)(window="60-100")
    ),
    Claim(
        "fig2.3-6/c4",
        "once they have adapted no scheme fills the buffer often, and PSAND fills it at times, too",
        every(FULL(scheme=ADAPTIVE) < 1, FULL(scheme="PSAND", flows=LARGE) > 0)(window="60-100"),
        reading="how often it is",
    ),
    claim("fig2.3-6/c5", along_sweep(FULL(scheme="RED") > FULL(scheme=AREDS))(window="50-100")),
    claim("fig2.3-6/c6", along_sweep(VQS(scheme="PSAND") < VQS(scheme=OTHERS))(window="50-100")),
    study=step_sweep(joining_flows_scenario, [20, 50, 70, 100], traced=False),
    measure=measure,
    draw=CurveFigure(
        "flows", "WAQS", "scheme", where={"window": "60-100"}, labels=("flows that join", "mean WAQS (packets)")
    ),
)
