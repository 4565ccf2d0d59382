"""What Brandauer et al. claim of everlasting flows and our runs contradict: tail-drop and RED on 10 Mb/s; 50..200 s.

The settings are those of `penstock.papers.brandauer_2001`, but GRED's ramp ends at 2 max_th, as in ns-2, and not at the
buffer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from penstock.papers.brandauer_2001.setup import ftp_scenario, queue, redopt_in_packets, thresholds
from penstock.scenario.document import as_document

from .record_ns2 import Settings
from .reference import Cell
from .setup import Setting, Where

NOTE = "README: Brandauer et al., by validation/ns2/br_claims.tcl; 50..200 s"
SEEDS = 5
NAMES = {"TD": "TD", "REDstd": "RED", "GREDstd": "GRED", "REDopt": "RED"}
CELLS = [{"scheme": scheme, "flows": flows} for scheme in NAMES for flows in (16, 64, 128, 256)]


def _goodput(run: Mapping[str, Any]) -> float:
    return float(sum(group["goodput_bps"] for name, group in run["traffic"].items() if name != "udp"))


def _in_a_row(run: Mapping[str, Any]) -> float:
    return float(sum(n * share for n, share in enumerate(run["links"]["bottleneck"]["burst_loss_pmf"], 1)))


def _longer(than: int) -> Callable[[Mapping[str, Any]], float]:
    return lambda run: float(sum(run["links"]["bottleneck"]["burst_loss_pmf"][than:]))


METRICS: dict[str, Where] = {
    **{"q_mean_exact": "length_mean_pkts", "delay_s": "delay_mean_s", "delay_sd_s": "delay_sd_s", "loss": "loss_rate"},
    **{"udp_loss": "traffic.udp.loss_rate", "goodput_bps": _goodput, "in_a_row": _in_a_row},
    **{f"over_{k}": _longer(k) for k in (1, 5, 10, 20)},
}


def command(cell: Settings, seed: int) -> list[str]:
    """The script and its arguments."""
    scheme, at = str(cell["scheme"]), redopt_in_packets(float(cell["flows"]))
    low, high = thresholds(scheme, at)
    max_p, w_q = (at.max_p, at.w_q) if scheme == "REDopt" else (0.1, 0.002)
    arguments = (NAMES[scheme], cell["flows"], at.buffer, low, high, max_p, w_q, seed)
    return ["br_claims.tcl", *(str(argument) for argument in arguments)]


def settings(cell: Cell) -> list[Setting]:
    """The scenario of a cell."""
    scheme, flows = str(cell.settings["scheme"]), int(cell.settings["flows"])
    gentle: dict[str, Any] = {"gentle_top": "2max_th"} if scheme == "GREDstd" else {}
    scenario = as_document(ftp_scenario(flows, queue(scheme, redopt_in_packets(flows), **gentle), ("200s", "50s"))).tree
    return [Setting(scenario, {name: METRICS[name] for name in cell.metrics})]
