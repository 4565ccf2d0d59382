"""Table 4.3: the schemes rated, unequal round trips (Section 4.6.2)."""

from functools import partial

from penstock.papers.alemu_2004 import controllers, symbols

PRINTED = symbols.read("tab4-3")
study = controllers.study("diff")
draw = partial(symbols.draw, printed=PRINTED)
CLAIMS = tuple(symbols.claims("tab4.3", PRINTED))
