"""Figure 5, bottom: the queue against the rate of the congested link, drops (Section III)."""

from .constant import FALLS, falls_linearly, figure_against_p, fitted_line, over_rate, queue_law, where_queue_is_busy
from .setup import RTLD, claim, service_rate

study = over_rate

CLAIMS = (
    claim(
        "c05",
        falls_linearly("rate", service_rate),
        FALLS,
        others={
            "slope -RTLD within 15 %": where_queue_is_busy(
                (fitted_line("rate", service_rate) / -RTLD).between(0.85, 1.15), "rate"
            )
        },
    ),
)

draw = figure_against_p("rate", theory=lambda rate, p: float(queue_law("drop", rate).queue(300, p)))
