"""Figure 5, bottom: the queue against the rate of the congested link, drops (Section III)."""

from dataclasses import replace

from .constant import against_p, law, line, over_rate, where_busy
from .setup import RTLD, claim, service_rate

study = over_rate

straight = (line("rate", service_rate) / -RTLD).between(0.85, 1.15)
c05 = claim("c05", straight, "slope -RTLD within 15 % (as c04 asks) at each p where q > 0 (10 packets)")
CLAIMS = (replace(c05, holds=where_busy(straight, "rate")),)

draw = against_p("rate", theory=lambda rate, p: float(law("drop", rate).queue(300, p)))
