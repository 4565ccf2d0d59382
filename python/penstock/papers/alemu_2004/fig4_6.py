"""Figure 4.6: fairness, utilization and empty queues, equal round trips (Section 4.6.1)."""

from functools import partial

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import AVQS, REM, higher, lower, others
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import EMPTY, LU, F
from penstock.reproduce.figure import Claim, every, gather
from penstock.results.sample import most_of

study = controllers.study("same")
draw = controllers.draw("same", "F", "LU", "empty")
OTHERS = others(*AVQS)

CLAIMS = (
    Claim(
        "fig4.6/c1",
        "PSAND uses more of the link than REM and is fairer",
        swept(every(*(higher(q, "PSAND", REM) for q in (LU, F)))),
        "LU and F above REM's for every N (Table 4.2 has F equal)",
    ),
    Claim("fig4.6a/c1", "AVQ and AVQ* are least fair", swept(lower(F, AVQS, OTHERS))),
    Claim(
        "fig4.6b/c1",
        "AVQ and AVQ* use the link among the least",
        swept(every(*(gather(partial(most_of, 4 / 6), lower(LU, s, OTHERS), "scheme") for s in AVQS))),
        "LU below four of the six others at least, for every N",
    ),
    Claim("fig4.6c/c1", "the queue of AVQ and AVQ* is empty most often", swept(higher(EMPTY, AVQS, OTHERS))),
    Claim("fig4.6a/c2", "PSAND is slightly fairer than LRED", swept(higher(F, "PSAND", "LRED"))),
    Claim("fig4.6b/c2", "PSAND uses more of the link than LRED", swept(higher(LU, "PSAND", "LRED"))),
)
