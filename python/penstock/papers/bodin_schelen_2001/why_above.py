"""Why c02, c08 and c26 fail: how long avg_ql is above max_th(1), by how little a tagger leaves out of profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, STRATEGIES
from penstock.papers.bodin_schelen_2001.sweep import FOR_ITS_ROUND_TRIP, Setting, apart, of_average
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

SETTING = "Reno, strict"
TAGGERS: Mapping[str, str] = {
    "RFC 2859: 1 s": "TSW",
    "10 s": "TSW of 10 s",
    "1 s, spread": "TSW spread",
    "ns-2: 10 s, spread": "TSW of ns-2",
}
RFC, NS2 = "RFC 2859: 1 s", "ns-2: 10 s, spread"
MUCH = 8.0  # Mb/s in profile: with the tagger of RFC 2859 a fifth of what comes is out of profile
measure = sweep.measure


def study(effort: Effort) -> Study:
    """The window of TSW and the spacing of its tags, at several rates in profile; eight runs."""
    duration = effort.choose("40s", "130s")

    def scenario(tagger: str, strategy: str, x: float) -> ps.Scenario:
        return sweep.scenario(SETTING, strategy, x, duration, conditioner=TAGGERS[tagger])

    return Study(
        scenario,
        {
            "tagger": effort.choose([RFC, NS2], list(TAGGERS)),
            "strategy": list(STRATEGIES),
            "x": effort.choose([HALF, MUCH], [3.2, HALF, 6.8, MUCH, 9.2]),
        },
        seeds=effort.choose(5, 8),
        keep=of_average,
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c08, c02 and c26, and how much ns-2's tagger leaves out of profile."""
    rfc, ns2 = (Setting(table.where(tagger=tagger)) for tagger in (RFC, NS2))
    yield Claim(
        id="c08",
        says="the average swings more with DA, and often above max_th",
        reading="at 8 Mb/s, where a fifth is out of profile",
        expected="at 8 Mb/s: sd(DA) > sd(DFQ), intervals disjoint; DA above 45 for more than 5 %, and longer than DFQ",
        holds=all_of(
            apart(rfc("avg_sd", "DA", MUCH), rfc("avg_sd", "DFQ", MUCH)).at("sd"),
            (rfc("above", "DA", MUCH) > 0.05).at("time above 45 with DA"),
            (rfc("above", "DA", MUCH) > rfc("above", "DFQ", MUCH)).at("time above 45"),
        ),
    )
    for tagger in table.axis("tagger"):
        of = Setting(table.where(tagger=tagger))
        yield Claim(
            id="c02",
            says="dropping arrivals never loses less than dropping from the queue",
            reading=f"{FOR_ITS_ROUND_TRIP}; {tagger}",
            expected="loss x (mean round trip)^2: DA >= DFQ at each of these rates",
            holds=all_of((of("at_one_rtt", "DA", x) >= of("at_one_rtt", "DFQ", x)).at(f"{x:g} Mb/s") for x in of.xs),
        )
    if table.has(x=9.2):
        yield Claim(
            id="c26",
            says="with DA TCP times out more often, most so where a middle share is in profile",
            reading=f"{NS2}; from 5 Mb/s on",
            expected="timeouts a second: DA > DFQ at 5 Mb/s and more; more of DA at 6.8 than at 3.2 and at 9.2",
            holds=all_of(
                *(
                    (ns2("timeouts", "DA", x) > ns2("timeouts", "DFQ", x)).at(f"{x:g} Mb/s")
                    for x in ns2.xs
                    if x >= HALF
                ),
                *(
                    (ns2("timeouts", "DA", 6.8) > ns2("timeouts", "DA", x)).at(f"6.8 and {x:g} Mb/s")
                    for x in (3.2, 9.2)
                ),
            ),
        )
    yield Claim(
        id="tagger",
        says="ns-2's tagger leaves half as much out of profile as that of RFC 2859",
        reading="no claim of the work",
        expected="share of A's and B's packets that are out of profile at 5 Mb/s with DA, ns-2 / RFC: 0.4 to 0.6",
        holds=(ns2("out_share", "DA") / rfc("out_share", "DA")).between(0.4, 0.6),
    )


def draw(shown: Shown) -> Figure:
    """Time above 45 packets with DA."""
    labels = ("in profile (Mb/s)", "avg_ql above 45 with DA (% of time)")
    return curves(shown, "x", "above", "tagger", where={"strategy": "DA"}, labels=labels, scale=100)
