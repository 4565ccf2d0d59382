"""Why c27 fails: flows lose packets simultaneously, and 20 queues of 5 flows cannot hold equally many of both kinds."""

from dataclasses import replace

from penstock.reproduce.figure import Choice, Claim, needing, read_as

from .fig6a import BUFFER
from .fig6b import c27, sd
from .setup import ALL, DRR_BASED, HOPS, TRIPS, added, panel, runs
from .why_in_step import JITTER

UNEVEN = 20  # queues for 50 flows of each kind: 2 of one and 3 of the other in each
EVEN = 25  # queues: 2 of both in each
QUEUES = [1, 2, 5, 10, UNEVEN, EVEN, 50, ALL]

study = added(
    runs(
        {"scheme": Choice(DRR_BASED[:1], DRR_BASED), "queues": Choice([10, ALL], QUEUES)},
        {"network": TRIPS},
        where=lambda scheme, queues: scheme == DRR_BASED[0] or queues in (UNEVEN, EVEN),
        buffer=BUFFER,
        jitter=JITTER,
    ),
    full=[runs({"scheme": DRR_BASED, "queues": QUEUES}, {"network": HOPS}, buffer=BUFFER)],
)

c27 = replace(c27, others={"below 15 % alone": sd < 0.15})(queues=[n for n in QUEUES if n != UNEVEN])
JITTERED, MIXED = "access takes up to 5 ms more for each packet", "as many flows of both kinds in a queue"
CLAIMS = needing(
    {"queues": 1},
    *read_as(f"{TRIPS}; DTDRR; {JITTERED}; {MIXED}", [c27], network=TRIPS, scheme="DTDRR"),
    *read_as(f"{HOPS}; {MIXED}", [c27], network=HOPS, scheme=DRR_BASED),
    Claim(
        "why-mixed/twenty",
        "20 queues, with 2 or 3 flows of the longer round trip in each, deviate more than 25, with 2 in each",
        sd(queues=UNEVEN) - sd(queues=EVEN) >= 0.05,
        reading=f"{TRIPS}, {JITTERED}; {HOPS}",
    ),
)

draw = panel(
    "sd_slow", "sd of goodput / fair share", "queues", where={"network": TRIPS}, called="queues, uneven access"
)
