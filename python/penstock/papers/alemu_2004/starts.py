"""Figures 4.2 to 4.4: the schemes of chapter 4 from an empty queue on (Section 4.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.figure import (
    Exhibit,
    Number,
    QuickOrFull,
    SummaryTable,
    Sweep,
    claims_in_cells,
    every,
    metric,
    some,
)

from . import panels
from .measures import Numbers, course, queue_metrics
from .setup import (
    AQS,
    BUFFER,
    EMPTY,
    KT,
    NEAR,
    OFF,
    SHARE,
    VQS,
    claim,
    controller_load_scenario,
    psand,
    slow_link_scenario,
)

SIX = ["BLUE", "REM", "AVQ*", "PI", "LRED", "LRED*"]
SCHEMES = [*SIX, "PSAND"]
"""The six schemes of Figure 4.2, and PSAND, with which the text compares them."""
FULL = 25
"""A queue is full while its mean over a second is at least this."""


def keep(run: ps.Run) -> Mapping[str, Any]:
    """Mean, smallest and largest queue of every second, in packets."""
    queue = run.series["bottleneck"]["queue"]
    return {
        "mean": [round(float(x), 2) for x in np.asarray(queue["mean"]).reshape(100, -1).mean(axis=1)],
        "least": [float(x) for x in np.asarray(queue["min"]).reshape(100, -1).min(axis=1)],
        "most": [float(x) for x in np.asarray(queue["max"]).reshape(100, -1).max(axis=1)],
    }


# 103 flows: the whole run with the queue over time, and its last 20 s.
SEVEN = Sweep(
    lambda scheme: controller_load_scenario(scheme, 103, sampling="100ms"),
    {"scheme": SCHEMES},
    seeds=QuickOrFull(5, 20),
    labels={"part": "course"},
    keep=keep,
) + Sweep(
    lambda scheme, part: controller_load_scenario(scheme, 103, warmup="80s" if part == "end" else "0s"),
    {"scheme": SCHEMES, "part": ["all", "end"]},
    seeds=QuickOrFull(5, 20),
)


def measure(run: ps.Run) -> Numbers:
    """Metrics of the queue in one part of the run; for the part "course", the queue over time.

    From the queue over time, the seconds until it is no longer full (100: never).
    """
    record = run.raw.get("kept")
    if record is None:
        return queue_metrics(run)
    # The flows start within the first 10 s; during that time a short queue means nothing.
    long = [i for i, mean in enumerate(record["mean"]) if mean >= FULL]
    after = [i for i in range(long[0] if long else 0, 100) if record["mean"][i] < FULL]
    numbers: Numbers = {"left": float(after[0]) if after else 100.0}
    if run.seed == 1:
        numbers |= course(record["least"], record["most"])
    return numbers


def draw(schemes: Sequence[str]) -> Callable[[SummaryTable], Figure]:
    """A function that draws the queue of seed 1 over time, a panel for each scheme."""
    return partial(
        panels.draw_queues_over_time, cells={scheme: {"part": "course", "scheme": scheme} for scheme in schemes}
    )


QUICK, SLOW = ["REM", "AVQ*", "LRED", "PSAND"], ["BLUE", "PI"]
OTHERS = [scheme for scheme in SCHEMES if scheme != "AVQ*"]
LEFT = metric("left", "s", "time until the queue is below 25 packets")(part="course")
END = {"part": "end"}
"""The last 20 s."""
fig4_2 = Exhibit(
    "Figure 4.2: the queue over time under six schemes with 103 flows (Section 4.5)",
    *claims_in_cells(
        {"part": "all"},
        claim("fig4.2a/c1", LEFT(scheme="BLUE").matches_printed(60, 30, 120), must_hold=True),
        claim(
            "fig4.2d/c1",
            every(LEFT(scheme="PI") >= 30, LEFT(scheme="PI") > LEFT(scheme="BLUE")),
            "below 25 packets first after 60 s, within a factor of 2 as all durations, and after BLUE's",
        ),
        claim("fig4.2/c1", VQS(scheme=SLOW, **END) > VQS(scheme=QUICK, **END)),
        claim("fig4.2/c2", LEFT(scheme=QUICK) < 20, must_hold=True),
        claim("fig4.2/c3", EMPTY(scheme=QUICK) > EMPTY(scheme=SLOW)),
        claim(
            "fig4.2c/c1",
            every(
                VQS(scheme="AVQ*") < VQS(scheme=OTHERS),
                AQS(scheme="AVQ*") < KT,
                EMPTY(scheme="AVQ*") > EMPTY(scheme=OTHERS),
            ),
            "VQS least, AQS < 10, P(X=0) largest",
        ),
        claim("fig4.2b/c1", every(EMPTY(scheme="REM") >= 5, *(q(scheme="REM") > q(scheme="AVQ*") for q in (AQS, VQS)))),
        claim("fig4.2e/c1", AQS(scheme="LRED").matches_printed(KT, share=0.25), "AQS 10 +- 25 %"),
        claim("fig4.2f/c1", every(*(q(scheme="LRED*") < q(scheme="LRED") for q in (EMPTY, VQS)))),
    ),
    study=SEVEN,
    measure=measure,
    draw=draw(SIX),
)


def of_psand(number: Number, **part: str) -> Number:
    """The number in the cells of the scheme PSAND, and of this part of the run."""
    return number(scheme="PSAND", **part)


SLOWER = ["PI", "BLUE"]
fig4_3 = Exhibit(
    "Figure 4.3: the queue over time under PSAND with 103 flows (Section 4.5)",
    *claims_in_cells(
        {"part": "all"},
        claim("fig4.3/c1", of_psand(LEFT) < 20, must_hold=True),
        claim(
            "fig4.3/c2", every(of_psand(VQS, **END) < VQS(scheme=SLOWER, **END), of_psand(EMPTY) > EMPTY(scheme=SLOWER))
        ),
        claim(
            "fig4.3/c3",
            every(*(of_psand(q) < q(scheme="REM") for q in (VQS, AQS, EMPTY)), of_psand(NEAR) > NEAR(scheme="REM")),
            "VQS, AQS (Figure 4.5(a) says the contrary) and P(X=0) below, P(5<X<=15) above REM's",
        ),
        claim(
            "fig4.3/c4",
            every(*(q(scheme="AVQ*") < of_psand(q) for q in (AQS, VQS)), of_psand(EMPTY) < EMPTY(scheme="AVQ*")),
        ),
        claim(
            "fig4.3/c5",
            every(*(q(scheme="LRED*") < of_psand(q) for q in (VQS, OFF)), EMPTY(scheme="LRED*") > of_psand(EMPTY)),
        ),
    ),
    study=SEVEN,
    measure=measure,
    draw=draw(["PSAND"]),
)


PRINTED = 0.151
"""LRED's gain in Figure 4.4."""
BETAS = [0.001, 0.003, 0.01, 0.021, 0.05, PRINTED, 0.4]


