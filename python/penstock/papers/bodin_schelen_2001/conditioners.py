"""Footnote 6: token buckets and CAR instead of TSW."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, IN_RATES, SETTINGS, STRATEGIES
from penstock.papers.bodin_schelen_2001.sweep import Setting, apart, of_average, whole
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

TAGGED = ("token bucket", "CAR")
measure = sweep.measure


def study(effort: Effort) -> Study:
    """Both conditioners in all settings over the whole sweep; ten runs, as the text gives no number."""
    duration = effort.choose("40s", "130s")
    return Study(
        lambda conditioner, setting, strategy, x: sweep.scenario(
            setting, strategy, x, duration, conditioner=conditioner
        ),
        {
            "conditioner": list(TAGGED),
            "setting": effort.choose(["Reno, strict", "Reno, gentle"], list(SETTINGS)),
            "strategy": list(STRATEGIES),
            "x": effort.choose([HALF], IN_RATES),
        },
        seeds=effort.choose(5, 10),
        keep=of_average,
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claim c25; and what of it needs no sweep."""

    def swings(conditioner: str) -> Iterator[Condition]:
        strict = Setting(table, "Reno, strict", conditioner=conditioner)
        yield apart(strict("avg_sd", "DA"), strict("avg_sd", "DFQ")).at(f"{conditioner}, c08, sd")
        for name in table.axis("setting"):
            if "gentle" in name:
                of = Setting(table, name, conditioner=conditioner)
                yield (of("avg_sd", "DA") > of("avg_sd", "DFQ")).at(f"{conditioner}, c16, {name}")

    def sweeps(conditioner: str) -> Iterator[Condition]:
        of = Setting(table, "Reno, strict", conditioner=conditioner)
        yield (of("above", "DA") > 0.05).at(f"{conditioner}, c08, time above 45 with DA")
        yield (of("above", "DA") > of("above", "DFQ")).at(f"{conditioner}, c08, time above 45")
        for x in of.xs:
            yield (of("loss", "DA", x) >= of("loss", "DFQ", x)).at(f"{conditioner}, c02, {x:g} Mb/s")
            yield (of("goodput", "DFQ", x) >= of("goodput", "DA", x)).at(f"{conditioner}, c07, {x:g} Mb/s")

    says = "the conclusions hold with token buckets and CAR too"
    if whole(table):
        yield Claim(
            id="c25",
            says=says,
            expected="c02, c07, c08 and c16 with either",
            because="as with TSW: at 5 Mb/s half is still out of profile (fig4, why-above)",
            holds=all_of(one for name in TAGGED for one in (*swings(name), *sweeps(name))),
        )
    yield Claim(
        id="c25",
        says=says,
        reading="the conclusion about oscillation alone",
        expected="at 5 Mb/s: sd(DA) > sd(DFQ), strict (intervals disjoint) and gentle, with either",
        holds=all_of(one for name in TAGGED for one in swings(name)),
    )


def draw(shown: Shown) -> Figure:
    """Throughput with Reno, strict WRED and a token bucket."""
    where = {"conditioner": "token bucket", "setting": "Reno, strict"}
    labels = ("in profile (Mb/s)", "throughput (Mb/s)")
    return curves(shown, "x", "goodput", "strategy", where=where, labels=labels, scale=1e-6)
