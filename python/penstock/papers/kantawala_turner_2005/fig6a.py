"""Figure 6 (a): goodput of the slower long flows against the number of queues, 1000 packets (Section 5.3)."""

from penstock.reproduce.figure import QuickOrFull, claims_if_measured, every

from .setup import ALL, DRR_BASED, HOPS, NEW, TRIPS, buffer_figure, claim, paper_study, slow

BUFFER = 1000  # packets (Section 5.3)

study = paper_study(
    {
        "network": QuickOrFull([TRIPS], [TRIPS, HOPS]),
        "scheme": DRR_BASED,
        "queues": QuickOrFull([1, 10, ALL], [1, 2, 5, 10, 20, ALL]),
    },
    buffer=BUFFER,
)

first, second = slow(queues=10) - slow(queues=1), slow(queues=ALL) - slow(queues=10)
CLAIMS = claims_if_measured(
    {"queues": 1},
    claim("c26", every(second <= 5, second < first)(scheme=NEW)),
)

draw = buffer_figure("g_slow", "goodput, 200 ms (%)", "queues", where={"network": TRIPS})
