"""Why c26 fails: queues shared by flows of one round trip only, instead of equally many of both kinds."""

from dataclasses import replace
from statistics import fmean, stdev

import penstock as ps
from penstock.reproduce.figure import Choice, Sweep, needing, read_as

from . import fig6a, fig6b
from .setup import ALL, PAYLOAD, RATE_BPS, TRIPS, WIRE, panel, queue, times, two_round_trips

HALF = 50  # flows of each kind (Section 4.1)


def _scenario(scheme: str, queues: int) -> ps.Scenario:
    evenly = two_round_trips(
        "long", queue(scheme, fig6a.BUFFER, buckets=None if queues == ALL else queues), times(TRIPS).full
    )
    traffic = {
        f"{name}{i}": replace(group, count=1, from_=f"{end}{i}")
        for i in range(HALF)
        for (name, group), end in zip(evenly.traffic.items(), "AB", strict=True)
    }
    return replace(evenly, traffic=traffic)


# Two round trips, with numbers of queues that separate the kinds of flows, and with one queue. Flows alternate between
# the kinds, so that an even number of queues, shared by flow number, separates them.
study = Sweep(
    _scenario,
    {"scheme": Choice(fig6a.SCHEMES[:1], fig6a.SCHEMES), "queues": Choice([10, 100], [1, 2, 10, 20, 50, 100])},
    seeds=Choice(1, 5),
    span=times(TRIPS),
    labels={"network": TRIPS},
)


def measure(run: ps.Run) -> dict[str, float]:
    """Goodput of each kind in percent of the fair share, its deviation among these flows, and among all flows."""
    goodput = {
        name: [run.traffic[f"{name}{i}"].goodput_bps * WIRE / PAYLOAD / (RATE_BPS / (2 * HALF)) for i in range(HALF)]
        for name in ("fast", "slow")
    }
    return {
        **{f"g_{name}": 100 * fmean(shares) for name, shares in goodput.items()},
        **{f"sd_{name}": stdev(shares) for name, shares in goodput.items()},
        "sd_all": stdev([*goodput["fast"], *goodput["slow"]]),
    }


CLAIMS = needing({"queues": 1}, *read_as("two round trips, flows of one in a queue", [*fig6a.CLAIMS, *fig6b.CLAIMS]))

draw = panel("g_slow", "goodput, 200 ms (%)", "queues", called="queues, of one kind each")
