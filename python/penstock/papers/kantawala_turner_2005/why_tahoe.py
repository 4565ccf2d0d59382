"""Why c31 fails: Reno waits for its timer where Tahoe does not. The schemes keep their order."""

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Curves, every, metric, needing, read_as

from . import setup
from .setup import HELD, HOPS, ONE_QUEUE, POINTS, TRIPS, claim, fast, keep_order, queue, runs, slow

SCHEMES = ["DTDRR", "DSDRR-W", "QSDRR", *ONE_QUEUE]
USUAL, SHORT = "1s", "200ms"
WHERE = f"{HELD}; RED's and Blue's first setting"

study = runs(
    {
        "network": Choice([TRIPS], [TRIPS, HOPS]),
        "flavour": ["reno", "tahoe"],
        "scheme": Choice(["DTDRR", "Tail-Drop"], SCHEMES),
        "least": Choice([USUAL], [USUAL, SHORT]),
    },
    span=Choice(("15s", "6s"), ("50s", "10s")),
    discipline=queue,
    buffer=400,
)


def measure(run: ps.Run) -> dict[str, float | None]:
    """The numbers of the other experiments, and the timeouts of all flows."""
    return {**setup.measure(run), "timeouts": float(sum(group["timeouts"] for group in run.traffic.values()))}


TAHOE, RENO = {"flavour": "tahoe"}, {"flavour": "reno"}
same = claim("c31", every(*((g(**TAHOE) - g(**RENO)).between(-POINTS, POINTS) for g in (slow, fast))))
timeouts = metric("timeouts")
CLAIMS = needing(
    {"least": SHORT},
    claim(
        "c31",
        keep_order(slow, SCHEMES, TAHOE, RENO)(least=USUAL),
        f"where two schemes differ by > {POINTS} points with Reno, Tahoe has them in the same order",
        reading=f"the order of the schemes for the flows of the longer round trip; {WHERE}",
    ),
    *(
        own_claim
        for min_rto, name in ((USUAL, "a least timeout of 1 s"), (SHORT, "a least timeout of 0.2 s"))
        for network in (TRIPS, HOPS)
        for own_claim in read_as(f"{name}; {network}; {WHERE}", [same], least=min_rto, network=network)
    ),
    Claim(
        "why-tahoe/timer",
        "Reno waits for its timer at least ten times as often as Tahoe, with each scheme",
        (timeouts(flavour="reno") - 10 * timeouts(flavour="tahoe") >= 0)(least=USUAL),
        reading=WHERE,
    ),
)

draw = Curves(
    "scheme", "timeouts", "flavour", labels=("400 packets", "timeouts"), where={"least": USUAL, "network": TRIPS}
)
