"""TCP goodput of everlasting flows by their number (Section 4, no figure)."""

from penstock.reproduce.figure import Number, above, every, largest, smallest

from .setup import EQUAL, SCHEMES, STANDARD, claim, everlasting, flows_figure, goodput, mean_queue, redopt_in_packets

study = everlasting

best = goodput(scheme=SCHEMES).along("scheme", largest)
lacking = 1 - goodput(scheme=STANDARD) / best
LOWER_QUARTER = (3 / 20 + 1 / 8) * redopt_in_packets(16).buffer  # packets; its end lies between the standard thresholds


def _ratio(schemes: list[str]) -> Number:
    of_schemes = goodput(scheme=schemes)
    return of_schemes.along("scheme", largest) / of_schemes.along("scheme", smallest)


CLAIMS = (
    claim(
        "c01",
        every((_ratio(["TD", "REDopt"]) <= EQUAL)(flows=16), (_ratio(SCHEMES) <= EQUAL)(flows=above(16))),
        f"largest / smallest <= {EQUAL} for every N; at N = 16 of TD and REDopt (c03 has the others)",
        must_hold=True,
    ),
    claim("c02", goodput.matches_printed(8.4, share=0.03)),
    claim(
        "c03",
        every(lacking > 0, lacking <= 0.05, mean_queue(scheme=STANDARD) <= LOWER_QUARTER)(flows=16),
        "0 < 1 - goodput / best <= 0.05 at N = 16; mean queue in the lower quarter between the thresholds",
    ),
    claim(
        "c04",
        (goodput(scheme="TD") / best >= 0.99)(flows=16),
        "goodput(TD) >= 0.99 best at N = 16",
        must_hold=True,
    ),
)

draw = flows_figure("goodput", "goodput (Mb/s)")
