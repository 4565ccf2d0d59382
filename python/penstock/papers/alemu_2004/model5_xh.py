"""Section 5.5: the zero x_h for large h."""

import penstock as ps
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.reproduce.figure import Claim, Effort, at_least, every, metric
from penstock.results.table import Labels


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """x_h - h."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for h in [*range(1, 31), 50, 100, 400]:
        root = ps.model.code_threshold(RED, DROPTAIL, h)
        found.append(({"h": h}, {"above": float("nan") if root is None else root - h}))
    return found


above = metric("above", says="x_h - h")
CLAIMS = (
    Claim(
        "model5.xh/c1",
        "x_h is about h + C",
        every(above > 0, above(h=at_least(10)).between(0.26, 0.27), abs(above(h=400) - 0.2614) <= 5e-4),
        "x_h - h > 0 for each h; 0.26 to 0.27 from h = 10 on, 0.2614 at 400 to 0.0005",
        must_hold=True,
    ),
)
