"""Figure 5, middle: the queue against the round-trip delay of the links, drops (Section III)."""

from .constant import FALLS, falls_linearly, figure_against_p, fitted_line, over_delay, queue_law, where_queue_is_busy
from .setup import claim, service_rate

study = over_delay

CLAIMS = (
    claim(
        "c04",
        falls_linearly("rtld"),
        FALLS,
        others={
            "slope -SR within 15 %": where_queue_is_busy(
                (fitted_line("rtld") / -service_rate()).between(0.85, 1.15), "rtld"
            )
        },
    ),
)

draw = figure_against_p("rtld", theory=lambda rtld, p: float(queue_law("drop", rtld=rtld).queue(300, p)))
