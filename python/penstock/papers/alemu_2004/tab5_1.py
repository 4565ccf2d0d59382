"""Table 5.1: losses in a block before and after correction by the code (16,1) (Section 5.4.1.2)."""

from functools import partial

from penstock.papers.alemu_2004 import cells, tables5

study = tables5.study(["16,1"])
CLAIMS = tuple(tables5.claims("tab5-1", "16,1", 50))
draw = partial(cells.draw, cells=tables5.printed("tab5-1", "16,1"))
