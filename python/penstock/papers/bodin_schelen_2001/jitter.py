"""Delay variation and bursts of losses in the four settings (Sections 3.5 and 3.6)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, SETTINGS
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The whole sweep in all settings."""
    return sweep.study(list(SETTINGS), effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c23 and c24."""
    settings = {name: Setting(table, name) for name in SETTINGS}
    yield Claim(
        id="c23",
        says="delays vary more with DA",
        expected="at 5 Mb/s: sd of the queueing delay of DA > DFQ in all four settings",
        holds=all_of((of("delay_sd", "DA") > of("delay_sd", "DFQ")).at(name) for name, of in settings.items()),
    )
    readings = (
        ("burst_out", HALF, ""),
        ("burst_out", 8.0, "at 8 Mb/s, where a fifth is out of profile"),
        ("burst", HALF, "bursts of all packets, that one in profile ends, too"),
        ("loss_run", HALF, "bursts of one flow: what it lost between two packets that it did not"),
    )
    for metric, x, reading in readings:
        if x == HALF or whole(table):
            yield Claim(
                id="c24",
                because="" if reading else "gentle WRED forces no drops: at 5 Mb/s no two in a row (jitter)",
                says="losses come in longer bursts with DA",
                reading=reading,
                expected=f"at {x:g} Mb/s: mean consecutive losses out of profile, DA > DFQ in all four settings",
                holds=all_of((of(metric, "DA", x) > of(metric, "DFQ", x)).at(name) for name, of in settings.items()),
            )


def draw(shown: Shown) -> Figure:
    """Consecutive losses out of profile, Reno and gentle WRED."""
    return draw_sweep(shown, "burst_out", "consecutive losses", "Reno, gentle")
