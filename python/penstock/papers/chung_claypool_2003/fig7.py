"""Figure 7: the mean window where it is limited (Section III)."""

from penstock.reproduce.figure import Curves, every, needing

from .constant import in_use, limited, of_queue
from .setup import claim

study = limited
measure = of_queue

fall = in_use(p=0.005) / in_use(p=0.1)
CLAIMS = needing(
    {"limit": 10_000, "p": 0.005},
    claim("c07", every(fall(limit=6) < fall(limit=12), fall(limit=12) < fall(limit=10_000))),
)

draw = Curves("p", "in_use", "limit", labels=("drop probability", "mean window in use (packets)"), log="xy")
