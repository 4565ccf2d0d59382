"""Figure 5, middle: the queue against the round-trip delay of the links, drops (Section III)."""

from penstock.reproduce.figure import Curves

from .constant import law, line, of_queue, over_delay, where_busy
from .setup import claim, service_rate

study = over_delay
measure = of_queue

CLAIMS = (
    claim(
        "c04",
        where_busy((line("rtld") / -service_rate("20Mbit")).between(0.85, 1.15), "rtld"),
        "slope -SR within 15 % at each p where q > 0 (10 packets)",
    ),
)

draw = Curves(
    "p",
    "q",
    "rtld",
    labels=("drop probability", "mean queue (packets)"),
    theory=lambda rtld, p: float(law("drop", rtld=rtld).queue(300, p)),
    log="x",
)
