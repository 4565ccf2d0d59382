"""TCP goodput of web sessions by their number (Section 5, no figure)."""

from itertools import combinations

from penstock.reproduce.figure import Claim, every, metric

from .setup import OPTION, RED, SCHEMES, claim, combined_readings, goodput, sessions_figure, web_study

study = web_study

grows = every(goodput.at_next_value("sessions") > goodput, goodput(sessions=1400).matches_printed(8.7, share=0.03))
PAIRS = list(combinations(SCHEMES, 2))
alike = every(*((goodput(scheme=first) / goodput(scheme=second)).between(0.99, 1.01) for first, second in PAIRS))
close = (goodput(scheme=RED) / goodput(scheme="TD")).between(0.98, 1.02)
carried = metric("carried", "Mb/s", "payload of TCP, repeats too, and UDP")

CLAIMS = (
    claim(
        "c20",
        every(grows, alike)(option=OPTION),
        "increasing; 8.7 Mb/s, 3 %, with 1400 sessions; any two mechanisms within 1 %",
    ),
    claim("c20", every(grows, close)(option=combined_readings("a difference of less than 2 % is none"))),
    Claim(
        "web-goodput/carried",
        "the link carries equally much with each mechanism at 1400 sessions; UDP and packets that arrive twice differ",
        every(*((carried(scheme=first) / carried(scheme=second)).between(0.998, 1.002) for first, second in PAIRS))(
            sessions=1400, option=combined_readings("no claim of the work")
        ),
        "payload of TCP, repeats too, and UDP: any two mechanisms within 0.2 %",
    ),
)

draw = sessions_figure("goodput", "goodput (Mb/s)")
