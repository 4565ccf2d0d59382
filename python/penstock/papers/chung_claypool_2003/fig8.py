"""Figure 8: the queue of flows whose window is limited (Section III)."""

from penstock.papers.chung_claypool_2003.constant import at_queue, limited, of_queue, queue
from penstock.reproduce.figure import Claim, Curves

study = limited
measure = of_queue

CLAIMS = (
    Claim(
        "c08",
        "1300 flows with at most 6 packets have the queue of 700 with at most 12, where a hundredth is dropped",
        (queue(limit=6) / queue(limit=12)).between(0.9, 1.1)(p=0.01),
    ),
    Claim(
        "c09",
        "a queue of 3000 packets takes about twice the drops with the smaller windows",
        (at_queue(3000)(limit=6) / at_queue(3000)(limit=12)).reads(2.0, 1.6, 2.6),
        must_hold=True,
    ),
)

draw = Curves("p", "q", "limit", labels=("drop probability", "mean queue (packets)"), log="x")
