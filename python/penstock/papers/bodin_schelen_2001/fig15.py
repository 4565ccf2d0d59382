"""Figure 15: the average queue, SACK and gentle WRED (Section 3.5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_course
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.with_course


def study(effort: Effort) -> Study:
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["SACK, gentle", "Reno, gentle", "Reno, strict", "SACK, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c16, c18 and c22."""
    gentle = {tcp: Setting(table, f"{tcp}, gentle") for tcp in ("Reno", "SACK")}
    strict = {tcp: Setting(table, f"{tcp}, strict") for tcp in gentle}
    yield Claim(
        id="c16",
        must_hold=True,
        says="the average swings more with DA than with DFQ",
        expected="at 5 Mb/s: sd(DA) > sd(DFQ), Reno and SACK",
        holds=all_of((of("avg_sd", "DA") > of("avg_sd", "DFQ")).at(tcp) for tcp, of in gentle.items()),
    )
    yield Claim(
        id="c18",
        because="with acknowledgements in profile, which DFQ then spares, and ns-2's tagger it is 1.7 (readings)",
        says="with SACK the average is about twice as long with DA as with DFQ, where half of the link is in profile",
        expected="mean average DA / DFQ at 5 Mb/s: 2 (1.6 to 2.5)",
        holds=(gentle["SACK"]("avg_mean", "DA") / gentle["SACK"]("avg_mean", "DFQ")).reads(2.0, low=1.6, high=2.5),
    )
    yield Claim(
        id="c22",
        says="gentle WRED makes the queue longer",
        expected="at 5 Mb/s, DA: mean average gentle > strict, Reno and SACK",
        must_hold=True,
        holds=all_of((gentle[tcp]("avg_mean", "DA") > strict[tcp]("avg_mean", "DA")).at(tcp) for tcp in gentle),
    )


def draw(shown: Shown) -> Figure:
    """The average of the first run at half of the link."""
    return draw_course(shown, "SACK, gentle")
