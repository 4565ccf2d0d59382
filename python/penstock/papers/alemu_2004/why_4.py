"""Why claims of chapter 4 and of the conclusions are contradicted: each with one thing changed in all runs."""

from penstock.papers.alemu_2004 import why

table = why.changes_shown("why-4")
CLAIMS = why.as_told("why-4")
draw = why.draw
