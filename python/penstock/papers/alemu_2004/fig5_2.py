"""Figure 5.2: the load that the datagrams offer (Section 5.3.1)."""

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import coded
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.figure import Claim, Sweep, formula, metric

PACKETS = 1600
"""Of 573 bytes, which 500 kbit/s send in 14.6688 s: a multiple of each k."""


def _alone(code: str) -> ps.Scenario:
    """The code alone; the end lies between two packets."""
    k, h = numbers(code)
    return coded({"k": k, "h": h, "rate": "500kbit", "packet": "573B"}, "14664800us", rate="10Mbit")


study = Sweep(_alone, {"code": ["16,1", "16,4", "8,2", "10,1"]})


def measure(run: ps.Run) -> Numbers:
    """Packets sent."""
    return {"sent": run.traffic["fec"].sent_pkts}


def _with_redundancy(code: str) -> float:
    k, h = numbers(code)
    return PACKETS * (1 + h / k)


CLAIMS = (
    Claim(
        "fig5.2/c1",
        "redundancy of h/k adds this share to 5 % of the link",
        abs(metric("sent") - formula(_with_redundancy)) <= 1e-6,
        "500 (1 + h/k) kbit/s to the packet: 6.25 % more for (16,1), 25 % for (16,4), (8,2), 10 % for (10,1)",
        must_hold=True,
    ),
)
