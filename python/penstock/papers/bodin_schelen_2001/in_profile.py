"""What is in profile is not lost (Section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import SETTINGS
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The whole sweep in all settings."""
    return sweep.study(list(SETTINGS), effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c01."""
    yield Claim(
        id="c01",
        says="nothing that is in profile is lost",
        expected="drops of AF11 at the congested link: 0 in each run",
        must_hold=True,
        holds=all_of(
            (samples["lost_in"] <= 0).at(f"{at['setting']}, {at['strategy']}, {at['x']:g} Mb/s")
            for at, samples in table.cells
        ),
    )
