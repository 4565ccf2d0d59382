"""Why claims of chapter 2 are contradicted: each with one thing changed in all runs."""

from penstock.papers.alemu_2004 import why

table = why.changes_shown("why-2", "tab2-2")
CLAIMS = why.as_told("why-2")
draw = why.draw
