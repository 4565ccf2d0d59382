"""Four Poisson flows of 0.1 to 0.4 of the load, open loop, through queues that tell flows apart.

The reference comes from ``validation/ns2/open_flows.tcl``.
"""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table

PARTS = (0.1, 0.2, 0.3, 0.4)
SIZES = {"equal": (1000, 1000, 1000, 1000), "mixed": (250, 500, 1000, 1500)}

# Shares that ns-2's CBQ classes are given.
SHARES = (0.4, 0.3, 0.2, 0.08)

LIMIT = 35

# ns-2's WRED, as the page of the scheme says.
NS2: Table = {"spacing": "count", "guards": False, "w_q": 0.002, "mean_packet": "1000B"}


def settings(cell: Cell) -> list[Setting]:
    """The scenario of a cell. Flows 0 and 1 are "in" where the queue asks."""
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
        case "SFQ":
            return {"scheme": "sfq", "limit": f"{LIMIT}p", "buckets": 1024, "round": "packet"}
        case "DRR":
            return {"scheme": "drr", "limit": f"{LIMIT}kB", "quantum": "500B"}
        case "FQ":
            return {"scheme": "fq", "by": "bit", "limit": f"{4 * LIMIT}p"}
        case "RIO":
            ns2 = {"ns2_quirk": True, "p_out": 0.1, "guards": True, "spacing": "wait", "w_q": 0.002}
            return {"scheme": "rio", "limit": f"{LIMIT}p", **ns2}
        case "WRED":
            levels = {"min_th": [1e6, 5], "max_th": [2e6, 15], "max_p": [0.1, 0.1]}
            return {"scheme": "wred", "limit": f"{LIMIT}p", **levels, **NS2}
        case "CBQ" | "WRR":
            classes = [
                {"name": f"c{i}", "match": {"traffic": f"f{i}"}, "share": share, "limit": f"{LIMIT}p"}
                for i, share in enumerate(SHARES)
            ]
            return {"scheme": "cbq", "limit": "1000p", "classes": classes}
        case _:
            raise ValueError(f"the reference has no scheme {scheme}")
