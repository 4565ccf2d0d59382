"""What Tables 2.2 and 2.3 have in common: the adaptive schemes with few flows and with more (Section 2.4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import cells
from penstock.papers.alemu_2004.setup import Acks, feng, floyd, load, psand, red
from penstock.reproduce.figure import Choice, Claim, Statement, Sweep, needing

BECAUSE = "ns-2.35 with this set-up has the same (why-tables/ns2); delayed acknowledgements come nearer (why-tables)"
"""Why the printed numbers are missed."""
FLOWS = [3, 28]
ACKS = ["each", "delayed"]
HIGH = 0.75
"""The upper bound of max_p that the main readings have (guess 4); 0.5 is the other."""
PSANDS: dict[str, dict[int, tuple[float, float]]] = {
    "PSAND1": {3: (1, 1), 28: (1, 1)},
    "PSAND2": {3: (1.75, 1.5), 28: (1.75, 1.5)},
    "PSAND3": {3: (1, 0.25), 28: (2, 0.25)},
}
"""Factor and power at each number of flows."""
OTHERS: dict[str, Callable[[], ps.Queue]] = {"RED": red, "Feng": feng, "Floyd": floyd}


def _other(row: str, flows: int, acks: Acks) -> ps.Scenario:
    return load(OTHERS[row](), flows, acks=acks)


def _own(row: str, flows: int, high: float, acks: Acks) -> ps.Scenario:
    coef, gamma = PSANDS[row][flows]
    return load(psand(coef, gamma, high), flows, acks=acks)


# All of them at 3 and 28 flows, PSAND with both bounds of max_p.
study = Sweep(_other, {"row": list(OTHERS), "flows": FLOWS, "acks": ACKS}, seeds=Choice(5, 100)) + Sweep(
    _own, {"row": list(PSANDS), "flows": FLOWS, "high": Choice([HIGH], [HIGH, 0.5]), "acks": ACKS}, seeds=Choice(5, 100)
)


def at(row: str, flows: int, high: float = HIGH, acks: str = "each") -> Mapping[str, Any]:
    """The labels of a cell."""
    return {"row": row, "flows": flows, "acks": acks} | ({"high": high} if row in PSANDS else {})


def printed(name: str, high: float = HIGH, acks: str = "each") -> list[cells.Cell]:
    """The cells of a table; its columns are such as "AQS at 28"."""

    def place(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
        metric, _, flows = column.partition(" at ")
        return metric, at(row, int(flows), high, acks)

    return cells.read(name, place)


def rows(name: str, judges: Mapping[str, cells.Judge], unit: str = "", because: str = "") -> Iterator[Claim]:
    """A claim for each row of a table, as printed, with delayed acknowledgements and with the other bound of max_p."""
    table = name.replace(".", "-")
    for i, row in enumerate(dict.fromkeys(cell.row for cell in printed(table)), 1):

        def fit(text: str = "", *, row: str = row, **how: Any) -> Statement:
            return cells.rows_fit([cell for cell in printed(table, **how) if cell.row == row], judges, text)

        own = ", ".join(f"{cell.column} {cell.printed:g}{unit}" for cell in printed(table) if cell.row == row)
        claim = partial(Claim, f"{name}/c{i}", f"the row of {row}")
        yield claim(fit(own), because=because)
        yield claim(fit("as above", acks="delayed"), reading="delayed acknowledgements")
        if row in PSANDS:
            yield from needing({"high": 0.5}, claim(fit("as above", high=0.5), reading="max_p at most 0.5"))
