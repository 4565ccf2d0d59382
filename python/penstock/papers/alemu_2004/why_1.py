"""Why claims of chapter 1 are contradicted: each with one thing changed in all runs."""

from penstock.papers.alemu_2004 import why
from penstock.papers.alemu_2004.changes import CITED

table = why.changes_shown("why-1", changes=CITED)
CLAIMS = why.as_told("why-1")
draw = why.draw
