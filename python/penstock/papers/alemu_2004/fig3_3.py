"""Figure 3.3: the queue against Min for a small Max (Section 3.2.1)."""

from penstock.papers.alemu_2004.fig3_1_4 import c1
from penstock.papers.alemu_2004.thresholds import against_min, pairs
from penstock.reproduce.figure import read_as

MAXIMA = [10.5, 15, 18]

study = pairs(maxima=MAXIMA)

CLAIMS = tuple(read_as("small Max alone", [c1]))

draw = against_min(MAXIMA)
