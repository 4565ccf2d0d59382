"""Whether chapter 5 had delayed acknowledgements too: drop-tail's column of Table 5.1 with both kinds of receivers."""

from dataclasses import replace
from functools import partial

from penstock.papers.alemu_2004 import cells, judge, tables5, why
from penstock.papers.alemu_2004.setup import DELAYED, fec
from penstock.reproduce.figure import Choice, Sweep
from penstock.scenario.scenario import Document


def _scenario(acks: str, flows: int) -> Document:
    document = fec("DT", flows, 16, 1).document()
    return document.set("traffic.tcp.delayed_ack", DELAYED, "vary") if acks == "delayed" else document


# The code (16,1) behind drop-tail.
study = Sweep(_scenario, {"acks": ["each", "delayed"], "flows": [20, 50, 100]}, seeds=Choice(5, 50))


def _cells(acks: str) -> list[cells.Cell]:
    own = [cell for cell in tables5.printed("tab5-1", "16,1") if cell.column.endswith("DT")]
    return [
        replace(cell, row=f"{cell.row}, {acks}", at={"acks": acks, "flows": cell.at["flows"]})
        for cell in own
        if cell.at["flows"] in (20, 50, 100)
    ]


CLAIMS = tuple(
    why.own("why-fec")(
        acks,
        "drop-tail's column of Table 5.1" + (", delayed acknowledgements" if acks == "delayed" else ""),
        cells.rows_fit(
            _cells(acks),
            {"PLRBC": judge.plr, "PLR": judge.plr},
            "PLRBC and PLR at 20, 50 and 100 flows, within the tolerances of Table 5.1",
        ),
    )
    for acks in ("each", "delayed")
)
draw = partial(cells.draw, cells=[*_cells("each"), *_cells("delayed")])