def _three(queue: ps.Queue) -> ps.Scenario:
    return slow_link_scenario(queue, 0, base=("0s", "100ms", "200ms"))


def _with_course(run: ps.Run) -> Numbers:
    """Statistics of the queue, and for seed 1 the queue over time."""
    record = run.raw["kept"]
    return queue_metrics(run) | (course(record["least"], record["most"]) if run.seed == 1 else {})


fig4_4 = Exhibit(
    "Figure 4.4: LRED with 3 flows (Section 4.5)",
    claim(
        "fig4.4/c1",
        every(
            *(q(beta=PRINTED) > q(scheme="PSAND") for q in (VQS, EMPTY)),
            *(some(every(*(q(beta=beta) > q(scheme="PSAND") for q in (VQS, EMPTY)))) for beta in BETAS),
        ),
        "VQS and P(X=0) above PSAND's at gain 0.151; one of them above at every gain",
    ),
    measure=_with_course,
    draw=partial(panels.draw_queues_over_time, cells={f"LRED, gain {PRINTED}": {"beta": PRINTED}}),
    # LRED with several gains, and PSAND, with the starts of chapter 4.
    study=Sweep(
        lambda beta: _three(ps.Lred(beta=beta, limit=f"{BUFFER}p", share=SHARE)),
        {"beta": BETAS},
        seeds=QuickOrFull(5, 20),
        keep=keep,
    )
    + Sweep(lambda scheme: _three(psand()), {"scheme": ["PSAND"]}, seeds=QuickOrFull(5, 20), keep=keep),
)
