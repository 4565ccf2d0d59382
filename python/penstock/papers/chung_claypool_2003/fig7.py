"""Figure 7: the mean window where it is limited (Section III)."""

from penstock.reproduce.figure import claims_if_measured, every

from .constant import figure_against_p, in_use, limited
from .setup import claim

study = limited

fall = in_use(p=0.005) / in_use(p=0.1)
CLAIMS = claims_if_measured(
    {"limit": 10_000, "p": 0.005},
    claim("c07", every(fall(limit=6) < fall(limit=12), fall(limit=12) < fall(limit=10_000))),
)

draw = figure_against_p("limit", "in_use", "mean window in use (packets)", log="xy")
