"""The AQMs alone: one Poisson or constant-rate source of 1000-byte packets on the thesis' link; no TCP."""

from .reference import Cell
from .setup import LINK_METRICS, Setting, queue, waiting
from .thesis_link import RED


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell."""
    scheme = str(cell.settings["scheme"])
    if reason := waiting(scheme):
        return reason
    scenario = {
        "name": f"open loop {cell.name}",
        "duration": "500s",
        "warmup": "50s",
        "sampling": "10ms",
        "links": {
            "bottleneck": {
                **{"from": "R1", "to": "R2", "rate": "1.5Mbit", "delay": "20ms", "watch": True},
                "queue": queue(scheme, 35, RED),
            }
        },
        "traffic": {
            "load": {
                **{"kind": cell.settings["kind"], "from": "R1", "to": "R2", "packet": "1000B", "headers": "0B"},
                "rate": f"{1.5 * float(cell.settings['rho']):g}Mbit",
            }
        },
    }
    return [Setting(scenario, {m: LINK_METRICS[m] for m in cell.metrics})]
