"""Footnote 6: token buckets and CAR instead of TSW."""

from penstock.reproduce.figure import QuickOrFull, claims_if_measured, every, mean

from . import fig4, fig5, fig6, setup
from .jitter import burst_out
from .setup import HALF, IN_RATES, SETTINGS, STRATEGIES, WHOLE, average, claim, loss, swing, under_da, under_dfq, wider

study = setup.average_sweep(  # ten runs, as the text gives no number
    setup.scenario,
    {
        "conditioner": ["token bucket", "CAR"],
        "setting": list(SETTINGS),
        "strategy": STRATEGIES,
        "x": QuickOrFull([HALF], IN_RATES),
    },
    QuickOrFull(5, 10),
    "40s",
)

STRICT, GENTLE = ["Reno, strict", "SACK, strict"], ["Reno, gentle", "SACK, gentle"]
# Section 4: less oscillation; with strict WRED fewer losses, in shorter bursts; with gentle WRED shorter queues.
swings = (under_da(swing) > under_dfq(swing))(setting=[*STRICT, *GENTLE], x=HALF)
fewer = (under_da(loss).along("x", mean) > under_dfq(loss).along("x", mean))(setting=STRICT)
shorter_bursts = (under_da(burst_out).along("x", mean) > under_dfq(burst_out).along("x", mean))(setting=STRICT)
shorter_queues = (under_da(average) > under_dfq(average))(setting=GENTLE, x=HALF)
strict = {"setting": "Reno, strict"}
each_figure = every(
    wider(x=HALF, **strict), fig6.often_above(x=HALF, **strict), fig4.never_less(**strict), fig5.never_lower(**strict)
)
CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c25",
        every(swings, fewer, shorter_bursts, shorter_queues),
        "swings more, strict: loses more, in longer bursts, gentle: longer queue, with either",
        others={"the conclusion about oscillation alone": swings, "all of c02, c07 and c08": each_figure},
    ),
)

draw = setup.sweep_figure(
    "goodput", "throughput (Mb/s)", scale=1e-6, conditioner="token bucket", setting="Reno, strict"
)
