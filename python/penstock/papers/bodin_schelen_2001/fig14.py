"""Figure 14: throughput, SACK and gentle WRED (Section 3.5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The sweep in this setting."""
    return sweep.study(["SACK, gentle"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c20."""
    if not whole(table):
        return
    of = Setting(table, "SACK, gentle")
    yield Claim(
        id="c20",
        says="both strategies have the same throughput",
        expected="within 1 % at each rate in profile",
        holds=all_of(
            (of("goodput", "DA", x) / of("goodput", "DFQ", x)).between(0.99, 1.01).at(f"{x:g} Mb/s") for x in of.xs
        ),
    )


def draw(shown: Shown) -> Figure:
    """Payload delivered."""
    return draw_sweep(shown, "goodput", "throughput (Mb/s)", "SACK, gentle", scale=1e-6)
