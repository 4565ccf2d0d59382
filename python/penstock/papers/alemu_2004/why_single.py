"""Why claims are contradicted that hold if single schemes are otherwise: the adaptive REDs, LRED, DSRED, thresholds.

The algorithms of chapter 1 drop each packet by itself, those of ns-2 space their drops; Section 2.4.5 speaks of "100 %
drops" above Max, which is the strict mode; how often LRED measures is not printed, nor from where on DSRED drops all.
"""

from penstock.papers.alemu_2004 import why
from penstock.papers.alemu_2004.why import Holds

HOLDS = {
    "tab2.2/c7": Holds("tab2-2", "all", ("adaptive REDs by themselves",), 10),
    "fig2.15a/c1": Holds("fig2-15", "all", ("strict",), 60),
    "fig3.1-2/c6": Holds("fig3-1-4", "few", ("ramp of ns-2", "delayed acknowledgements", "max_p up to 1"), 5),
    "fig4.5a/c4": Holds("fig4-5", "all", ("LRED over 1 s", "max_p up to 1"), 5),
    "ch1.dsred/c1": Holds("ch1", "all", ("DSRED up to the buffer",), 20),
    "concl/c4": Holds("ch4", "few", ("PSAND (1, 1) with 3 flows",), 100),
}
table = why.decided(HOLDS)
CLAIMS = why.held("why-single", HOLDS)
