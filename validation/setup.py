"""Common parts of the sets of scenarios: queues by ns-2's names, and the source of each metric."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Table = dict[str, Any]

# Metrics of the watched link by their names in the reference files.
LINK_METRICS = {
    "q_mean_exact": "length_mean_pkts",
    "q_mean": "length_sampled_mean_pkts",
    "q_var": "length_sampled_var_pkts2",
    "q_sd": "length_sampled_var_pkts2",
    "p_empty": "sampled_empty_share",
    "loss": "loss_rate",
    "markfrac": "mark_rate",
    "util": "utilization",
    "jain": "jain",
    "jain_fwd": "jain",
}


Where = str | Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class Setting:
    """A scenario for (part of) a cell, and which of the cell's metrics it yields from where in the run.

    A metric is one of the watched link, or ``traffic.NAME.METRIC`` of some traffic, times its factor in `factors`; of a
    distribution the place follows, ``loss_run_pmf.0``, and what lies beyond its end is 0. Others are functions of runs.
    """

    scenario: Table
    metrics: Mapping[str, Where]
    factors: Mapping[str, float] = field(default_factory=dict)

    def read(self, run: Mapping[str, Any], metric: str) -> float:
        """The metric `metric` of the reference from the results of one run."""
        where = self.metrics[metric]
        if not isinstance(where, str):
            return where(run)
        kind, _, name = where.partition(".")
        traffic, _, key = name.partition(".")
        key, _, place = key.partition(".")
        told = run[kind][traffic][key] if name else run["links"]["bottleneck"][kind]
        if place:
            told = told[int(place)] if int(place) < len(told) else 0.0
        value = float(told)
        return self.factors.get(metric, 1.0) * (math.sqrt(value) if metric.endswith("q_sd") else value)


def waiting(scheme: str) -> str | None:
    """Why the cells of this scheme cannot be compared yet, if so."""
    if scheme == "DropTail_ovh":
        return "sends with ns-2's random per-packet overhead (overhead_), which penstock leaves out"
    if scheme == "RED235":
        return "drops in proportion to the size of the packet; validation/ has no set-up with red's scale_by_size yet"
    return None


def queue(scheme: str, limit: int, red: Mapping[str, Any]) -> Table:
    """The queue of the reference called `scheme` with ns-2's `limit_`; `red` is what the RED family shares.

    ns-2's DropTail holds one packet less than `limit_`, its RED and PI hold `limit_`. ns-2's automatic `bottom_` is
    0.01 or, on a fast link, less: it comes in `red` as `max_p_low`.
    """
    if scheme == "DropTail":
        return {"scheme": "droptail", "limit": f"{limit - 1}p"}
    if scheme == "PI":
        gains = {"a": 0.000344519, "b": 0.000343499, "interval": f"{1000 / 170:.6f}ms"}
        return {"scheme": "pi", "limit": f"{limit}p", "target": "10p", **gains}
    if scheme in ("REM", "REM10"):
        # ns-2's REM holds one packet less than `limit_`, as its DropTail.
        gains = {"gamma": 0.001, "phi": 1.1, "target": "10p", "interval": "2ms" if scheme == "REM" else "10ms"}
        return {"scheme": "rem", "variant": "ns2", "limit": f"{limit - 1}p", **gains}
    if scheme in ("AVQ", "AVQ98"):
        # ns-2's alpha is built in; its queue and virtual queue hold `limit_` packets of 1000 bytes, in bytes.
        ns2 = {"alpha": 0.15, "initial": 0.8, "on_drop": "skip", "cap": "after", "measure_in": "bytes"}
        return {"scheme": "avq", "limit": f"{limit}kB", "gamma": 1.0 if scheme == "AVQ" else 0.98, **ns2}
    common = {"limit": f"{limit}p", "spacing": "wait", "guards": True, "mean_packet": "1000B", **red}
    name, ecn, everywhere = scheme.partition("ECN")
    if ecn:
        # The reference keeps ns-2's mark_p_ at the present max_p; `ECNall`: all but forced drops.
        common |= {"ecn": True, "mark_up_to": "top" if everywhere else "max_p"}
    max_p_low = common.pop("max_p_low", 0.01)
    if name in ("RED", "gRED"):
        return {"scheme": "red", "max_p": 0.1, "gentle": name == "gRED", **common}
    if name == "ARED_Feng":
        return {"scheme": "ared-feng", "max_p": 0.02, "alpha": 3, "beta": 2, **common}
    if name in ("ARED", "ARED_Floyd"):
        adaptive = {"alpha": 0.01, "beta": 0.9, "interval": "500ms", "max_p_low": max_p_low, "max_p_high": 0.5}
        return {"scheme": "ared-floyd", "max_p": 0.1, **adaptive, "tick": "arrival", **common}
    raise ValueError(f"the reference has no scheme {scheme}")
