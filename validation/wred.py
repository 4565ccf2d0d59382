"""Sixteen TCP flows through the WRED of ns-2's DiffServ module, after Bodin and Schelen; statistics over 10..130 s."""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table

# Out packets of ns-2's WRED; in packets are never dropped.
LEVELS = {"min_th": [1e6, 15], "max_th": [2e6, 45], "max_p": [0.1, 0.1]}
NS2 = {"spacing": "count", "guards": False, "w_q": 0.002, "mean_packet": "1000B"}


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell: two sources, eight receivers of different distances, a connection for each pair."""
    if float(cell.settings["cir_mbps"]) > 0:
        return "needs a policer at the edge, which a scenario cannot describe yet"
    links: Table = {
        "bottleneck": {
            **{"from": "R4", "to": "R3", "rate": "10Mbit", "delay": "10ms", "watch": True},
            "queue": {"scheme": "wred", "limit": "1000p", **LEVELS, **NS2},
        },
        "hosts": {"count": 2, "from": "A{i}", "to": "E{i}", "rate": "100Mbit", "delay": "1ms"},
        "edges": {"count": 2, "from": "E{i}", "to": "R4", "rate": "100Mbit", "delay": "4ms"},
    }
    traffic: Table = {}
    flavour = {"Reno": "reno", "Sack1": "sack"}[str(cell.settings["tcp"])]
    tcp = {
        **{"kind": "tcp", "profile": "ns2", "flavour": flavour, "packet": "1000B", "window": 1_000_000},
        **{"min_rto": f"{cell.settings['minrto']}s", "start": {"uniform": ["0s", "5s"]}, "count": 2, "from": "A{i}"},
    }
    for receiver in range(8):
        delay = f"{5 + 5 * receiver}ms"
        links[f"out{receiver}"] = {"from": "R3", "to": f"B{receiver}", "rate": "10Mbit", "delay": delay}
        traffic[f"to{receiver}"] = {**tcp, "to": f"B{receiver}"}
    scenario = {
        **{"name": f"WRED {cell.name}", "duration": "130s", "warmup": "10s", "sampling": "10ms"},
        **{"links": links, "traffic": traffic},
    }
    return [Setting(scenario, {m: LINK_METRICS[m] for m in cell.metrics})]
