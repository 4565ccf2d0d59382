"""What Tables 2.2 and 2.3 have in common: the adaptive schemes with few flows and with more (Section 2.4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import cells
from penstock.papers.alemu_2004.setup import Acks, feng, floyd, load, psand, red
from penstock.reproduce.experiment_run import Effort
from penstock.studies.study import Study

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


def study(effort: Effort) -> Study:
    """All of them at 3 and 28 flows, PSAND with both bounds of max_p."""
    seeds = effort.choose(5, 100)

    def other(row: str, flows: int, acks: Acks) -> ps.Scenario:
        return load(OTHERS[row](), flows, acks=acks)

    def own(row: str, flows: int, high: float, acks: Acks) -> ps.Scenario:
        coef, gamma = PSANDS[row][flows]
        return load(psand(coef, gamma, high), flows, acks=acks)

    highs = effort.choose([HIGH], [HIGH, 0.5])
    return Study(other, {"row": list(OTHERS), "flows": FLOWS, "acks": ACKS}, seeds=seeds) + Study(
        own, {"row": list(PSANDS), "flows": FLOWS, "high": highs, "acks": ACKS}, seeds=seeds
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
