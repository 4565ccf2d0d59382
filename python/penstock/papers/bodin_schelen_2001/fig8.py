"""Figure 8: throughput, SACK and strict WRED (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, most_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["SACK, strict", "Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c12."""
    if not whole(table):
        return
    sack, reno = Setting(table, "SACK, strict"), Setting(table, "Reno, strict")
    yield Claim(
        id="c12",
        because="SACK fills the link with both: within 0.3 % of each other up to 7.4 Mb/s (fig8)",
        says="also with SACK DA has the lower throughput, though by less than with Reno",
        expected="DA < DFQ at 70 % of the rates in profile or more; mean difference smaller than with Reno",
        holds=all_of(
            most_of(0.7, ((sack("goodput", "DA", x) < sack("goodput", "DFQ", x)).at(f"{x:g} Mb/s") for x in sack.xs)),
            (sack.deficit() < reno.deficit()).at("mean difference (bit/s)"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Payload delivered."""
    return draw_sweep(shown, "goodput", "throughput (Mb/s)", "SACK, strict", scale=1e-6)
