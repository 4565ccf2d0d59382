"""Chung and Claypool's queue law: an infinite queue behind a fixed drop or mark probability; NewReno."""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell. The losses of ns-2's error model in front of the queue are the AQM's here."""
    mark = cell.settings["mode"] == "mark"
    warmup, duration = ("500s", "900s") if "window" in cell.settings else ("50s", "150s")
    scenario = {
        "name": f"queue law {cell.name}",
        "duration": duration,
        "warmup": warmup,
        "sampling": "10ms",
        "links": links({"scheme": "bernoulli", "limit": "inf", "p": cell.settings["p"], "ecn": mark}),
        "traffic": {
            "bulk": {
                **{"kind": "tcp", "profile": "ns2", "flavour": "newreno", "ecn": mark},
                **{"packet": "1000B", "window": 1_000_000, "min_rto": f"{cell.settings['minrto']}s"},
                **{"from": "S", "to": "D", "count": cell.settings["N"], "start": {"uniform": ["0s", "5s"]}},
            }
        },
    }
    metrics = LINK_METRICS | {"p_measured": "mark_rate" if mark else "loss_rate"}
    return [Setting(scenario, {m: metrics[m] for m in cell.metrics})]


def links(queue: Table) -> Table:
    """Section II: 20 Mb/s, 80 ms round trip; all flows share both ends."""
    return {
        "left": {"from": "S", "to": "R1", "rate": "1Gbit", "delay": "5ms"},
        "bottleneck": {
            **{"from": "R1", "to": "R2", "rate": "20Mbit", "delay": "30ms", "watch": True},
            "queue": queue,
        },
        "right": {"from": "R2", "to": "D", "rate": "1Gbit", "delay": "5ms"},
    }
