"""Tail-drop with the buffer that gives it REDopt's delay (Section 4, described)."""

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Claim, Curves, Effort, Study, Sweep, chosen, every

from .setup import FTP_SPAN, LOADS, RUNS, claim, delay, design, ftp, goodput, measure, queue, udp_loss

TRIED = [0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0]  # of REDopt's buffer


def study(effort: Effort) -> Study:
    """REDopt, and tail-drop with the buffer that a first pass finds."""
    tuned = _equal_delay(effort)

    def scenario(scheme: str, flows: int) -> ps.Scenario:
        at = design(flows)
        return ftp(flows, queue(scheme, at if scheme == "REDopt" else at._replace(buffer=tuned[flows])))

    return Sweep(scenario, {"scheme": ["REDopt", "TD"], "flows": LOADS}, seeds=RUNS, span=FTP_SPAN)(effort)


def _equal_delay(effort: Effort) -> dict[int, int]:
    """The buffer of tail-drop for each load, by interpolation between those tried."""
    every, span = chosen(LOADS, effort), effort.choose(("60s", "30s"), ("200s", "50s"))

    def scenario(share: float, flows: int) -> ps.Scenario:
        at = design(flows)
        return ftp(flows, queue("TD", at._replace(buffer=round(share * at.buffer))), span)

    seeds = effort.choose(1, 3)
    tried = effort.table(Study(scenario, {"share": TRIED, "flows": every}, seeds=seeds), measure)
    wanted = effort.table(
        Study(lambda flows: ftp(flows, queue("REDopt", design(flows)), span), {"flows": every}, seeds=seeds), measure
    )
    found = {}
    for flows in every:
        delays = [tried("delay", share=share, flows=flows).mean for share in TRIED]
        share = float(np.interp(wanted("delay", flows=flows).mean, delays, TRIED))
        found[flows] = round(share * design(flows).buffer)
    return found


CLAIMS = (
    claim(
        "c11",
        every(
            (goodput(scheme="TD") / goodput(scheme="REDopt")).between(0.98, 1.02),
            (delay(scheme="TD") / delay(scheme="REDopt")).between(0.9, 1.1),
        ),
        must_hold=True,
    ),
    Claim(
        "c06",
        "under heavy load the differences of UDP loss are too small to matter",
        (udp_loss(scheme="REDopt") / udp_loss(scheme="TD") <= 1.15)(flows=256),
        reading="tail-drop with the buffer that gives it REDopt's delay",
    ),
)

draw = Curves("flows", "goodput", "scheme", labels=("flows", "goodput (Mb/s)"), log="x")
