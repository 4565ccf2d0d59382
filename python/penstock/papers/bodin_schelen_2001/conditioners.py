"""Footnote 6: token buckets and CAR instead of TSW."""

from penstock.papers.bodin_schelen_2001 import fig4, fig5, fig6, setup
from penstock.papers.bodin_schelen_2001.setup import HALF, IN_RATES, SETTINGS, STRATEGIES, WHOLE, da, dfq, swing, wider
from penstock.reproduce.choice import Range
from penstock.reproduce.figure import Choice, Claim, Sweep, every, needing

study = Sweep(  # ten runs, as the text gives no number
    setup.scenario,
    {
        "conditioner": ["token bucket", "CAR"],
        "setting": Choice(["Reno, strict", "Reno, gentle"], list(SETTINGS)),
        "strategy": STRATEGIES,
        "x": Choice([HALF], IN_RATES),
    },
    seeds=Choice(5, 10),
    span=setup.lasting("40s"),
    keep=setup.of_average,
)

GENTLE = Range("with gentle WRED", lambda setting: "gentle" in setting)
SAYS = "the conclusions hold with token buckets and CAR too"
strict = {"setting": "Reno, strict"}
swings = every(wider(**strict), (da(swing) > dfq(swing))(setting=GENTLE))(x=HALF)
CLAIMS = (
    *needing(
        WHOLE,
        Claim(
            "c25",
            SAYS,
            every(swings, every(fig6.often_above(x=HALF), fig4.never_less, fig5.never_lower)(**strict)),
            "c02, c07, c08 and c16 with either",
        ),
    ),
    Claim("c25", SAYS, swings, reading="the conclusion about oscillation alone"),
)

draw = setup.panel("goodput", "throughput (Mb/s)", scale=1e-6, conditioner="token bucket", setting="Reno, strict")
