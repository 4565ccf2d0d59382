"""Why c05: the rate of the congested link with marks, which cause no timeouts."""

from penstock.reproduce.figure import Choice, Curves, Sweep, read_as

from .constant import RATES, constant, of_queue
from .fig5_bottom import c05

measure = of_queue


# Figure 5, bottom, by marks.
study = Sweep(
    lambda rate, p: constant("mark", 300, p, rate=rate),
    {"rate": RATES, "p": Choice([0.05], [0.02, 0.03, 0.05, 0.07, 0.1])},
    seeds=Choice(5, 10),
)


CLAIMS = (*read_as("marks instead of drops", [c05]),)

draw = Curves("p", "q", "rate", labels=("probability of a mark", "mean queue (packets)"), log="x")
