"""Figure 5.7: the size of a block at a fixed share of redundancy (Section 5.4.2.1)."""

from penstock.papers.alemu_2004 import blocks, judge
from penstock.papers.alemu_2004.blocks import QUARTER, TENTH
from penstock.papers.alemu_2004.judge import falls, rises, varies
from penstock.papers.alemu_2004.setup import PLR, PLRBC
from penstock.papers.alemu_2004.tables5 import BOTH, GAP, GAP_BEFORE, RED, TAIL, codes
from penstock.reproduce.figure import Claim, every, of_samples

study = blocks.study(
    [QUARTER[0], QUARTER[1], QUARTER[-1], TENTH[0], TENTH[1], TENTH[-1]], [*QUARTER, *TENTH], [50, 100]
)
draw = blocks.draw([50, 100], "ratio", [0.25, 0.1])

A_QUARTER = codes("with a quarter of redundancy", lambda k, h: k == 4 * h)
A_TENTH = codes("with a tenth of redundancy", lambda k, h: k == 10 * h)
SMALL_TENTH = codes("with a tenth of redundancy, k <= 30", lambda k, h: k == 10 * h and k <= 30)
LARGE_TENTH = codes("with a tenth of redundancy, k >= 50", lambda k, h: k == 10 * h and k >= 50)
LARGE = codes("with k >= 16", lambda k, h: k >= 16)

CLAIMS = (
    Claim(
        "fig5.7/c1",
        "losses before correction do not depend on the block, those after it fall with its size",
        every(
            *(
                every(varies(PLRBC, "code") <= 0.1, falls(PLR, "code"))(scheme=BOTH, code=share)
                for share in (A_QUARTER, A_TENTH)
            )
        ),
        "for each share, n and scheme: PLRBC within 10 % over k; PLR falls with k",
    ),
    Claim(
        "fig5.7a/c1",
        "50 flows, (8,2): drop-tail loses 2.9 times as much after correction, less before",
        every(
            of_samples(judge.ratio, PLR(scheme=TAIL), PLR(scheme=RED), text="{} / {}").reads(2.9, share=0.3),
            GAP_BEFORE > 0,
        )(code="8,2", flows=50),
        "PLR(DT)/PLR(RED) 2.9 +- 30 %, PLRBC(RED) > PLRBC(DT)",
    ),
    Claim(
        "fig5.7a/c2",
        "50 flows: RED's gain is larger at (8,2) than at (16,4); large blocks are repaired nearly all",
        every(GAP(code="8,2") < GAP(code="16,4"), PLR(code="64,16", scheme=BOTH) <= 0.1)(flows=50),
        "PLR(DT) - PLR(RED) larger; at (64,16) both at most 0.1 %",
    ),
    Claim(
        "fig5.7b/c1",
        "100 flows, (16,4): RED loses 0.5 points more after correction, 2.1 before",
        every(judge.gap(GAP, 0.5), judge.gap(GAP_BEFORE, 2.1))(code="16,4", flows=100),
        "each +- 0.5 points",
    ),
    Claim(
        "fig5.7b/c2",
        "100 flows, (16,4): 8.6 points are repaired behind RED, 7 behind drop-tail",
        every(judge.plr((PLRBC - PLR)(scheme=RED), 8.6), judge.plr((PLRBC - PLR)(scheme=TAIL), 7))(
            code="16,4", flows=100
        ),
        "PLRBC - PLR, each +- 2 points",
    ),
    Claim(
        "fig5.7c/c1",
        "50 flows, a tenth: RED is better for blocks below about (40,4), worse above",
        every((GAP < 0)(code=SMALL_TENTH), (GAP > 0)(code=LARGE_TENTH))(flows=50),
        "PLR(RED) < PLR(DT) for k <= 30, > for k >= 50",
    ),
    Claim(
        "fig5.7d/c1",
        "100 flows, (20,2): RED loses 2.1 points more after correction, and the more the larger the block",
        every(judge.gap(GAP(code="20,2"), 2.1), rises(GAP(code=A_TENTH), "code"))(flows=100),
        "2.1 +- 0.5 points; rises with k",
    ),
    Claim(
        "fig5.7bd/c1",
        "100 flows: RED's disadvantage is larger with a tenth of redundancy than with a quarter",
        every(GAP(code="20,2") > GAP(code="16,4"), GAP(code=TENTH[-1]) > GAP(code=QUARTER[-1]))(flows=100),
        "gap at (20,2) above that at (16,4), and so for the largest blocks",
    ),
    Claim(
        "model5.rule/c4",
        "as the model has it, with 100 flows redundancy is too small for RED, with 50 small blocks favour it",
        every((GAP > 0)(code=LARGE, flows=100), (GAP < 0)(code=[QUARTER[0], TENTH[0]], flows=50)),
        "PLR(RED) > PLR(DT) for k >= 16 at 100 flows; < for the smallest block at 50; both shares",
    ),
)
