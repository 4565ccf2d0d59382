"""Figure 5, bottom: the queue against the rate of the congested link, drops (Section III)."""

from .constant import FALLS, against_p, falls_linearly, law, line, over_rate, where_busy
from .setup import RTLD, claim, service_rate

study = over_rate

CLAIMS = (
    claim(
        "c05",
        falls_linearly("rate", service_rate),
        FALLS,
        others={
            "slope -RTLD within 15 %": where_busy((line("rate", service_rate) / -RTLD).between(0.85, 1.15), "rate")
        },
    ),
)

draw = against_p("rate", theory=lambda rate, p: float(law("drop", rate).queue(300, p)))
