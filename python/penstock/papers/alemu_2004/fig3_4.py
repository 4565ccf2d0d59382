"""Figure 3.4: the queue against Min for a large Max (Section 3.2.1)."""

from penstock.papers.alemu_2004.fig3_1_4 import c1
from penstock.papers.alemu_2004.thresholds import against_min, pairs
from penstock.reproduce.figure import read_as

MAXIMA = [20, 30, 35]

study = pairs(maxima=MAXIMA)

CLAIMS = tuple(read_as("large Max alone", [c1]))

draw = against_min(MAXIMA)
