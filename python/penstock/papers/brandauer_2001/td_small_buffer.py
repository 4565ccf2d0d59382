"""Tail-drop with the buffer that gives it REDopt's delay (Section 4, described)."""

import numpy as np

import penstock as ps
from penstock.reproduce.figure import CurveFigure, QuickOrFull, ReproductionEffort, Sweep, every

from .setup import (
    LOADS,
    claim,
    delay,
    ftp_runs,
    ftp_scenario,
    goodput,
    measure,
    redopt_ftp_scenario,
    redopt_in_packets,
    udp_loss,
)

TRIED = [0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0]  # of REDopt's buffer
REDOPT = 0.0
EQUAL_DELAY = "tail-drop with the buffer that gives it REDopt's delay"


def _equal_delay(effort: ReproductionEffort) -> dict[int, int]:
    """The buffer of tail-drop for each load, by interpolation between the tried ones."""

    def scenario(share: float, flows: int) -> ps.Scenario:
        return (
            _tail_drop(flows, round(share * redopt_in_packets(flows).buffer))
            if share
            else redopt_ftp_scenario("REDopt", flows)
        )

    shares, span = [*TRIED, REDOPT], QuickOrFull(("60s", "30s"), ("200s", "50s"))
    runs = Sweep(scenario, {"share": shares, "flows": LOADS}, seeds=QuickOrFull(1, 3), span=span)
    delays_of = effort.table(runs(effort), measure)

    def buffer(flows: int) -> int:
        """Buffer in packets with which tail-drop has REDopt's mean queueing delay, for this number of flows."""
        *delays, target = (delays_of("delay", share=share, flows=flows).mean for share in shares)
        share = float(np.interp(target, delays, TRIED))
        return round(share * redopt_in_packets(flows).buffer)

    return {flows: buffer(flows) for flows in delays_of.axis("flows")}


def _tail_drop(flows: int, buffer: int) -> ps.Scenario:
    return ftp_scenario(flows, ps.DropTail(limit=f"{buffer}p"))


study = ftp_runs(
    lambda buffers, scheme, flows: (
        redopt_ftp_scenario(scheme, flows) if scheme == "REDopt" else _tail_drop(flows, buffers[flows])
    ),
    {"scheme": ["REDopt", "TD"], "flows": LOADS},
    first_pass=_equal_delay,
)

CLAIMS = (
    claim(
        "c11",
        every(
            (goodput(scheme="TD") / goodput(scheme="REDopt")).between(0.99, 1.01),
            (delay(scheme="TD") / delay(scheme="REDopt")).between(0.9, 1.1),
        ),
        must_hold=True,
    ),
    claim(
        "c06",
        (udp_loss(scheme="REDopt") / udp_loss(scheme="TD") <= 1.15)(flows=256),
        reading=EQUAL_DELAY,
    ),
    claim("c05", (udp_loss(scheme="TD") / udp_loss(scheme="REDopt") > 1)(flows=16), reading=EQUAL_DELAY),
)

draw = CurveFigure("flows", "goodput", "scheme", labels=("flows", "goodput (Mb/s)"), log="x")
