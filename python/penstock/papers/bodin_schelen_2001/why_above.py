"""Why c02, c08 and c26 fail: how long avg_ql is above max_th(1), by the share that a tagger leaves out of profile."""

import penstock as ps
from penstock.reproduce.figure import (
    Claim,
    QuickOrFull,
    Readings,
    at_least,
    claims_if_measured,
    claims_under_reading,
    every,
    metric,
)

from . import fig5, setup
from .fig4 import for_its_round_trip
from .fig6 import c08
from .setup import AT_MUCH, FOR_ITS_ROUND_TRIP, HALF, MUCH, STRATEGIES, claim, under_da, under_dfq

RFC, NS2 = "RFC 2859: 1 s", "ns-2: 10 s, spread"
TAGGERS = {RFC: "TSW", "10 s": "TSW of 10 s", "1 s, spread": "TSW spread", NS2: "TSW of ns-2"}


def scenario(tagger: str, strategy: str, x: float) -> ps.Scenario:
    """The window of TSW and the spacing of its tags."""
    return setup.scenario("Reno, strict", strategy, x, conditioner=TAGGERS[tagger])


study = setup.average_sweep(
    scenario,
    {
        "tagger": QuickOrFull([RFC, NS2], list(TAGGERS)),
        "strategy": STRATEGIES,
        "x": QuickOrFull([HALF, MUCH], [3.2, HALF, 6.8, MUCH, 9.2]),
    },
    QuickOrFull(5, 8),
    "40s",
)

timeouts, out_share = (
    under_da(fig5.timeouts),
    under_da(metric("out_share", says="share of A's and B's packets out of profile")),
)
CLAIMS = (
    *claims_under_reading(AT_MUCH, [c08], tagger=RFC, x=MUCH),
    claim(
        "c02",
        (under_da(for_its_round_trip) >= under_dfq(for_its_round_trip))(
            tagger=Readings({name: name for name in TAGGERS})
        ),
        reading=FOR_ITS_ROUND_TRIP,
    ),
    *claims_if_measured(
        {"x": 9.2},
        claim(
            "c26",
            every((timeouts > under_dfq(fig5.timeouts))(x=at_least(HALF)), timeouts(x=6.8) > timeouts(x=[3.2, 9.2]))(
                tagger=NS2
            ),
            reading=f"{NS2}; from 5 Mb/s on",
        ),
    ),
    Claim(
        "tagger",
        "ns-2's tagger leaves half as much out of profile as that of RFC 2859",
        (out_share(tagger=NS2) / out_share(tagger=RFC)).between(0.4, 0.6)(x=HALF),
        reading="no claim of the work",
    ),
)

draw = setup.sweep_figure("above", "avg_ql above 45 with DA (% of time)", by="tagger", scale=100, strategy="DA")
