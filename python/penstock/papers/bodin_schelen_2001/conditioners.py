"""Footnote 6: token buckets and CAR instead of TSW."""

from penstock.reproduce.choice import Range
from penstock.reproduce.figure import Choice, every, needing

from . import fig4, fig5, fig6, setup
from .setup import HALF, IN_RATES, SETTINGS, STRATEGIES, WHOLE, claim, da, dfq, swing, wider

study = setup.runs(  # ten runs, as the text gives no number
    setup.scenario,
    {
        "conditioner": ["token bucket", "CAR"],
        "setting": Choice(["Reno, strict", "Reno, gentle"], list(SETTINGS)),
        "strategy": STRATEGIES,
        "x": Choice([HALF], IN_RATES),
    },
    Choice(5, 10),
    "40s",
)

GENTLE = Range("with gentle WRED", lambda setting: "gentle" in setting)
strict = {"setting": "Reno, strict"}
swings = every(wider(**strict), (da(swing) > dfq(swing))(setting=GENTLE))(x=HALF)
CLAIMS = (
    *needing(
        WHOLE,
        claim(
            "c25",
            every(swings, every(fig6.often_above(x=HALF), fig4.never_less, fig5.never_lower)(**strict)),
            "c02, c07, c08 and c16 with either",
        ),
    ),
    claim("c25", swings, reading="the conclusion about oscillation alone"),
)

draw = setup.panel("goodput", "throughput (Mb/s)", scale=1e-6, conditioner="token bucket", setting="Reno, strict")
