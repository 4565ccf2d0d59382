"""The panel of losses in a row, of figures 3 (d) and 4 (d)."""

from __future__ import annotations

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import SCHEMES, TAIL
from penstock.plots.curves import curves
from penstock.results.summary_table import Shown

__all__ = ["tails"]


def tails(shown: Shown) -> Figure:
    """P(N > k) against k for each mechanism, in one load."""
    points = Shown(
        ({"scheme": scheme, "k": k}, {"over": shown(f"over_{k}", scheme=scheme)})
        for scheme in SCHEMES
        for k in TAIL
        if shown(f"over_{k}", scheme=scheme).mean > 0
    )
    return curves(points, "k", "over", "scheme", labels=("k", "P(more than k losses in a row)"), log="y")
