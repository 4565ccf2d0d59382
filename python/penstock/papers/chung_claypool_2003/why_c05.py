"""Why c05: the rate of the congested link with marks, which cause no timeouts."""

from penstock.reproduce.figure import Choice, Sweep, read_as

from .constant import RATES, against_p, constant
from .fig5_bottom import c05

study = Sweep(  # figure 5, bottom, with marks
    lambda rate, p: constant("mark", 300, p, rate=rate),
    {"rate": RATES, "p": Choice([0.05], [0.02, 0.03, 0.05, 0.07, 0.1])},
    seeds=Choice(5, 10),
)

CLAIMS = tuple(read_as("marks instead of drops", [c05]))

draw = against_p("rate", labels=("probability of a mark", "mean queue (packets)"))
