"""Figure 4: loss, Reno and strict WRED (Section 3.2)."""

from penstock.reproduce.figure import Claim, Number, at_least, claims_if_measured, every, metric, slope, some, within

from . import setup
from .setup import ENDS, FOR_ITS_ROUND_TRIP, WHOLE, claim, excess_over_ends, loss, loss_out, under_da, under_dfq

SETTING = "Reno, strict"
study = setup.strategy_sweep(SETTING)

for_its_round_trip = metric("at_one_rtt", says="loss x (mean round trip)^2")
never_less = under_da(loss) >= under_dfq(loss)
gap = abs(under_da(loss) / under_dfq(loss) - 1)


def _slope_within(number: Number, low: float, high: float) -> Number:
    return under_da(number)(x=within(low, high)).along("x", slope)


CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c02",
        never_less(setting=SETTING),
        others={FOR_ITS_ROUND_TRIP: (under_da(for_its_round_trip) >= under_dfq(for_its_round_trip))(setting=SETTING)},
    ),
    claim(
        "c03",
        every(gap(x=ENDS) <= 0.1, excess_over_ends(gap) > 0)(setting=SETTING),
        "loss: within 10 % up to 0.8 and from 8.6 Mb/s on; the largest difference in between",
    ),
    claim("c04", (_slope_within(loss_out, 0.0, 7.0) > _slope_within(loss_out, 7.0, 9.2))(setting=SETTING)),
    Claim(
        "c04",
        "with DA the loss rises faster with the rate in profile below 7 Mb/s than above",
        (_slope_within(loss, 0.0, 7.0) > _slope_within(loss, 7.0, 9.2))(setting=SETTING),
        reading="loss of all packets instead of those out of profile",
    ),
    claim("c05", some((under_dfq(loss_out) > under_da(loss_out))(x=at_least(8), setting=SETTING), "x")),
)

draw = setup.losses(SETTING)
