"""Why claims are contradicted that seem to hold with none of the changes: several of them at once, or more runs."""

from penstock.papers.alemu_2004 import why
from penstock.papers.alemu_2004.why import SEEDS, Holds

HOLDS = {
    "fig2.10d/c1": Holds("fig2-10", "all", ("delayed acknowledgements", "PSAND (2, 0.25)"), SEEDS),
    "fig3.7/c1": Holds("fig3-7", "few", ("delayed acknowledgements", "PSAND (2, 0.25)", "max_p up to 1"), 30),
    "fig4.5c/c1": Holds("fig4-5", "few", ("PSAND (1, 1)",), 30),
}
table = why.decided(HOLDS)
CLAIMS = why.held("why-both", HOLDS)
