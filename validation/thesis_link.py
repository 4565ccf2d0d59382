"""Topologies A and B of Alemu's thesis: three basic flows, one of them in reverse, and N - 3 more; SACK; 100 s."""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table, queue, waiting

RED = {"min_th": 5, "max_th": 15, "w_q": "auto"}

# The reference has each metric over the whole run and over 20..100 s.
WINDOWS = {"all": "0s", "st": "20s"}


def settings(cell: Cell) -> list[Setting] | str:
    """The scenarios of a cell, or why there are none."""
    scheme, flows = str(cell.settings["scheme"]), int(cell.settings["N"])
    if reason := waiting(scheme):
        return reason
    found = []
    for window, warmup in WINDOWS.items():
        scenario = link(f"thesis link {cell.name}", queue(scheme, 35, RED), warmup)
        scenario["traffic"] = traffic(flows, f"{cell.settings['minrto']}s")
        if cell.settings["topo"] == "diff" and flows > 3:
            delay = {"linear": ["1ms", "200ms"]}
            access = {"count": flows - 3, "from": "A{i}", "to": "R1", "rate": "10Mbit", "delay": delay}
            scenario["links"]["access"] = access
            scenario["traffic"]["extra"]["from"] = "A{i}"
        metrics = {m: LINK_METRICS[m.partition(".")[2]] for m in cell.metrics if m.startswith(f"{window}.")}
        found.append(Setting(scenario, metrics))
    return found


def link(name: str, discipline: Table, warmup: str) -> Table:
    """Topology A without its flows."""
    return {
        "name": name,
        "duration": "100s",
        "warmup": warmup,
        "sampling": "10ms",
        "links": {
            "bottleneck": {
                **{"from": "R1", "to": "R2", "rate": "1.5Mbit", "delay": "20ms", "watch": True},
                "queue": discipline,
                "reverse": {"queue": "same"},
            },
            "left": {"from": "S1", "to": "R1", "rate": "10Mbit", "delay": "2ms"},
            "second": {"from": "S2", "to": "R1", "rate": "10Mbit", "delay": "3ms"},
            "right": {"from": "R2", "to": "S3", "rate": "10Mbit", "delay": "4ms"},
        },
    }


def traffic(flows: int, min_rto: str) -> Table:
    """All flows of the thesis' load N = `flows`."""
    tcp = {"kind": "tcp", "profile": "ns2", "flavour": "sack", "min_rto": min_rto}
    basic = {**tcp, "packet": "1600B", "window": 15}
    start = {"first": "3.5s", "every": "100ms", "jitter": "100ms"}
    extra = {**tcp, "packet": "1000B", "window": 20, "from": "S1", "to": "S3", "count": flows - 3, "start": start}
    return {
        "first": {**basic, "from": "S1", "to": "S3", "start": "0s"},
        "reverse": {**basic, "from": "S3", "to": "S1", "start": "1s"},
        "second": {**basic, "from": "S2", "to": "S3", "start": "3s"},
    } | ({"extra": extra} if flows > 3 else {})
