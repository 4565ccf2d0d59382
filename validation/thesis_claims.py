"""What Alemu's thesis claims and our runs contradict: topology A under the adaptive REDs, PSAND, PI, REM and AVQ.

ns-2 has no PSAND: ``validation/ns2/thesis_claims.tcl`` moves the max_p of its RED, whose ramp above Max stays where the
first max_p put it. ``fec`` has the cells of chapter 5.
"""

from collections.abc import Iterator
from typing import Any

from .record_ns2 import Settings
from .reference import Cell
from .setup import LINK_METRICS, Setting, Table, queue
from .thesis_link import link, traffic

NOTE = "Claims of Alemu's thesis that are contradicted, by validation/ns2/thesis_claims.tcl; README a"
SEEDS = 10

WHEN: dict[str, tuple[str, str]] = {
    "load": ("3.5s", "0s"),
    "first": ("300ms", "0s"),
    "joins": ("50s", "60s"),
    "leaves": ("0s", "50s"),
}
"""When the flows beyond three begin, and from when on the queue is measured."""
NAMES = {"RED": "gRED", "Feng": "ARED_Feng", "Floyd": "ARED_Floyd"}


def cells() -> Iterator[dict[str, Any]]:
    """Scheme, load and thresholds of each cell."""
    for scheme in ("RED", "Feng", "Floyd", "PSAND"):
        bounds = {"min": 0, "max": 20} if scheme == "PSAND" else {"min": 5, "max": 15}
        yield from ({"scheme": scheme, "when": "load", "N": n, **bounds} for n in (8, 28, 103))
        yield from ({"scheme": scheme, "when": "joins", "N": n, **bounds} for n in (50, 100) if scheme != "RED")
        yield from ({"scheme": scheme, "when": "leaves", "N": n, **bounds} for n in (20, 50))
    for largest in (10.5, 35):
        yield from ({"scheme": "PSAND", "when": "load", "N": n, "min": 0, "max": largest} for n in (3, 103))
    yield {"scheme": "PSAND", "when": "load", "N": 3, "min": 0, "max": 20}
    for scheme in ("PSAND", "AVQ", "REM", "PI"):
        bounds = {"min": 0, "max": 20} if scheme == "PSAND" else {"min": 5, "max": 15}
        yield from ({"scheme": scheme, "when": "first", "N": n, **bounds} for n in (8, 53, 103))


CELLS = list(cells())


def command(cell: Settings, seed: int) -> list[str]:
    """The script and its arguments; ns-2 takes a Min of 0 for "automatic"."""
    least = cell["min"] or "0.000001"
    return [
        str(part) for part in ("thesis_claims.tcl", cell["scheme"], cell["when"], cell["N"], least, cell["max"], seed)
    ]


METRICS = {
    **{name: LINK_METRICS[name] for name in ("q_mean", "q_var", "p_empty", "loss", "util")},
    "p_full": "sampled_share_34_35",
    "p_5_15": "sampled_share_5_15",
    "p_25_35": "sampled_share_25_35",
}


def settings(cell: Cell) -> list[Setting] | str:
    """The scenario of a cell."""
    scheme, when, n = (str(cell.settings[key]) for key in ("scheme", "when", "N"))
    first, warmup = WHEN[when]
    discipline = _queue(scheme, float(cell.settings["min"]), float(cell.settings["max"]))
    scenario = link(f"thesis claims {cell.name}", {**discipline, "share": [[5, 15], [25, 35], [34, 35]]}, warmup)
    groups = traffic(int(n) + 3 * (when in ("joins", "leaves")), "1s")
    if when == "first":
        for name, start in (("reverse", "100ms"), ("second", "200ms")):
            groups[name]["start"] = start
    if "extra" in groups:
        groups["extra"]["start"]["first"] = first
        if when == "leaves":
            groups["extra"]["stop"] = "50s"
    return [Setting({**scenario, "traffic": groups}, {name: METRICS[name] for name in cell.metrics})]


def _queue(scheme: str, least: float, most: float) -> Table:
    if scheme == "PSAND":
        ends = {"limit": "35p", "min_th": least, "max_th": most, "max_p_high": 0.75}
        return {"scheme": "psand", "gentle_from": "first", "mean_packet": "1000B", **ends}
    return queue(NAMES.get(scheme, scheme), 35, {"min_th": least, "max_th": most, "w_q": "auto"})
