"""Tables 5.1 and 5.2 together: losses before correction (Section 5.4.1.2)."""

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.fig5_3 import study
from penstock.papers.alemu_2004.setup import PLRBC
from penstock.papers.alemu_2004.tables5 import BOTH, GAP_BEFORE, RED, TAIL
from penstock.reproduce.figure import Claim, every

__all__ = ["CLAIMS", "draw", "study"]

CLAIMS = (
    Claim(
        "tab5/c2",
        "RED loses more before correction, and the more the more flows",
        every(
            judge.swept(PLRBC(scheme=RED) >= PLRBC(scheme=TAIL)),
            judge.plr(GAP_BEFORE, 0.03)(flows=10),
            judge.plr(GAP_BEFORE, 2.1)(flows=100),
            judge.rises(GAP_BEFORE, "flows"),
        )(code="16,1"),
        "PLRBC_RED >= PLRBC_DT at every n; gap 0.03 points at 10 to 2.1 at 100 (+- 0.5), rising",
    ),
    Claim(
        "tab5/c3",
        "losses before correction hardly depend on the redundancy",
        (abs(PLRBC(code="16,4") - PLRBC(code="16,1")) <= 0.2)(scheme=BOTH),
        "PLRBC of (16,4) and (16,1) within 0.2 points at every n",
    ),
)

draw = panels.of(*(panels.Panel("flows", "PLRBC", "scheme", {"code": code}, f"({code})") for code in ("16,1", "16,4")))
