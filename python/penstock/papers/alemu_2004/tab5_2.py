"""Table 5.2: losses in a block before and after correction by the code (16,4) (Section 5.4.1.2)."""

from functools import partial

from penstock.papers.alemu_2004 import cells, tables5

study = tables5.study(["16,4"])
CLAIMS = tuple(tables5.claims("tab5-2", "16,4", 70))
draw = partial(cells.draw, cells=tables5.printed("tab5-2", "16,4"))
