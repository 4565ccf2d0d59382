"""Figures for papers: one kind per module, each with ``draw(...) -> matplotlib.figure.Figure``.

All are 3.33 in wide (one column of an ACM paper) with 8 pt type, colours that colour-blind readers can tell apart, and
a marker and a dash of its own for each line. `save` writes PDF or SVG with embedded fonts, the same bytes each time.
"""

from penstock.plots.style import save

__all__ = ["save"]
