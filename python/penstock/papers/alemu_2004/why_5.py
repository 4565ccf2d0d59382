"""Why claims of chapter 5 are contradicted: each with one thing changed in all runs."""

from penstock.papers.alemu_2004 import why
from penstock.papers.alemu_2004.changes import OF_CODES

table = why.changes_shown("why-5", changes=OF_CODES)
CLAIMS = why.as_told("why-5")
draw = why.draw
