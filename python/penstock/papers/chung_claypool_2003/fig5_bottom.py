"""Figure 5, bottom: the queue against the rate of the congested link, drops (Section III)."""

from dataclasses import replace

from penstock.reproduce.figure import Curves

from .constant import law, line, of_queue, over_rate, where_busy
from .setup import claim, service_rate

RTLD = 0.080
study = over_rate
measure = of_queue

straight = (line("rate", service_rate) / -RTLD).between(0.85, 1.15)
c05 = claim("c05", straight, "slope -RTLD within 15 % (as c04 asks) at each p where q > 0 (10 packets)")
CLAIMS = (replace(c05, holds=where_busy(straight, "rate")),)

draw = Curves(
    "p",
    "q",
    "rate",
    labels=("drop probability", "mean queue (packets)"),
    theory=lambda rate, p: float(law("drop", rate).queue(300, p)),
    log="x",
)
