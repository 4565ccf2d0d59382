"""Figure 6 (b): deviation of goodput among the slower long flows against the number of queues (Section 5.3)."""

from penstock.reproduce.figure import Number, Statement, claims_if_measured, every, metric, spread

from . import fig6a
from .setup import DRR_BASED, claim

study = fig6a.study

sd, sd_all = metric("sd_slow", says="sd / fair share"), metric("sd_all", says="sd / fair share of all flows")


def _even(deviation: Number) -> Statement:
    return every(deviation < 0.15, deviation.along("queues", spread) <= 0.05)


c27 = claim(
    "c27",
    _even(sd),
    others={"below 15 % alone, with differences": sd < 0.15, "among all flows of the link": _even(sd_all)},
)
CLAIMS = claims_if_measured({"queues": 1}, c27(scheme=DRR_BASED))

draw = fig6a.against_queues("sd_slow", "sd of goodput / fair share")
