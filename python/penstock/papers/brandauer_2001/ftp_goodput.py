"""TCP goodput of everlasting flows by their number (Section 4, no figure)."""

from penstock.papers.brandauer_2001.setup import (
    SCHEMES,
    SETTING,
    STANDARD,
    design,
    everlasting,
    goodput,
    mean_queue,
    panel,
)
from penstock.reproduce.figure import Claim, Number, above, every, largest, smallest

study = everlasting

best = goodput(scheme=SCHEMES).along("scheme", largest)
lacking = 1 - goodput(scheme=STANDARD) / best
LOWER_QUARTER = (3 / 20 + 1 / 8) * design(16).buffer  # packets, the end of it between the standard thresholds


def _ratio(schemes: list[str]) -> Number:
    found = goodput(scheme=schemes)
    return found.along("scheme", largest) / found.along("scheme", smallest)


CLAIMS = (
    Claim(
        "c01",
        "the goodput of all mechanisms is practically equal",
        every((_ratio(["TD", "REDopt"]) <= 1.03)(flows=16), (_ratio(SCHEMES) <= 1.03)(flows=above(16)))(
            setting=SETTING
        ),
        "largest / smallest <= 1.03 for every N; at N = 16 of TD and REDopt (c03 has the others)",
        must_hold=True,
    ),
    Claim("c02", "it is almost optimal, around 8.4 Mb/s", goodput(setting=SETTING).reads(8.4, share=0.03)),
    Claim(
        "c03",
        "with 16 flows standard RED is marginally below, as max_p = 0.1 holds its queue close to min_th",
        every(lacking > 0, lacking <= 0.05, mean_queue(scheme=STANDARD) <= LOWER_QUARTER)(flows=16, setting=SETTING),
        "0 < 1 - goodput / best <= 0.05 at N = 16; mean queue in the lower quarter between the thresholds",
    ),
    Claim(
        "c04",
        "synchronization does not cost tail-drop goodput with 16 flows",
        (goodput(scheme="TD") / best >= 0.99)(flows=16, setting=SETTING),
        "goodput(TD) >= 0.99 best at N = 16",
        must_hold=True,
    ),
)

draw = panel("goodput", "goodput (Mb/s)")
