"""Four Poisson flows of 0.1 to 0.4 of the load, open loop, through queues that may tell flows apart.

The reference comes from ``validation/ns2/open_flows.tcl``.
"""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table

PARTS = (0.1, 0.2, 0.3, 0.4)
SIZES = {"equal": (1000, 1000, 1000, 1000), "mixed": (250, 500, 1000, 1500)}

LIMIT = 35

# ns-2's WRED, as the page of the scheme says.
NS2: Table = {"variant": "ns2", "spacing": "section4", "guards": False, "w_q": 0.002, "mean_packet": "1000B"}


# Why a scheme that both have is not compared.
OTHER_LAWS = {
    "SFQ": "another law: ns-2's refuses a packet whose queue holds maxqueue_ / (busy queues + 2), ours drops from the "
    "longest queue when all is full",
    "FQ": "another law: ours charges a flow also for what was queued and then dropped to make room (losses 0, 0, 0.14, "
    "0.73); in ns-2 what the small flows leave is shared equally (0, 0.06, 0.37, 0.53)",
    "CBQ": "another law: classes within their shares lose almost nothing in both, what is left is lent differently: "
    "flows 2 and 3 lose 0.03 and 0.81, in ns-2 0.40 and 0.53",
    "WRR": "another law: classes within their shares lose almost nothing in both, what is left is lent differently: "
    "flows 2 and 3 lose 0.03 and 0.81, in ns-2 0.27 and 0.63",
}


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell. Flows 0 and 1 are "in" where the queue asks."""
    if reason := OTHER_LAWS.get(str(cell.settings["scheme"])):
        return reason
    traffic: Table = {}
    for i, (part, size) in enumerate(zip(PARTS, SIZES[str(cell.settings["mix"])], strict=True)):
        traffic[f"f{i}"] = {
            **{"kind": cell.settings["kind"], "from": "R1", "to": "R2", "packet": f"{size}B", "headers": "0B"},
            **{"rate": f"{1500 * float(cell.settings['rho']) * part:g}kbit"},
            **({"dscp": 10} if cell.settings["scheme"] == "RIO" and i < 2 else {}),
        }
    scenario = {
        **{"name": f"open flows {cell.name}", "duration": "500s", "warmup": "50s", "sampling": "10ms"},
        "links": {
            "bottleneck": {
                **{"from": "R1", "to": "R2", "rate": "1.5Mbit", "delay": "20ms", "watch": True},
                "queue": queue(str(cell.settings["scheme"])),
            }
        },
        "traffic": traffic,
    }
    where = LINK_METRICS | {f"loss{i}": f"traffic.f{i}.loss_rate" for i in range(len(PARTS))}
    return [Setting(scenario, {m: where[m] for m in cell.metrics})]


def queue(scheme: str) -> Table:
    """The queue of the reference called `scheme`."""
    match scheme:
        case "DRR":
            return {"scheme": "drr", "limit": f"{LIMIT}kB", "quantum": "500B"}
        case "RIO":
            ns2 = {"ns2_quirk": True, "p_out": 0.1, "guards": True, "spacing": "wait", "w_q": 0.002}
            return {"scheme": "rio", "limit": f"{LIMIT}p", **ns2}
        case "WRED":
            levels = {"min_th": [1e6, 5], "max_th": [2e6, 15], "max_p": [0.1, 0.1]}
            return {"scheme": "wred", "limit": f"{LIMIT}p", **levels, **NS2}
        case _:
            raise ValueError(f"the reference has no scheme {scheme}")
