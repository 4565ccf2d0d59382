"""Figure 4.9: fairness, utilization and empty queues, unequal round trips (Section 4.6.2)."""

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import LREDS, higher, lower, others
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import EMPTY, LU, PLR, F
from penstock.reproduce.figure import Claim, at_least, every

study = controllers.study("diff")
draw = controllers.draw("diff", "F", "LU", "empty")
PI_BUSIEST = every(higher(LU, "PI", others("PI")), lower(EMPTY, "PI", others("PI")))

CLAIMS = (
    Claim(
        "fig4.9b/c1",
        "PI uses most of the link and is empty least often",
        swept(PI_BUSIEST),
        others={"from 8 flows on": swept(PI_BUSIEST(flows=at_least(8)))},
    ),
    Claim(
        "fig4.9a/c1",
        "the schemes do not differ in fairness",
        swept(abs(F(scheme=others("PSAND")) / F(scheme="PSAND") - 1) <= 0.1),
        "F of each within 10 % of PSAND's for every N",
    ),
    Claim(
        "fig4.8-9/c2",
        "LRED and LRED* lose slightly more than PSAND and use less of the link",
        swept(every(higher(PLR, LREDS, "PSAND"), lower(LU, LREDS, "PSAND"))),
    ),
)
