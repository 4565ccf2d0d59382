"""Figure 3.2: the queue against Max for a large Min (Section 3.2.1)."""

from penstock.papers.alemu_2004.judge import least_at
from penstock.papers.alemu_2004.setup import AQS
from penstock.papers.alemu_2004.thresholds import against_max, pairs
from penstock.reproduce.figure import Claim, every, needing

MINIMA = [7, 9.5]
LEAST = {23: 13, 53: 15, 73: 18, 103: 20}
"""The Max with the shortest queue at Min 9.5, by the number of flows."""

study = pairs(minima=MINIMA)

CLAIMS = needing(
    {"max_th": 13},
    Claim(
        "fig3.2c/c1",
        "with a large Min the Max with the shortest queue grows with the flows",
        every(*(least_at(AQS(min_th=9.5, flows=n), "max_th", best) for n, best in LEAST.items())),
    ),
)

draw = against_max(MINIMA)
