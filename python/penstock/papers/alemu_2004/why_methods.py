"""Why Table 3.3 is missed: its rows are not of one load. Each method at 23, 53 and 103 flows (Section 3.3)."""

import itertools
from collections.abc import Iterator, Sequence
from functools import partial

from penstock.papers.alemu_2004 import cells, why
from penstock.papers.alemu_2004.judge import other_than
from penstock.papers.alemu_2004.setup import AQS, PLR, VQS, load, psand
from penstock.papers.alemu_2004.tab3_3 import JUDGES, METHODS
from penstock.reproduce.figure import Choice, Claim, Number, Sweep, every

OWN = dict(zip(METHODS, [103, 103, 23, 53, 53, 53, 23, 23], strict=True))
"""Flows at which a row's losses are met: 21.7 and 23.1 %, 17.9 to 18.2 %, 12.3 to 15.5 %."""
HIGHS = [0.75, 0.5]
"""The upper bound of max_p (guess 4)."""


# All methods at three loads.
study = Sweep(
    lambda method, flows, high: load(psand(adapt=method, high=high), flows),
    {"method": Choice(METHODS[1:2], METHODS), "flows": [23, 53, 103], "high": Choice([0.75], HIGHS)},
    seeds=Choice(5, 20),
)


def _cells(high: float) -> list[cells.Cell]:
    """The printed table, each row at its own load."""
    return cells.read("tab3-3", lambda row, column: (column, {"method": row, "flows": OWN[row], "high": high}))


own = why.own("why-methods")


def _row(method: str) -> Iterator[Claim]:
    """Losses tell the load of a row; with it most cells are met."""
    flows = OWN[method]
    (loss,) = (cell.printed for cell in _cells(0.75) if cell.row == method and cell.metric == "PLR")
    off = abs(PLR - loss)
    yield own(
        f"{method}-load",
        f"{method}: of 23, 53 and 103 flows its losses are those of {flows}",
        (off(flows=flows) < off(flows=other_than(flows)))(method=method, high=0.75),
        f"PLR {loss:g} % nearest there",
        needs={"method": method},
    )
    for high in HIGHS:
        yield own(
            f"{method}-{high:g}",
            f"the row of {method} at {flows} flows, max_p at most {high:g}",
            cells.rows_fit([cell for cell in _cells(high) if cell.row == method], JUDGES),
            needs={"method": method, "high": high},
        )


def _order(number: Number, *groups: Sequence[int]) -> Claim:
    """The order of the table, with the loads of its rows."""

    def of(method: int) -> Number:
        return number(method=METHODS[method - 1], flows=OWN[METHODS[method - 1]], high=0.75)

    return own(
        f"order-{number.text}",
        f"the order of {number.text}, each method at its own load",
        every(*(of(a) < of(b) for low, high in itertools.pairwise(groups) for a in low for b in high)),
        " < ".join("{" + ", ".join(map(str, group)) + "}" for group in groups),
        needs={"method": METHODS[0]},
    )


SWAPPED = [
    cells.Cell(cell.row, cell.column, cell.printed, cell.metric, {"method": "shift-down", "flows": 23, "high": 0.75})
    for cell in _cells(0.75)
    if cell.row == "sandwich" and cell.metric != "PLR"
]

CLAIMS = (
    *(claim for method in METHODS for claim in _row(method)),
    own(
        "sandwich-shift-down",
        "mean and variance of the row of method 8 are those of method 6 at 23 flows",
        cells.rows_fit(SWAPPED, JUDGES),
        needs={"method": METHODS[0]},
    ),
    _order(VQS, [3], [4, 5, 6], [2], [7], [8], [1]),
    _order(AQS, [7], [3], [4, 5, 6], [8], [2], [1]),
)

# The table at these loads.
draw = partial(cells.draw, cells=_cells(0.75))
