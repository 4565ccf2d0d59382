"""Whether chapter 5 had delayed acknowledgements too: drop-tail's column of Table 5.1 with both kinds of receivers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, judge, tables5
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.papers.alemu_2004.setup import DELAYED, fec
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """The code (16,1) behind drop-tail."""

    def scenario(acks: str, flows: int) -> Document:
        document = fec("DT", flows, 16, 1).document()
        return document.set("traffic.tcp.delayed_ack", DELAYED, "vary") if acks == "delayed" else document

    return Study(scenario, {"acks": ["each", "delayed"], "flows": [20, 50, 100]}, seeds=effort.choose(5, 50))


def _cells(acks: str) -> list[cells.Cell]:
    own = [cell for cell in tables5.printed("tab5-1", "16,1") if cell.column.endswith("DT")]
    return [
        replace(cell, row=f"{cell.row}, {acks}", at={"acks": acks, "flows": cell.at["flows"]})
        for cell in own
        if cell.at["flows"] in (20, 50, 100)
    ]


def claims(table: Table) -> Iterator[Claim]:
    """With each kind."""
    for acks in ("each", "delayed"):
        yield Claim(
            id=f"why-fec/{acks}",
            says="drop-tail's column of Table 5.1" + (", delayed acknowledgements" if acks == "delayed" else ""),
            expected="PLRBC and PLR at 20, 50 and 100 flows, within the tolerances of Table 5.1",
            holds=cells.fits(table, _cells(acks), {"PLRBC": judge.plr, "PLR": judge.plr}),
            reading="own",
        )


def draw(shown: SummaryTable) -> Figure:
    """The cells."""
    return cells.draw(shown, [*_cells("each"), *_cells("delayed")])
