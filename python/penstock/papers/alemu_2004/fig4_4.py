"""Figure 4.4: LRED with 3 flows (Section 4.5)."""

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.setup import BUFFER, EMPTY, SHARE, VQS, link, psand
from penstock.reproduce.figure import Choice, Claim, SummaryTable, Sweep, every, some

BETAS = [0.001, 0.003, 0.01, 0.021, 0.05, 0.151, 0.4]


def _three(queue: ps.Queue) -> ps.Scenario:
    return link(queue, 0, base=("0s", "100ms", "200ms"))


# LRED with several gains, and PSAND, with the starts of chapter 4.
study = Sweep(
    lambda beta: _three(ps.Lred(beta=beta, limit=f"{BUFFER}p", share=SHARE)), {"beta": BETAS}, seeds=Choice(5, 20)
) + Sweep(lambda scheme: _three(psand()), {"scheme": ["PSAND"]}, seeds=Choice(5, 20))

CLAIMS = (
    Claim(
        "fig4.4/c1",
        "LRED swings more than PSAND and is empty more often; no gain mends it",
        every(
            *(q(beta=0.151) > q(scheme="PSAND") for q in (VQS, EMPTY)),
            *(some(every(*(q(beta=beta) > q(scheme="PSAND") for q in (VQS, EMPTY)))) for beta in BETAS),
        ),
        "VQS and P(X=0) above PSAND's at gain 0.151; one of them above at every gain",
    ),
)


def draw(shown: SummaryTable) -> Figure:
    """Variance and empty queues against LRED's gain."""
    lines = SummaryTable(({**labels, "scheme": "LRED"}, points) for labels, points in shown.cells if labels.get("beta"))
    return panels.draw(lines, [panels.Panel("beta", y, "scheme") for y in ("VQS", "empty")])
