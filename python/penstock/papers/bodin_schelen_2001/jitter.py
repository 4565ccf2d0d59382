"""Delay variation and bursts of losses in the four settings (Sections 3.5 and 3.6)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.claims import Claim
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import SETTINGS
from penstock.papers.bodin_schelen_2001.sweep import Setting
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Study, Table

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
        must_hold=True,
        holds=all_of((of("delay_sd", "DA") > of("delay_sd", "DFQ")).at(name) for name, of in settings.items()),
    )
    says, expected = "losses come in longer bursts with DA", "at 5 Mb/s: mean of DA > DFQ in all four settings"
    yield Claim(
        id="c24",
        says=says,
        expected=f"{expected}, consecutive losses at the queue",
        because="with gentle WRED a packet is let in between any two drops: bursts at the queue are of one (jitter)",
        holds=all_of((of("burst", "DA") > of("burst", "DFQ")).at(name) for name, of in settings.items()),
    )
    yield Claim(
        id="c24",
        says=says,
        reading="bursts of one flow: what it lost between two packets that it did not",
        expected=expected,
        holds=all_of((of("loss_run", "DA") > of("loss_run", "DFQ")).at(name) for name, of in settings.items()),
    )
