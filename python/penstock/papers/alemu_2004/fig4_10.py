"""Figure 4.10: runs of losses of a flow, unequal round trips (Section 4.6.2)."""

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import better, higher, lower, others
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import LONG_RUNS, LRL1
from penstock.reproduce.figure import Claim, every

study = controllers.study("diff")
draw = controllers.draw("diff", "LRL1", "LRL2", "LRL3")

CLAIMS = (
    Claim("fig4.10a/c1", "PSAND has most single losses", swept(higher(LRL1, "PSAND", others("PSAND")))),
    Claim(
        "fig4.10c/c1",
        "PSAND loses more than two in a row least often, AVQ and PI most often",
        every(
            swept(lower(LONG_RUNS, "PSAND", others("PSAND"))),
            better("LRL>2", others("AVQ", "PI", "PSAND"), ["AVQ", "PI"]),
        ),
        "LRL(>2) below the seven others for every N; averages of AVQ and PI above the five others",
    ),
)
