"""Figure 5: throughput, Reno and strict WRED (Section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The sweep in this setting."""
    return sweep.study(["Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c06, c07 and c26."""
    if not whole(table):
        return
    of = Setting(table, "Reno, strict")
    xs = of.xs
    lowest = per_run(lambda at: xs[int(at.argmin())], of.over("goodput", "DA"))
    yield Claim(
        id="c06",
        because="RFC 2859's tagger leaves twice as much out of profile as ns-2's: that has its least at 5 (why-above)",
        says="with DA throughput falls until 5.6 Mb/s are in profile, and then approaches that of DFQ",
        expected="least at 5.6 (4.4 to 6.8) Mb/s; at 9.2 Mb/s at most 1 % below DFQ",
        holds=all_of(
            lowest.reads(5.6, low=4.4, high=6.8).at("least throughput"),
            (1 - of("goodput", "DA", 9.2) / of("goodput", "DFQ", 9.2) <= 0.01).at("9.2 Mb/s"),
        ),
    )
    yield Claim(
        id="c07",
        because="up to 3.2 Mb/s avg_ql is never above 45, and both are within 0.1 %; beyond, DFQ has more (fig5)",
        says="dropping from the queue never has the lower throughput",
        expected="throughput: DFQ >= DA at each rate in profile",
        holds=all_of((of("goodput", "DFQ", x) >= of("goodput", "DA", x)).at(f"{x:g} Mb/s") for x in xs),
    )
    yield Claim(
        id="c07",
        says="dropping from the queue never has the lower throughput",
        reading="from 3.8 Mb/s on, where DA waits now and then",
        expected="throughput: DFQ >= DA at each rate in profile from 3.8 Mb/s on",
        holds=all_of((of("goodput", "DFQ", x) >= of("goodput", "DA", x)).at(f"{x:g} Mb/s") for x in xs if x > 3.2),
    )
    middle = [x for x in xs if 0.8 < x < 8.6]
    inner = [xs.index(x) for x in middle]
    outer = [xs.index(x) for x in xs if x not in middle]
    yield Claim(
        id="c26",
        because="up to 4.4 Mb/s both wait alike; with ns-2's tagger DA waits more from 5 on, most at 6.8 (why-above)",
        says="with DA TCP times out more often, most so where a middle share is in profile",
        expected="timeouts a second: DA > DFQ at each rate in profile; the most of DA between 0.8 and 8.6 Mb/s",
        holds=all_of(
            *((of("timeouts", "DA", x) > of("timeouts", "DFQ", x)).at(f"{x:g} Mb/s") for x in xs),
            (per_run(lambda at: at[inner].max() - at[outer].max(), of.over("timeouts", "DA")) > 0).at("most"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Payload delivered."""
    return draw_sweep(shown, "goodput", "throughput (Mb/s)", "Reno, strict", scale=1e-6)
