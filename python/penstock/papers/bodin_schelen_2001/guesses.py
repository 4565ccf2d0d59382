"""What the text leaves open: the form of TSW, and the level of acknowledgements that nobody tagged."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.claims import Claim
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, SETTINGS, STRATEGIES
from penstock.papers.bodin_schelen_2001.sweep import Setting, apart, of_average
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Study, Table

FORMS = {"TSW": "TSW as in ns-2", "TSW of RFC 2859": "TSW of RFC 2859"}
LEVELS = {"AF11": "acknowledgements in profile", "AF12": "acknowledgements out of profile"}
measure = sweep.measure


def study(effort: Effort) -> Study:
    """Each combination at half of the link."""
    duration = effort.choose("40s", "130s")
    return Study(
        lambda conditioner, acks, setting, strategy, x: sweep.scenario(
            setting, strategy, x, duration, conditioner=conditioner, acks=acks
        ),
        {
            "conditioner": list(FORMS),
            "acks": list(LEVELS),
            "setting": list(SETTINGS),
            "strategy": list(STRATEGIES),
            "x": [HALF],
        },
        seeds=effort.choose(5, 32),
        where=lambda conditioner, acks, setting, strategy, x: not effort.quick or conditioner != "TSW",
        keep=of_average,
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c02, c08, c09 and c18, one for each combination but that of the figures."""
    for conditioner in table.axis("conditioner"):
        for acks, level in LEVELS.items():
            if (conditioner, acks) == ("TSW", "AF11"):
                continue
            reading = f"{FORMS[conditioner]}, {level}"
            reno = Setting(table, "Reno, strict", conditioner=conditioner, acks=acks)
            sack = Setting(table, "SACK, gentle", conditioner=conditioner, acks=acks)
            yield Claim(
                id="c02",
                says="dropping arrivals never loses less than dropping from the queue",
                reading=f"at 5 Mb/s; {reading}",
                expected="loss of all traffic: DA >= DFQ",
                holds=reno("loss", "DA") >= reno("loss", "DFQ"),
            )
            yield Claim(
                id="c08",
                says="the average swings more with DA, and often above max_th",
                reading=reading,
                expected="at 5 Mb/s: sd(DA) > sd(DFQ), intervals disjoint; DA above 45 for more than 5 % of the time",
                holds=all_of(
                    apart(reno("avg_sd", "DA"), reno("avg_sd", "DFQ")).at("sd"),
                    (reno("above", "DA") > 0.05).at("time above 45 with DA"),
                ),
            )
            yield Claim(
                id="c09",
                says="in the long run the average is the same with both",
                reading=reading,
                expected="at 5 Mb/s: mean average within 15 %",
                holds=(reno("avg_mean", "DA") / reno("avg_mean", "DFQ")).between(0.85, 1.15),
            )
            yield Claim(
                id="c18",
                says="with SACK the average is about twice as long with DA as with DFQ",
                reading=reading,
                expected="mean average DA / DFQ at 5 Mb/s: 2 (1.6 to 2.5)",
                holds=(sack("avg_mean", "DA") / sack("avg_mean", "DFQ")).reads(2.0, low=1.6, high=2.5),
            )
