"""Four Poisson flows of 0.1 to 0.4 of the load, open loop, through queues that may distinguish flows.

The reference comes from ``validation/ns2/open_flows.tcl``.
"""

from collections.abc import Callable

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table

PARTS = (0.1, 0.2, 0.3, 0.4)
SIZES = {"equal": (1000, 1000, 1000, 1000), "mixed": (250, 500, 1000, 1500)}

LIMIT = 35

# ns-2's WRED, as the page of the scheme says.
NS2: Table = {"variant": "ns2", "spacing": "section4", "guards": False, "w_q": 0.002, "mean_packet": "1000B"}


# Shares of the link that the reference's classes have.
SHARES = (0.4, 0.3, 0.2, 0.08)


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell. Flows 0 and 1 are "in" where the queue asks, and class i is for flow i."""
    traffic: Table = {}
    for i, (part, size) in enumerate(zip(PARTS, SIZES[str(cell.settings["mix"])], strict=True)):
        traffic[f"f{i}"] = {
            **{"kind": cell.settings["kind"], "from": "R1", "to": "R2", "packet": f"{size}B", "headers": "0B"},
            **{"rate": f"{1500 * float(cell.settings['rho']) * part:g}kbit"},
            **({"dscp": dscp} if (dscp := codepoint(str(cell.settings["scheme"]), i)) is not None else {}),
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


def codepoint(scheme: str, flow: int) -> int | None:
    """The fields of a flow's packets that the queue uses."""
    match scheme:
        case "RIO":
            return 10 if flow < 2 else None
        case "FQ" | "CBQ" | "WRR":
            return flow
        case _:
            return None


def classes(of: Callable[[int], Table]) -> list[Table]:
    """A class for each flow, with a queue of its own and what `of` says."""
    return [{"name": f"c{i}", "match": {"dscp": i}, "limit": f"{LIMIT}p", **of(i)} for i in range(len(PARTS))]


def queue(scheme: str) -> Table:
    """The queue of the reference called `scheme`."""
    match scheme:
        case "SFQ":
            ns2 = {"buckets": 16, "spread": "modulo", "round": "packet", "room": "threshold"}
            return {"scheme": "sfq", "limit": f"{LIMIT}p", **ns2}
        case "FQ":
            # ns-2's flows have each a queue of their own.
            return {"scheme": "fq", "by": "bit", "limit": "inf", "classes": classes(lambda _: {})}
        case "CBQ" | "WRR":
            # ns-2 goes round from the class that was added last to the first, and its packet is one of 1024 bytes.
            ns2 = {"variant": "prr" if scheme == "CBQ" else "wrr", "link_share": 0.98}
            # The DropTail of a class holds one packet less than its limit_, as that of a link.
            shares = classes(lambda i: {"share": SHARES[i], "mean_packet": "1024B", "limit": f"{LIMIT - 1}p"})
            return {"scheme": "cbq", "limit": "inf", **ns2, "classes": shares[::-1]}
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
