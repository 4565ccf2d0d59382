"""Figure 1 of the introduction: slow start."""

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.figure import Claim, Sweep, formula, metric

WINDOW = 20
WINDOWS = [1, 2, 4, 8, 16, WINDOW, WINDOW]
"""Packets that are sent in each round trip."""


def _transfer(rounds: int) -> ps.Scenario:
    """One transfer without losses, ended in the middle of a round trip of 100 ms."""
    flow = ps.Tcp(from_="A", to="B", flavour="reno", window=WINDOW, initial_window=1, syn=False)
    line = ps.Link(from_="A", to="B", rate="1Gbit", delay="50ms")
    return ps.Scenario(duration=f"{rounds * 100 - 50}ms", links={"line": line}, traffic={"flow": flow})


study = Sweep(_transfer, {"rounds": range(1, 8)})


def measure(run: ps.Run) -> Numbers:
    """What was sent so far."""
    return {"sent": float(run.traffic["flow"].sent_pkts)}


def doubled(rounds: int) -> float:
    """The sum of the windows so far."""
    return sum(WINDOWS[:rounds])


CLAIMS = (
    Claim(
        "fig0.1/c1",
        "the window doubles in each round trip up to the receiver's",
        abs(metric("sent") - formula(doubled)) <= 0,
        ", ".join(map(str, WINDOWS)) + " packets",
        must_hold=True,
    ),
)
