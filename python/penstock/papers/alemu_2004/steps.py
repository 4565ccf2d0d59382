"""Figures 2.3 to 2.8: flows that join or leave at 50 s (Section 2.4.2.1).

The thesis shows one run of each; here the claims are decided over several, and seed 1 is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots import style
from penstock.reproduce.figure import Choice, Claim, Curves, Exhibit, SummaryTable, Sweep, at_least, every, metric, some

from .judge import falls, rises, swept
from .measures import Numbers, of_average
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
    added,
    feng,
    floyd,
    psand,
    red,
    removed,
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
WAQS_OFF = abs(WAQS - KT)
"""How far the mean of the weighted average is from the target, in packets."""
recovery = metric("recovery", "s")


def steps(change: Callable[..., ps.Scenario], flows: list[int], traced: bool = True) -> Sweep:
    """`flows` join (`added`) or leave (`removed`) at 50 s; with the queue over time if `traced`."""

    def part(scheme: str, flows: int, window: str) -> ps.Scenario:
        begin, end = WINDOWS[window]
        return change(SCHEMES[scheme](), flows, warmup=f"{begin}s", duration=f"{end}s")

    axes: dict[str, list[Any]] = {"scheme": list(SCHEMES), "flows": flows}
    parts = Sweep(part, {**axes, "window": list(WINDOWS)}, seeds=Choice(5, 20))
    whole = Sweep(
        lambda scheme, flows: change(SCHEMES[scheme](), flows, sampling="100ms"),
        axes,
        seeds=Choice(5, 20),
        labels={"window": "all"},
        keep=keep,
    )
    return parts + whole if traced else parts


def keep(run: ps.Run) -> Mapping[str, Any]:
    """The weighted average every 0.1 s, and the least and the largest queue in every second."""
    series = run.series["bottleneck"]
    seconds = [np.asarray(series["queue"][name]).reshape(-1, 10) for name in ("min", "max")]
    return {
        "average": [round(float(x), 3) for x in series["avg"]["mean"]],
        "least": [float(x) for x in seconds[0].min(axis=1)],
        "most": [float(x) for x in seconds[1].max(axis=1)],
    }


def measure(run: ps.Run) -> Numbers:
    """Statistics of a part of the run; of a whole one when it recovers, and seed 1 itself."""
    kept = run.raw.get("kept")
    if kept is None:
        return of_average(run)
    average = np.array(kept["average"])
    before, after = average[200:500], average[600:]
    found: Numbers = {
        "recovery": recovered(average, low=0.0, high=12.0),
        "settling": recovered(average, *_around(float(average[700:].mean()))),
        "fall": float(average[450:500].mean() - average[500:550].min()),
        "ratio of sd": float(after.std() / before.std()),
        "period": period(average[500:]),
    }
    if run.seed == 1:
        found |= {f"average at {i}": float(value) for i, value in enumerate(average.reshape(-1, 20).mean(axis=1))}
        found |= {f"least at {i}": min(kept["least"][2 * i : 2 * i + 2]) for i in range(50)}
        found |= {f"most at {i}": max(kept["most"][2 * i : 2 * i + 2]) for i in range(50)}
    return found


def recovered(average: np.ndarray, low: float, high: float) -> float:
    """Seconds after 50 s from which on the mean over 1 s stays within the bounds for 3 s; 47 if it never does."""
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


def period(average: np.ndarray) -> float:
    """The period of the largest Fourier component, in seconds, of a course in steps of 0.1 s."""
    power = np.abs(np.fft.rfft(average - average.mean()))[1:]
    return float(len(average) / 10 / (1 + int(np.argmax(power))))


def draw(flows: int) -> Callable[[SummaryTable], Figure]:
    """The weighted average of seed 1, and in grey between which lengths the queue was in each two seconds."""
    return lambda shown: _courses(shown, flows)


def _courses(shown: SummaryTable, flows: int) -> Figure:
    with style.styled():
        figure = Figure(figsize=(style.WIDTH, 4.2), layout="constrained")
        panels = figure.subplots(len(SCHEMES), 1, sharex=True)
        for index, (ax, scheme) in enumerate(zip(panels, SCHEMES, strict=True)):
            (cell,) = shown.where(window="all", scheme=scheme, flows=flows).cells
            seconds = 2 * np.arange(50) + 1
            least, most, mean = (
                [cell[1][f"{name} at {i}"].mean for i in range(50)] for name in ("least", "most", "average")
            )
            ax.fill_between(seconds, least, most, color="#d9dde5", linewidth=0)
            ax.plot(seconds, mean, color=style.COLOURS[index])
            ax.axhline(KT, color="black", linewidth=0.4)
            ax.set_ylabel(scheme)
            ax.set_ylim(0, 36)
        panels[-1].set_xlabel("time (s); queue in packets")
    return figure


swing = metric("ratio of sd", says="sd of WAQS on [60, 100] s / [20, 50] s")
fig2_3 = Exhibit(
    "Figure 2.3: 20 flows join three at 50 s (Section 2.4.2.1.1)",
    Claim(
        "fig2.3/c1",
        "PSAND recovers within 5 s of the step, Floyd's scheme in about 10, Feng's in about 15",
        every(
            recovery(scheme="PSAND") < 5,
            recovery(scheme="Floyd").reads(10, 5, 20),
            recovery(scheme="Feng").reads(15, 7.5, 30),
            recovery(scheme="PSAND") < recovery(scheme="Floyd"),
            recovery(scheme="Floyd") < recovery(scheme="Feng"),
        )(window="all"),
    ),
    Claim(
        "fig2.3/c2",
        "the adaptive schemes end near the target, RED does not",
        every(WAQS(scheme=ADAPTIVE).between(8, 12), WAQS_OFF(scheme="RED") > WAQS_OFF(scheme=ADAPTIVE))(
            window="70-100"
        ),
    ),
    Claim(
        "fig2.3d/c1",
        "PSAND's average swings after the step as before it",
        (abs(swing(scheme="PSAND") - 1) < abs(swing(scheme=AREDS) - 1))(window="all"),
    ),
    study=steps(added, [20]),
    measure=measure,
    draw=draw(20),
)


swing_period = metric("period", "s", "period of WAQS on [50, 100] s")
fig2_4 = Exhibit(
    "Figure 2.4: 50 flows join three at 50 s (Section 2.4.2.1.1)",
    Claim(
        "fig2.4/c1",
        "Feng's scheme and RED never come back to the target range",
        every(*(some(every(WAQS < 9, WAQS > 11))(scheme=scheme, window="60-100") for scheme in ("Feng", "RED"))),
        "mean WAQS on [60, 100] s outside 9 to 11",
    ),
    Claim(
        "fig2.4c/c1",
        "Floyd's scheme swings with a period of about 15 s",
        swing_period(scheme="Floyd", window="all").reads(15, 10, 20),
    ),
    Claim(
        "fig2.4d/c1",
        "PSAND is back near the target in less than 10 s, at about 10.7",
        every(recovery(window="all") < 10, WAQS(window="60-100").reads(10.7, share=0.25))(scheme="PSAND"),
    ),
    Claim(
        "fig2.4d/c2",
        "PSAND's queue stays between 5 and 15 packets, the others' do not",
        (NEAR(scheme="PSAND") > NEAR(scheme=OTHERS))(window="60-100"),
    ),
    study=steps(added, [50]),
    measure=measure,
    draw=draw(50),
)


fig2_5 = Exhibit(
    "Figure 2.5: 70 flows join three at 50 s (Section 2.4.2.1.1)",
    Claim(
        "fig2.5d/c1",
        "PSAND's average is about 12 after the step",
        WAQS(scheme="PSAND", window="60-100").reads(12, share=0.25),
    ),
    study=steps(added, [70]),
    measure=measure,
    draw=draw(70),
)


fig2_6 = Exhibit(
    "Figure 2.6: 100 flows join three at 50 s (Section 2.4.2.1.1)",
    Claim(
        "fig2.6d/c1",
        "PSAND's average is about 18 after the step",
        WAQS(scheme="PSAND", window="60-100").reads(18, share=0.25),
    ),
    study=steps(added, [100]),
    measure=measure,
    draw=draw(100),
)


settling = metric("settling", "s", "time to settle within a quarter (2 packets at least) for 3 s")
fall = metric("fall", "packets", "mean WAQS of [45, 50] s less the least of [50, 55] s")
change = WAQS(window="20-50") - WAQS(window="60-100")
fig2_7 = Exhibit(
    "Figure 2.7: 20 flows leave three at 50 s (Section 2.4.2.1.2)",
    Claim(
        "fig2.7/c1",
        "after the flows have gone PSAND is stable within 3 s, the others in about 5",
        every(settling(scheme="PSAND") < 3, settling(scheme=OTHERS).reads(5, 2.5, 10))(window="all"),
    ),
    Claim("fig2.7/c2", "RED's queue falls most at 50 s", (fall(scheme="RED") > fall(scheme=AREDS))(window="all")),
    Claim(
        "fig2.7/c3",
        "afterwards RED's queue is empty most often, the adaptive REDs' more often than PSAND's",
        every(EMPTY(scheme="RED") > EMPTY(scheme=ADAPTIVE), EMPTY(scheme=AREDS) > EMPTY(scheme="PSAND"))(
            window="50-100"
        ),
    ),
    Claim(
        "fig2.7/c4",
        "PSAND's average changes least, the others' falls much",
        every(abs(change(scheme="PSAND")) < abs(change(scheme=OTHERS)), change(scheme=OTHERS) > 0),
        "|change of mean WAQS| from [20, 50] to [60, 100] s smallest for PSAND; the others' falls",
    ),
    Claim(
        "fig2.7/c5",
        "PSAND's queue swings least afterwards",
        (VQS(scheme="PSAND") < VQS(scheme=OTHERS))(window="60-100"),
    ),
    study=steps(removed, [20]),
    measure=measure,
    draw=draw(20),
)


fig2_8 = Exhibit(
    "Figure 2.8: 50 flows leave three at 50 s (Section 2.4.2.1.2)",
    Claim(
        "fig2.8/c1",
        "with 53 flows RED and the adaptive REDs are farther from the target and swing more than PSAND",
        every(*(q(scheme=OTHERS) > q(scheme="PSAND") for q in (WAQS_OFF, VQS)))(window="10-50"),
    ),
    Claim(
        "fig2.8/c2",
        "after the flows have gone the others are often empty; PSAND swings as before",
        every(
            (EMPTY(scheme=OTHERS) > EMPTY(scheme="PSAND"))(window="50-100"),
            (VQS(window="60-100") / VQS(window="10-50")).reads(1, share=0.4)(scheme="PSAND"),
        ),
    ),
    study=steps(removed, [50]),
    measure=measure,
    draw=draw(50),
)


LARGE = at_least(50)
fig2_3_6 = Exhibit(
    "Figures 2.3 to 2.6 together: what the text says of all steps up (Section 2.4.2.1.1)",
    Claim(
        "fig2.4-6/c1",
        "beyond 20 more flows the adaptive REDs do not come back to the target, and PSAND comes nearer",
        swept(every(WAQS(scheme=AREDS) > 11, WAQS_OFF(scheme=AREDS) > WAQS_OFF(scheme="PSAND")))(
            window="60-100", flows=LARGE
        ),
    ),
    Claim(
        "fig2.4-6/c2",
        "PSAND's level rises with the flows",
        rises(WAQS(scheme="PSAND", window="60-100", flows=LARGE), "flows"),
        must_hold=True,
    ),
    Claim(
        "fig2.3-6/c1",
        "with more flows the queue is empty less often",
        falls(EMPTY(scheme=ADAPTIVE, window="50-100"), "flows"),
    ),
    Claim(
        "fig2.3-6/c2",
        "PSAND's queue is empty less often than the adaptive REDs'",
        swept(EMPTY(scheme="PSAND") < EMPTY(scheme=AREDS))(window="50-100"),
    ),
    Claim(
        "fig2.3-6/c3",
        "PSAND's queue is long least often",
        swept(every(*(q(scheme="PSAND") < q(scheme=OTHERS) for q in (LONG, LONGER))))(window="50-100"),
    ),
    Claim(
        "fig2.3-6/c4",
        "once it has adapted PSAND never fills the buffer; the adaptive REDs often do beyond 20 more flows",
        every(FULL(scheme="PSAND") <= 0, FULL(scheme=AREDS, flows=LARGE) >= 1)(window="60-100"),
    ),
    Claim(
        "fig2.3-6/c4",
        "once they have adapted no scheme fills the buffer often, and PSAND fills it at times, too",
        every(FULL(scheme=ADAPTIVE) < 1, FULL(scheme="PSAND", flows=LARGE) > 0)(window="60-100"),
        reading="how often it is",
    ),
    Claim(
        "fig2.3-6/c5",
        "RED fills the buffer more often than the adaptive REDs",
        swept(FULL(scheme="RED") > FULL(scheme=AREDS))(window="50-100"),
    ),
    Claim(
        "fig2.3-6/c6", "PSAND's queue swings least", swept(VQS(scheme="PSAND") < VQS(scheme=OTHERS))(window="50-100")
    ),
    study=steps(added, [20, 50, 70, 100], traced=False),
    measure=measure,
    draw=Curves(
        "flows", "WAQS", "scheme", where={"window": "60-100"}, labels=("flows that join", "mean WAQS (packets)")
    ),
)
