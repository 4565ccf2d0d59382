"""Figure 5.6: runs of losses of the datagrams (Section 5.4.1.4)."""

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.setup import LRL1
from penstock.papers.alemu_2004.tables5 import BOTH, RED, TAIL
from penstock.reproduce.figure import Claim, every

study = tables5.study(["16,1"])
draw = panels.of(*(panels.Panel("flows", y, "scheme") for y in ("LRL1", "LRL2", "LRL3")), columns=3)

CLAIMS = (
    Claim(
        "fig5.6/c1",
        "nine in ten of RED's runs are single losses, six in ten of drop-tail's",
        every(judge.probability(LRL1(scheme=RED), 90), judge.probability(LRL1(scheme=TAIL), 60)),
        "P(LRL=1) 90 % and 60 %, each +- 30 % of it, for every n",
    ),
    Claim(
        "fig5.6/c2",
        "this depends little on the number of flows",
        judge.varies(LRL1(scheme=BOTH), "flows") <= 0.2,
        "P(LRL=1) within 10 % of its mean over n",
    ),
)
