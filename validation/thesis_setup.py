"""Alemu's thesis in the author's set-up as reconstructed: Tables 2.2, 2.3 and 3.1, and equal reverse paths.

The flows, schemes and queues are those of `penstock.papers.alemu_2004`. In penstock every closed reverse queue is a
PSAND after 0 / 0. Debian's ns-2.35 stops at this division, so its closed queue is a RED with thresholds near 0, which
drops packets as soon as two wait. Both let the first such packet pass.
"""

from collections.abc import Iterator
from typing import Any

from penstock import Queue
from penstock.papers.alemu_2004 import equal_paths, table3_1, tables2
from penstock.papers.alemu_2004.reconstruction import CHOSEN, Reading
from penstock.papers.alemu_2004.setup import ADAPTIVE, OTHERS, floyd, psand, steady_flows_scenario
from penstock.scenario.document import Document, as_document

from . import thesis_claims
from .record_ns2 import Settings
from .reference import Cell
from .setup import Setting

NOTE = "Alemu's thesis in the author's set-up as reconstructed, by validation/ns2/thesis_claims.tcl"
SEEDS = 6


def of_table_3_1(max_th: float, min_th: float) -> dict[str, Any]:
    """The settings of a row of Table 3.1."""
    return _psand(23, (1, 1), 0.5, "open" if min_th else "closed") | {"min": min_th, "max": max_th}


def of_table_2(row: str, flows: int) -> dict[str, Any]:
    """The settings of a row of Tables 2.2 and 2.3 at a number of flows."""
    if row in tables2.PSANDS:
        return _psand(flows, tables2.PSANDS[row][flows], tables2.HIGH, "closed")
    return {"scheme": row, "N": flows, "reverse": "open"}


def with_paths(scheme: str, flows: int, reverse: str) -> dict[str, Any]:
    """The settings of a scheme with its reverse queue open or closed."""
    if scheme == "PSAND":
        return _psand(flows, (1.75, 1.5), tables2.HIGH, reverse)
    return {"scheme": scheme, "N": flows, "reverse": reverse}


def _psand(flows: int, factor_and_power: tuple[float, float], high: float, reverse: str) -> dict[str, Any]:
    coef, gamma = factor_and_power
    cell = {"scheme": "PSAND", "N": flows, "coef": coef, "gamma": gamma, "high": high, "min": 0, "max": 20}
    return {**cell, "reverse": reverse}


def cells() -> Iterator[dict[str, Any]]:
    """The settings of all cells; some belong both to a table and to the equal paths."""
    yield from (of_table_3_1(max_th, min_th) for max_th in table3_1.MAXIMA for min_th in table3_1.MINIMA)
    yield from (of_table_2(row, flows) for row in ("Feng", "Floyd", *tables2.PSANDS) for flows in tables2.FLOWS)
    for scheme in (*OTHERS, "PSAND"):
        for reverse in equal_paths.REVERSES:
            yield from (with_paths(scheme, flows, reverse) for flows in equal_paths.FLOWS)


CELLS = list({str(cell): cell for cell in cells()}.values())


def command(cell: Settings, seed: int) -> list[str]:
    """The script and its arguments."""
    options = {name: cell[name] for name in ("coef", "gamma", "high", "reverse") if name in cell}
    options |= {"base": 1000, "mean": 500 if cell["scheme"] == "PSAND" else 1000}
    line = thesis_claims.command({"when": "load", "min": 5, "max": 15, **cell}, seed)
    return [*line, *(str(part) for option in options.items() for part in option)]


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell."""
    flows = int(cell.settings["N"])
    scenario = _loaded(_queue(cell.settings), flows, OPEN)
    if cell.settings["reverse"] == "closed":
        after = _loaded(psand(), flows, CHOSEN).tree["links"]["bottleneck"]["queue"]
        scenario = scenario.set("links.bottleneck.reverse.queue", after)
    return [Setting(scenario.tree, {name: thesis_claims.METRICS[name] for name in cell.metrics})]


OPEN = CHOSEN._replace(change="1")


def _queue(of: Settings) -> Queue:
    if of["scheme"] == "Floyd":
        # ns-2 moves max_p when packets arrive.
        return floyd(tick="arrival")
    if of["scheme"] != "PSAND":
        return ADAPTIVE[str(of["scheme"])]()
    coef, gamma, high, least, most = (float(of[name]) for name in ("coef", "gamma", "high", "min", "max"))
    return psand(coef, gamma, high, min_th=least, max_th=most)


def _loaded(queue: Queue, flows: int, reading: Reading) -> Document:
    return reading.scenario_change(as_document(steady_flows_scenario(queue, flows)))
