"""Figure 17: the link's utilization (Section V)."""

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import DROPPING, MARKING, used
from penstock.reproduce.figure import Claim, Curves

measure = step_load.numbers
study = step_load.runs("drop-tail", *DROPPING, *MARKING)

CLAIMS = (Claim("c19", "the link is fully used by every scheme at every load", used >= 0.99, must_hold=True),)

draw = Curves("flows", "utilization", "queue", labels=("flows", "utilization"))
