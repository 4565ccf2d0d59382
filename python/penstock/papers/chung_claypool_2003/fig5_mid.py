"""Figure 5, middle: the queue against the round-trip delay of the links, drops (Section III)."""

from .constant import FALLS, against_p, falls_linearly, law, line, over_delay, where_busy
from .setup import claim, service_rate

study = over_delay

CLAIMS = (
    claim(
        "c04",
        falls_linearly("rtld"),
        FALLS,
        others={"slope -SR within 15 %": where_busy((line("rtld") / -service_rate()).between(0.85, 1.15), "rtld")},
    ),
)

draw = against_p("rtld", theory=lambda rtld, p: float(law("drop", rtld=rtld).queue(300, p)))
