"""Figure 6 (b): deviation of goodput among the slower long flows against the number of queues (Section 5.3)."""

from penstock.papers.kantawala_turner_2005.fig6a import study
from penstock.papers.kantawala_turner_2005.setup import DRR_BASED, TRIPS, panel
from penstock.reproduce.figure import Claim, Number, Statement, every, metric, needing, spread

__all__ = ["CLAIMS", "c27", "draw", "sd", "study"]

sd, sd_all = metric("sd_slow", says="sd / fair share"), metric("sd_all", says="sd / fair share of all flows")


def _even(deviation: Number) -> Statement:
    return every(deviation < 0.15, deviation.along("queues", spread) <= 0.05)


c27 = Claim(
    "c27",
    "the deviation of goodput is below 15 % of the fair share, however many queues",
    _even(sd),
    others={"below 15 % alone, with differences": sd < 0.15, "among all flows of the link": _even(sd_all)},
)
CLAIMS = needing({"queues": 1}, c27(scheme=DRR_BASED))

draw = panel("sd_slow", "sd of goodput / fair share", "queues", where={"network": TRIPS})
