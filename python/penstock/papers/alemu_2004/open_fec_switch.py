"""Left open (Section 5.6): a queue that switches between RED and drop-tail by the losses before correction."""

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.figure import QuickOrFull, Readings, SummaryTable, Sweep, judged_statement, mean
from penstock.results.condition import Condition
from penstock.results.sample import RunSample

from . import panels
from .fec_switch import FecSwitch, modelled_loss_thresholds
from .measures import fec_metrics
from .setup import BUFFER, PLR, claim, fec_scenario
from .tables5 import CODES, block_packets

LEFT_OPEN = "a question that the work leaves open"
RED, TAIL = "automatic RED", "DT"  # that RED fits the thesis' tables (guess 9)
CROSSINGS = {"16,1": (0.059, 0.052), "16,2": (0.076, 0.064), "16,4": (0.093, 0.077)}
"""Losses before correction, behind RED and behind drop-tail, where Figure 5.4 crosses: at 54, 69 and 87 flows.

The curves of (8,2) do not cross up to 100 flows, so a switch with their bounds would always be RED.
"""
SWITCHES = {"switch by the model": "", "switch by Figure 5.4": "the losses at which Figure 5.4 crosses as bounds"}


def _scenario(code: str, scheme: str, flows: int) -> ps.Scenario:
    k, h = block_packets(code)
    base = fec_scenario(RED if scheme in SWITCHES else scheme, flows, k, h)
    if scheme not in SWITCHES:
        return base
    red, tail = CROSSINGS[code] if scheme == "switch by Figure 5.4" else modelled_loss_thresholds(k, h)
    queue = FecSwitch(limit=f"{BUFFER}p", droptail_above_loss=round(red, 4), red_below_loss=round(tail, 4))
    link = replace(base.links["bottleneck"], queue=queue)
    return replace(base, links={**base.links, "bottleneck": link})


def red_share(run: ps.Run) -> dict[str, float]:
    """The share of the time in which a switch is RED, in percent."""
    series = run.series["bottleneck"]
    return {"as RED": 100 * float(np.mean(series["red"]["mean"]))} if "red" in series else {}


# Either queue alone, and both switches, next to 20 to 100 transfers.
study = Sweep(
    _scenario,
    {
        "code": QuickOrFull(["16,1"], CODES),
        "scheme": QuickOrFull([TAIL, RED, "switch by the model"], [TAIL, RED, *SWITCHES]),
        "flows": QuickOrFull([20, 100], [20, 40, 60, 80, 100]),
    },
    seeds=QuickOrFull(3, 20),
    span=QuickOrFull(("30s", "0s"), ("100s", "0s")),
    where=lambda code, scheme, flows: scheme != "switch by Figure 5.4" or code in CROSSINGS,
    keep=red_share,
)


def measure(run: ps.Run) -> dict[str, float | None]:
    """Losses before and after correction, the queue, and the state of the switch."""
    losses = fec_metrics(run)
    return {**{name: losses[name] for name in ("PLRBC", "PLR", "AQS", "VQS", "TCP")}, **run.raw.get("kept", {})}


SWITCH = Readings(SWITCHES)


def _not_above(switch: RunSample, red: RunSample, tail: RunSample) -> Condition:
    better = min((red, tail), key=lambda sample: sample.mean)
    return switch - better * 1.1 <= 0.1


AVERAGE = PLR.along("flows", mean)
CLAIMS = (
    claim(
        "open-switch",
        judged_statement(_not_above, PLR(scheme=SWITCH), PLR(scheme=RED), PLR(scheme=TAIL), text="{}, {}, {}"),
        "PLR at most a tenth and a tenth of a point above the smaller PLR, each code and number of flows",
        reading=LEFT_OPEN,
    ),
    claim(
        "open-switch-mean",
        AVERAGE(scheme=SWITCH) < AVERAGE(scheme=[RED, TAIL]),
        "mean PLR of all numbers of flows below RED's and below drop-tail's, each code",
        reason_text="the model's bounds for (8,2) are too low: drop-tail comes at 80 flows, RED is the better to 100 "
        "(fig5-4)",
        reading=LEFT_OPEN,
    ),
)


def draw(summary: SummaryTable) -> Figure:
    """Figure of the losses after correction for each code."""
    return panels.draw(
        summary, [panels.Panel("flows", "PLR", "scheme", {"code": code}, f"({code})") for code in summary.axis("code")]
    )
