"""Figure 6 (a): goodput of the slower long flows against the number of queues, 1000 packets (Section 5.3)."""

from penstock.reproduce.figure import CurveFigure, QuickOrFull, claims_if_measured, every

from .setup import ALL, DRR_BASED, HOPS, NEW, TRIPS, Labels, claim, paper_study, slow

BUFFER = 1000  # packets (Section 5.3)

study = paper_study(
    {
        "network": QuickOrFull([TRIPS], [TRIPS, HOPS]),
        "scheme": DRR_BASED,
        "queues": QuickOrFull([1, 10, ALL], [1, 2, 5, 10, 20, ALL]),
    },
    buffer=BUFFER,
)


def against_queues(metric: str, label: str) -> CurveFigure:
    """A figure of a metric of the slower flows against the number of queues: DTDRR and DSDRR, both networks."""
    flows = {TRIPS: "200 ms", HOPS: "three hops"}

    def lines(labels: Labels) -> dict[str, str]:
        return {f"{labels['scheme']}, {flows[labels['network']]}": metric} if labels["scheme"] in NEW else {}

    return CurveFigure("queues", lines, labels=("queues", label), log="x")


first, second = slow(queues=10) - slow(queues=1), slow(queues=ALL) - slow(queues=10)
CLAIMS = claims_if_measured(
    {"queues": 1},
    claim("c26", every(second <= 5, second < first)(scheme=NEW)),
)

draw = against_queues("g_slow", "goodput (%)")
