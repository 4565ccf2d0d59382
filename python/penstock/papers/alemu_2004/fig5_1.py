"""Figure 5.1: what a code repairs (Section 5.2)."""

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import losing
from penstock.reproduce.figure import Claim, Sweep, every, formula, metric

LOST = {
    "none": [],
    "one": [6],
    "redundancy": [9],
    "two": [5, 8],
    "two in two blocks": [7, 13],
    "data and redundancy": [8, 9],
}
"""Numbers of lost packets: blocks of 4 data packets and 1 of redundancy, the second one is 5 to 9."""
AFTER = {"none": 0, "one": 0, "redundancy": 0, "two": 2, "two in two blocks": 0, "data and redundancy": 2}
"""Packets that are still lost."""

study = Sweep(lambda lost: losing(LOST[lost], "1s"), {"lost": list(LOST)})


def measure(run: ps.Run) -> Numbers:
    """Lost packets before and after correction, in all blocks."""
    code = run.traffic["fec"]
    return {"before": 5 * code.plr_before * code.blocks, "after": 5 * code.plr_after * code.blocks}


CLAIMS = (
    Claim(
        "fig5.1/c1",
        "a block with at most h losses is repaired, one with more is not; lost redundancy alone never matters",
        every(
            abs(metric("before") - formula(lambda lost: len(LOST[lost]))) <= 1e-6,
            abs(metric("after") - formula(lambda lost: AFTER[lost])) <= 1e-6,
        ),
        "(4,1), chosen losses: packets lost after correction are 0 or all, exactly",
        must_hold=True,
    ),
)
