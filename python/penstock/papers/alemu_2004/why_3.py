"""Why claims of chapter 3 are contradicted: each with one thing changed in all runs."""

from penstock.papers.alemu_2004 import why

table = why.changes_shown("why-3", "tab3-1")
CLAIMS = why.as_told("why-3")
draw = why.draw
