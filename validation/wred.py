"""After Bodin and Schelen: 16 flows, each metered by a time sliding window, into one WRED queue of 10 Mbit/s.

Two hosts send to eight receivers each. ns-2 has a meter for each pair of addresses at the edge behind a host; here each
flow has an access link of its own, and its meter stands there, which is the same but for the order of packets that
leave a host at once. ``validation/ns2/wred.tcl`` makes further seeds of the reference.
"""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table

HOSTS = 2
RECEIVERS = 8
FLOWS = HOSTS * RECEIVERS
NEVER = 1_000_000

# ns-2's WRED, as the page of the scheme says.
WRED: Table = {
    **{"scheme": "wred", "limit": "inf", "min_th": [NEVER, 15], "max_th": [2 * NEVER, 45], "max_p": [0.1, 0.1]},
    **{"w_q": 0.002, "variant": "ns2", "spacing": "section4", "guards": False, "mean_packet": "1000B"},
}


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell."""
    flavour = {"Reno": "reno", "Sack1": "sack"}[str(cell.settings["tcp"])]
    scenario: Table = {
        "name": f"WRED {cell.name}",
        "duration": "130s",
        "warmup": "10s",
        "sampling": "10ms",
        "links": {
            **{
                f"access{host}": {
                    **{"count": RECEIVERS, "from": f"A{host}.{{i}}", "to": f"E{host}"},
                    **{"rate": "100Mbit", "delay": "1ms"},
                    "edge": [meter(float(cell.settings["cir"]) * 1e6 / FLOWS)],
                }
                for host in range(HOSTS)
            },
            **{
                f"uplink{host}": {"from": f"E{host}", "to": "R4", "rate": "100Mbit", "delay": "4ms"}
                for host in range(HOSTS)
            },
            "bottleneck": {
                **{"from": "R4", "to": "R3", "rate": "10Mbit", "delay": "10ms", "watch": True},
                "queue": WRED,
            },
            "out": {
                **{"count": RECEIVERS, "from": "R3", "to": "D{i}", "rate": "10Mbit"},
                "delay": {"linear": ["5ms", "40ms"]},
            },
        },
        "traffic": {
            f"bulk{host}": {
                **{"kind": "tcp", "profile": "ns2", "flavour": flavour, "count": RECEIVERS, "packet": "1000B"},
                **{"window": 1_000_000, "min_rto": f"{cell.settings['minrto']}s", "start": {"uniform": ["0s", "5s"]}},
                **{"from": f"A{host}.{{i}}", "to": [f"D{j}" for j in range(RECEIVERS)]},
            }
            for host in range(HOSTS)
        },
    }
    return [Setting(scenario, {metric: LINK_METRICS[metric] for metric in cell.metrics})]


def meter(rate: float) -> Table:
    """The meter of one flow; without a rate all is out of profile."""
    if rate == 0:
        return {"kind": "classify", "classes": [{"name": "all", "action": "AF12"}]}
    return {"kind": "tsw", "rate": f"{rate:.0f}bit", "window": "1s", "in": "AF11", "out": "AF12"}
