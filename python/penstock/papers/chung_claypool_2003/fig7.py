"""Figure 7: the mean window where it is limited (Section III)."""

from penstock.papers.chung_claypool_2003.constant import in_use, limited, of_queue
from penstock.reproduce.figure import Claim, Curves, every, needing

study = limited
measure = of_queue

fall = in_use(p=0.005) / in_use(p=0.1)
CLAIMS = needing(
    {"limit": 10_000, "p": 0.005},
    Claim(
        "c07",
        "a limit on the window flattens it over the probability",
        every(fall(limit=6) < fall(limit=12), fall(limit=12) < fall(limit=10_000)),
    ),
)

draw = Curves("p", "in_use", "limit", labels=("drop probability", "mean window in use (packets)"), log="xy")
