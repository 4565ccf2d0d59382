"""Why c09, c12, c13, c18, c22 and c23 fail: a receiver window, 20 packets for short flows, 100 for long ones."""

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

from penstock.reproduce.figure import Choice, Claim, SummaryTable, above, every, needing, read_as

from . import fig4a, fig4c, fig5a, fig5b, fig5c, overall
from .setup import DRR_BASED, DSDRR, HELD, HOPS, LAST, SHORT_WINDOW, TRIPS, Runs, added, panel, queue, runs

NONE = 100_000  # packets: no limit
SHORT, LONG = SHORT_WINDOW, 100
"""Packets; the second gives flows of 300 ms 80 %."""
W_HELD = "DSDRR-W"
BOTH = Choice([TRIPS], [TRIPS, HOPS])


def _part(load: str, networks: Any, windows: list[int], schemes: Any, buffers: Any) -> Runs:
    """RED and Blue have their first setting."""
    vary = {"network": networks, "window": windows, "scheme": schemes, "buffer": buffers}
    return runs(vary, {"load": load}, discipline=queue)


schemes = Choice(["DTDRR"], [*DRR_BASED, W_HELD, "Tail-Drop"])
study = added(
    _part("short", BOTH, [SHORT, NONE], schemes, Choice([LAST], [1000, LAST])),
    full=[
        _part("short", [HOPS], [SHORT], ["RED", "Blue"], [LAST]),
        _part("short", [TRIPS], [SHORT], ["DTDRR", "DSDRR", W_HELD], [2000, 3000]),
        _part("long", BOTH, [LONG], ["DTDRR", W_HELD, "QSDRR"], [400, 1000, 3000, LAST]),
    ],
)

WINDOW = f"windows of {SHORT} packets for short flows, the default of ns-2"
FIRST = "RED's and Blue's first setting"
short = {"load": "short", "window": SHORT}
long = {"load": "long", "window": LONG}


def _of_bursts(value: str, words: str) -> Iterator[Claim]:
    c09, c23 = (claim.replaced(DSDRR, value) for claim in (fig4c.c09(buffer=above(1000)), fig5c.near_two))
    reading = f"{words}; {WINDOW}" if words else WINDOW
    yield from read_as(reading, [c09], network=TRIPS, **short)
    yield from read_as(f"{reading}; {FIRST}", [c23], network=HOPS, **short)


CLAIMS = needing(
    {"network": HOPS},
    *(claim for value, words in DSDRR.words.items() for claim in _of_bursts(value, words)),
    Claim(
        "c22",
        "DTDRR is almost as good as QSDRR and twice as good as the others",
        every(fig5c.as_qsdrr(buffer=[1000, LAST]), fig5c.twice_as_good(buffer=LAST))(network=HOPS, **short),
        reading=f"{WINDOW}; {FIRST}",
    ),
    *read_as(WINDOW, [overall.c12(scheme=DRR_BASED)], buffer=LAST, network=BOTH.full, **short),
    *read_as(
        f"{HELD}; windows of {LONG} packets for long flows",
        [
            *(claim.replaced(DSDRR, W_HELD)(network=HOPS) for claim in (fig5a.shares, fig5b.slack)),
            Claim("c16", "DSDRR is very close to QSDRR", fig5a.close(network=HOPS)).replaced(DSDRR, W_HELD),
            fig4a.c03(scheme=["DTDRR", W_HELD], network=TRIPS),
        ],
        **long,
    ),
)


def draw(summary: SummaryTable) -> Figure:
    """Completion times in two round trips with windows of 20 packets; Figure 4 (c) has them without."""
    cells = summary.where(network=TRIPS, load="short", window=SHORT).cells
    points = SummaryTable(sorted(cells, key=lambda cell: cell[0]["buffer"]))
    return panel("ratio", "time, 200 ms / 40 ms")(points)
