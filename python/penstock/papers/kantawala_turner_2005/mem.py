"""Drops of packets that were already stored, which cost memory bandwidth (Sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import measure, place, sizes
from penstock.papers.kantawala_turner_2005.setup import study as run_of
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """The schemes with many queues, in the network of figure 4 (a)."""
    sizes = effort.choose([400], [])
    return run_of(effort, "two round trips", "long", ["DTDRR", "DSDRR", "QSDRR", "DRR", "TDRR"], sizes)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c32."""
    yield Claim(
        id="c32",
        says="QSDRR, DRR and TDRR mostly drop packets that are stored, DTDRR and DSDRR never",
        expected="share of drops: 0 with DTDRR and DSDRR, >= 0.8 with the others; every B <= 5000",
        must_hold=True,
        holds=all_of(
            *(
                (table("stored", scheme=s, buffer=b) <= 0).at(place(s, b))
                for s in ("DTDRR", "DSDRR")
                for b in sizes(table)
            ),
            *(
                (table("stored", scheme=s, buffer=b) >= 0.8).at(place(s, b))
                for s in ("QSDRR", "DRR", "TDRR")
                for b in sizes(table)
            ),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The share of stored packets."""
    return curves(
        shown, "buffer", "stored", "scheme", labels=("buffer (packets)", "stored packets among drops"), log="x"
    )
