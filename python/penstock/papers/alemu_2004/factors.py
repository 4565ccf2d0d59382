"""What Figures 2.12 to 2.14 have in common: PSAND's factor and power (Section 2.4.3)."""

from __future__ import annotations

from penstock.papers.alemu_2004.setup import ADAPTIVE, AREDS, load, psand
from penstock.reproduce.figure import Choice, Sweep, above

COEFS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3]
GAMMAS = [0.25, 0.5, 1, 1.5, 2]
FLOWS = Choice([3, 103], [3, 53, 73, 103])
ANY = {"coef": above(0), "gamma": above(0)}
"""The cells of PSAND."""
MANY = above(3)
"""The numbers of flows that count as many."""

# PSAND with each factor and power, and the adaptive REDs, whose labels are `scheme` and `flows` (guess 12).
study = Sweep(
    lambda coef, gamma, flows: load(psand(coef, gamma), flows),
    {"coef": Choice([0.5, 1, 1.75, 3], COEFS), "gamma": Choice([0.25, 1.5], GAMMAS), "flows": FLOWS},
    seeds=Choice(5, 100),
) + Sweep(
    lambda scheme, flows: load(ADAPTIVE[scheme](), flows), {"scheme": AREDS, "flows": FLOWS}, seeds=Choice(5, 100)
)
