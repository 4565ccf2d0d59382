"""Figure 13: loss, SACK and gentle WRED (Section 3.5)."""

from penstock.reproduce.figure import Statement, at_least, below, claims_if_measured, every

from . import setup
from .setup import HALF, STRATEGIES, WHOLE, claim, lack, loss, under_da

study = setup.strategy_sweep("SACK, gentle", "Reno, gentle", "Reno, strict", "SACK, strict")

excess = loss(setting="SACK, gentle", strategy=STRATEGIES) / loss(setting="Reno, gentle", strategy=STRATEGIES)


def _gentle_is_better(low: float) -> Statement:
    return every(
        *(
            every((under_da(loss)(setting=gentle) < under_da(loss)(setting=strict))(x=at_least(low)), less_lack)
            for gentle, strict in (("Reno, gentle", "Reno, strict"), ("SACK, gentle", "SACK, strict"))
            for less_lack in [lack(setting=gentle) < lack(setting=strict)]
        )
    )


CLAIMS = claims_if_measured(
    WHOLE,
    claim("c19", every(excess.between(1.0, 1.08)(x=at_least(8)), excess.between(0.85, 1.15)(x=below(8)))),
    claim("c21", _gentle_is_better(2.0), others={"from 5 Mb/s on": _gentle_is_better(HALF)}),
)

draw = setup.losses("SACK, gentle")
