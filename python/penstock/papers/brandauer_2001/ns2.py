"""Beside ns-2: mean losses in a row with a buffer of 300 packets for every load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.brandauer_2001.setup import PACKET, ftp, measure
from penstock.plots.curves import curves, printed
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

STANDARD: dict[str, Any] = {
    "limit": "300p",
    "min_th": 45,
    "max_th": 195,
    "max_p": 0.1,
    "w_q": 0.002,
    "mean_packet": f"{PACKET}B",
}
QUEUES: dict[str, ps.Queue] = {
    "TD": ps.DropTail(limit="300p"),
    "REDstd": ps.Red(**STANDARD),
    "GRED": ps.Red(**STANDARD, gentle=True),  # ns-2's, whose ramp ends at 2 max_th
}


def study(effort: Effort) -> Study:
    """200 s of which 50 are left out, as ns-2 was run."""
    return Study(
        lambda scheme, flows: ftp(flows, QUEUES[scheme], ("200s", "50s")),
        {"scheme": list(QUEUES), "flows": [16, 256]},
        seeds=effort.choose(5, 10),
    )


def claims(table: Table) -> Iterator[Claim]:
    """None of the work's: it is the simulator that is compared here."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """Mean losses in a row, with what ns-2 has."""
    return curves(
        shown,
        "flows",
        "in_a_row",
        "scheme",
        labels=("flows", "mean losses in a row"),
        expected=printed(__file__, "ns2"),
        log="x",
    )
