"""Figure 13: loss, SACK and gentle WRED (Section 3.5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure
WHY_C21 = "below 45 the two are one law, up to 3 Mb/s; and SACK fills the link with both (fig8, fig14)"


def study(effort: Effort) -> Study:
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["SACK, gentle", "Reno, gentle", "Reno, strict", "SACK, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c19 and c21."""
    if not whole(table):
        return
    sack, reno = Setting(table, "SACK, gentle"), Setting(table, "Reno, gentle")
    yield Claim(
        id="c19",
        because="as c10: Reno's timeouts; NewReno loses as SACK does (why-reno)",
        says="SACK loses as much as Reno, only a few percent more where much is in profile",
        expected="loss of all traffic, DA and DFQ: SACK / Reno 1 to 1.08 from 8 Mb/s on, within 15 % (as c10) below",
        holds=all_of(
            (sack("loss", strategy, x) / reno("loss", strategy, x))
            .between(*((1.0, 1.08) if x >= 8 else (0.85, 1.15)))
            .at(f"{strategy}, {x:g} Mb/s")
            for strategy in ("DA", "DFQ")
            for x in sack.xs
        ),
    )
    pairs = {"Reno": (reno, Setting(table, "Reno, strict")), "SACK": (sack, Setting(table, "SACK, strict"))}
    for low, reading in ((2.0, ""), (HALF, "from 5 Mb/s on")):
        yield Claim(
            id="c21",
            because="" if reading else WHY_C21,
            says="with DA gentle WRED loses less than strict WRED, and costs less throughput",
            reading=reading,
            expected=f"loss at each rate of {low:g} Mb/s and more, and mean of DFQ - DA in throughput",
            holds=all_of(
                *(
                    (gentle("loss", "DA", x) < strict("loss", "DA", x)).at(f"{tcp}, {x:g} Mb/s")
                    for tcp, (gentle, strict) in pairs.items() for x in gentle.xs if x >= low
                ),
                *((gentle.deficit() < strict.deficit()).at(f"{tcp}, bit/s") for tcp, (gentle, strict) in pairs.items()),
            ),
        )  # fmt: skip


def draw(shown: Shown) -> Figure:
    """Loss out of profile."""
    return draw_sweep(shown, "loss_out", "loss out of profile (%)", "SACK, gentle", scale=100)
