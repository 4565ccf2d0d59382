"""Figure 4.7: runs of losses of a flow, equal round trips (Section 4.6.1)."""

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import LREDS, REM, higher, lower, others
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import LONG_RUNS, LRL1
from penstock.reproduce.figure import Claim, every, mean, metric

study = controllers.study("same")
draw = controllers.draw("same", "LRL1", "LRL2", "LRL3")

OTHERS = others("PSAND")
ALIKE = (abs(LRL1 / LRL1.along("scheme", mean) - 1) <= 0.25)(scheme=OTHERS)

CLAIMS = (
    Claim("fig4.7/c1", "REM loses more packets in a row than PSAND", swept(lower(LRL1, REM, "PSAND"))),
    Claim(
        "fig4.7a/c1",
        "PSAND has most single losses, the others are alike",
        swept(every(higher(LRL1, "PSAND", OTHERS), ALIKE)),
        "LRL(1) above the seven others for every N; those within 25 % of their mean",
    ),
    Claim(
        "fig4.7bc/c1",
        "PSAND loses two and three in a row least often",
        swept(every(*(lower(q, "PSAND", OTHERS) for q in (metric("LRL2"), metric("LRL3"), LONG_RUNS)))),
        "LRL(2), LRL(3) and LRL(>2) below the seven others for every N",
    ),
    Claim("fig4.7/c2", "LRED and LRED* lose more in a row than PSAND", swept(lower(LRL1, LREDS, "PSAND"))),
)
