"""Figure 5, middle: the queue against the round-trip delay of the links, drops (Section III)."""

from .constant import against_p, law, line, over_delay, where_busy
from .setup import claim, service_rate

study = over_delay

CLAIMS = (
    claim(
        "c04",
        where_busy((line("rtld") / -service_rate()).between(0.85, 1.15), "rtld"),
        "slope -SR within 15 % at each p where q > 0 (10 packets)",
    ),
)

draw = against_p("rtld", theory=lambda rtld, p: float(law("drop", rtld=rtld).queue(300, p)))
