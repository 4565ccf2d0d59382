"""Chung and Claypool's section V: fifty more flows every 50 s, up to 400, on a queue of 500 packets; NewReno."""

from .queue_law import links
from .reference import Cell
from .setup import LINK_METRICS, Setting, queue, waiting

# 0.004 is ns-2's automatic lower bound of max_p here: one packet in what the link carries in 100 ms.
RED = {"min_th": 100, "max_th": 300, "w_q": 0.002, "max_p_low": 0.004}

STEP_S = 50
FLOWS_PER_STEP = 50


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell: the reference measures the last 40 s of the step, which ends the run here."""
    scheme, steps = str(cell.settings["scheme"]), int(cell.settings["N"]) // FLOWS_PER_STEP
    if reason := waiting(scheme):
        return reason
    tcp = {
        **{"kind": "tcp", "profile": "ns2", "flavour": "newreno", "ecn": "ECN" in scheme},
        **{"packet": "1000B", "window": 1_000_000, "min_rto": f"{cell.settings['minrto']}s"},
        **{"from": "S", "to": "D", "count": FLOWS_PER_STEP},
    }
    starts = [STEP_S * k for k in range(steps)]
    scenario = {
        "name": f"RED family {cell.name}",
        "duration": f"{STEP_S * steps}s",
        "warmup": f"{STEP_S * steps - 40}s",
        "sampling": "10ms",
        "links": links(queue(scheme, 500, RED)),
        "traffic": {f"step{k}": {**tcp, "start": {"uniform": [f"{t}s", f"{t + 1}s"]}} for k, t in enumerate(starts)},
    }
    return [Setting(scenario, {m: LINK_METRICS[m] for m in cell.metrics})]
