"""Figure 5: throughput, Reno and strict WRED (Section 3.2)."""

from penstock.reproduce.figure import at_least, claims_if_measured, every, metric, where_least

from . import setup
from .setup import WHOLE, claim, excess_over_ends, throughput, under_da, under_dfq

SETTING = "Reno, strict"
study = setup.strategy_sweep(SETTING)

timeouts = metric("timeouts", "/s", "timeouts a second")
never_lower = under_dfq(throughput) >= under_da(throughput)

CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c06",
        every(
            under_da(throughput).along("x", where_least, "x of the least").matches_printed(5.6, 4.4, 6.8),
            (1 - under_da(throughput) / under_dfq(throughput) <= 0.01)(x=9.2),
        )(setting=SETTING),
        "throughput of DA is least at 5.6 (4.4 to 6.8) Mb/s; at 9.2 Mb/s it is at most 1 % below that of DFQ",
    ),
    claim(
        "c07",
        never_lower(setting=SETTING),
        others={"from 3.8 Mb/s on, where DA waits now and then": never_lower(setting=SETTING, x=at_least(3.8))},
    ),
    claim(
        "c26",
        every(under_da(timeouts) > under_dfq(timeouts), excess_over_ends(under_da(timeouts)) > 0)(setting=SETTING),
        "timeouts a second: DA > DFQ at each rate in profile; the most of DA between 0.8 and 8.6 Mb/s",
    ),
)

draw = setup.sweep_figure("goodput", "throughput (Mb/s)", scale=1e-6, setting=SETTING)
