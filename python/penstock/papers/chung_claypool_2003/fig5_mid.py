"""Figure 5, middle: the queue against the round-trip delay of the links, drops (Section III)."""

from penstock.papers.chung_claypool_2003.constant import law, line, of_queue, over_delay, where_busy
from penstock.papers.chung_claypool_2003.setup import service_rate
from penstock.reproduce.figure import Claim, Curves

study = over_delay
measure = of_queue

CLAIMS = (
    Claim(
        "c04",
        "the queue falls linearly with the links' round-trip delay (Section III prints that it rises: a misprint)",
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
