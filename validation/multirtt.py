"""Kantawala and Turner: 50 Reno flows of 40 ms and 50 of 200 ms round-trip time on 500 Mb/s; statistics from 20 s on."""

from .reference import Cell
from .setup import LINK_METRICS, Setting, Table, queue

FLOWS = 50
FAIR_SHARE_BPS = 5e6
PACKET_BYTES = 1500
PAYLOAD_BYTES = 1460


def settings(cell: Cell) -> list[Setting]:
    """The scenario of a cell. Each flow has its own access link; the reference counts headers in the goodput."""
    scheme, buffer = str(cell.settings["scheme"]), int(cell.settings["B"])
    red = {"min_th": buffer / 4, "max_th": 3 * buffer / 4, "w_q": 0.002, "mean_packet": f"{PACKET_BYTES}B"}
    drr = {"scheme": "drr", "limit": f"{buffer * PACKET_BYTES}B", "quantum": f"{PACKET_BYTES}B"}
    tcp = {
        **{"kind": "tcp", "profile": "ns2", "flavour": "reno", "packet": f"{PAYLOAD_BYTES}B", "window": 500},
        **{"min_rto": f"{cell.settings['minrto']}s", "count": FLOWS, "to": "R2", "start": {"uniform": ["0s", "1s"]}},
    }
    links: Table = {
        "bottleneck": {
            **{"from": "R1", "to": "R2", "rate": "500Mbit", "delay": "0ms", "watch": True},
            "queue": drr if scheme == "DRR" else queue(scheme, buffer, red),
        }
    }
    traffic: Table = {}
    for name, delay in (("short", "20ms"), ("long", "100ms")):
        source = f"{name}{{i}}"
        links[name] = {"count": FLOWS, "from": source, "to": "R1", "rate": "10Mbit", "delay": delay}
        traffic[name] = {**tcp, "from": source}
    scenario = {
        **{"name": f"two round-trip times {cell.name}", "duration": "100s", "warmup": "20s", "sampling": "10ms"},
        **{"links": links, "traffic": traffic},
    }
    percent = 100 * PACKET_BYTES / PAYLOAD_BYTES / FLOWS / FAIR_SHARE_BPS
    where = LINK_METRICS | {"short40_pct": "traffic.short.goodput_bps", "long200_pct": "traffic.long.goodput_bps"}
    return [
        Setting(
            scenario,
            {m: where[m.removeprefix("st.")] for m in cell.metrics},
            {"st.short40_pct": percent, "st.long200_pct": percent},
        )
    ]
