"""What Kantawala and Turner claim of long flows and our runs contradict: tail-drop, RED and DRR on 500 Mb/s; 10..60 s.

The settings are those of `penstock.papers.kantawala_turner_2005`. ns-2 has neither Blue nor the work's own disciplines.
"""

from typing import Any

from penstock.papers.kantawala_turner_2005.setup import HOPS, NETWORKS, RATE_BPS, TRIPS, WIRE, queue
from penstock.scenario.document import as_document

from .record_ns2 import Settings
from .reference import Cell
from .setup import LINK_METRICS, Setting

NOTE = "README: Kantawala and Turner, by validation/ns2/kt_claims.tcl; 10..60 s"
SEEDS = 2
NAMES = {"trips": TRIPS, "hops": HOPS}
SCHEMES = {"DropTail": "Tail-Drop", "gRED": "RED", "DRR": "DRR"}
FLOWS = 100
"""On each bottleneck; half of them are slow."""


def _cell(network: str, scheme: str, buffer: int, tcp: str = "Reno", queues: int = FLOWS) -> dict[str, Any]:
    return {"network": network, "scheme": scheme, "B": buffer, "queues": queues, "tcp": tcp}


CELLS = [
    *(_cell("trips", "DRR", buffer, tcp) for buffer in (400, 1000) for tcp in ("Reno", "Tahoe")),
    *(_cell("trips", "DropTail", 400, tcp) for tcp in ("Reno", "Tahoe")),
    *(_cell("trips", "DropTail", buffer) for buffer in (5000, 20000)),
    _cell("trips", "DRR", 1000, queues=10),
    *(_cell("hops", scheme, 5000) for scheme in ("DropTail", "gRED")),
    _cell("hops", "DropTail", 20000),
]
METRICS = {
    **{name: LINK_METRICS[name] for name in ("q_mean_exact", "loss", "util")},
    **{f"{kind}_pct": f"traffic.{kind}.goodput_bps" for kind in ("slow", "fast")},
}


def command(cell: Settings, seed: int) -> list[str]:
    """The script and its arguments."""
    return ["kt_claims.tcl", *(str(cell[key]) for key in ("network", "scheme", "B", "queues", "tcp")), str(seed)]


def settings(cell: Cell) -> list[Setting]:
    """The scenario of a cell. ns-2 counts headers in the goodput, too."""
    network, scheme, flavour = (str(cell.settings[key]) for key in ("network", "scheme", "tcp"))
    shared = {"quantum": f"{WIRE}B", "buckets": int(cell.settings["queues"])} if scheme == "DRR" else {}
    discipline = queue(SCHEMES[scheme], int(cell.settings["B"]), **shared)
    made = NETWORKS[NAMES[network]]("long", discipline, ("60s", "10s"), flavour=flavour.lower())
    scenario = as_document(made).tree
    scenario["links"]["bottleneck"] = scenario["links"].pop("hop0")
    percent = 100 * WIRE / 1460 / (FLOWS / 2) / (RATE_BPS / FLOWS)
    return [Setting(scenario, {m: METRICS[m] for m in cell.metrics}, {"slow_pct": percent, "fast_pct": percent})]
