"""Figure 3.1: the queue against Max for a small Min (Section 3.2.1)."""

from penstock.papers.alemu_2004.judge import least_at, swept, varies
from penstock.papers.alemu_2004.setup import AQS, VQS
from penstock.papers.alemu_2004.thresholds import against_max, pairs
from penstock.reproduce.figure import Claim, Readings, at_least, at_most, every, needing

MINIMA = [0, 2, 5]
ALL_MAX = Readings({at_least(0): "", at_most(20): "Max up to 20"})

study = pairs(minima=MINIMA)

CLAIMS = (
    Claim(
        "fig3.1/c1",
        "with a small Min and few flows Max hardly matters, and the queue is below the target",
        swept(
            every(
                varies(AQS(max_th=ALL_MAX), "max_th") <= 0.25,
                varies(VQS(max_th=ALL_MAX), "max_th") <= 0.4,
                AQS(max_th=ALL_MAX) < 10,
            )
        )(min_th=at_most(2), flows=at_most(23)),
    ),
    *needing(
        {"max_th": 18},
        Claim(
            "fig3.1a/c1",
            "the Max with the shortest queue grows with the flows",
            every(
                least_at(AQS(min_th=0, flows=3), "max_th", 10.5),
                least_at(AQS(min_th=0, flows=[53, 73, 103]), "max_th", 18),
            ),
        ),
    ),
    Claim(
        "fig3.1/c11",
        "the queue is steadiest at a small Max for few flows and at Max 20 for many",
        every(least_at(VQS(min_th=0, flows=3), "max_th", 10.5), least_at(VQS(min_th=0, flows=103), "max_th", 20)),
    ),
)

draw = against_max(MINIMA)
