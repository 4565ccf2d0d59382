"""The metrics of the thesis (Sections 2.4.1, 4.4, 5.3.2); losses and shares in percent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import penstock as ps

Numbers = dict[str, float | None]
BUFFER = 35
"""Buffer of the bottleneck of chapters 2 to 5 in packets (Sections 2.4.1, 5.3.1)."""


def kept_numbers(run: ps.Run) -> Numbers:
    """The numbers that the `keep` function of the sweep computed from the series of a run."""
    return dict(run.raw["kept"])


def course(
    least: Sequence[float], most: Sequence[float], average: Any = (), begin: float = 0, step: float = 1
) -> Numbers:
    """Queues over time as numbers named `NAME@TIME`, in intervals of `step` seconds from `begin` seconds on.

    IQS alternates between the smallest and the largest queue of each interval; WAQS is the mean weighted average.
    """
    times = begin + step * np.arange(len(least))
    numbers: Numbers = {}
    for at, low, high in zip(times, least, most, strict=True):
        numbers |= {f"IQS@{at + step / 4:g}": low, f"IQS@{at + 3 * step / 4:g}": high}
    if len(average):
        means = np.reshape(average, (len(times), -1)).mean(axis=1)
        numbers |= {f"WAQS@{at + step / 2:g}": float(mean) for at, mean in zip(times, means, strict=True)}
    return numbers


def queue_metrics(run: ps.Run) -> Numbers:
    """Metrics of the queue of the slow link, from samples every 10 ms."""
    link = run.links["bottleneck"]
    return {
        "AQS": link.length_sampled_mean_pkts,
        "VQS": link.length_sampled_var_pkts2,
        "PLR": 100 * link.loss_rate,
        "empty": 100 * link.sampled_empty_share,
        "5 to 15": 100 * link["sampled_share_5_15"],
        "8 to 11": 100 * link["sampled_share_8_11"],
        "20 to 35": 100 * link["sampled_share_20_35"],
        "25 to 35": 100 * link["sampled_share_25_35"],
        "full": 100 * link["sampled_share_34_35"],
        "LU": 100 * link.utilization,
        "F": link.jain,
    }


def queue_and_average_metrics(run: ps.Run) -> Numbers:
    """`queue_metrics`, and the mean of the weighted average."""
    return {**queue_metrics(run), "WAQS": run.links["bottleneck"].average_mean_pkts}


def run_metrics(run: ps.Run) -> Numbers:
    """Metrics of datagrams with a code, if there are any; otherwise of the queue and of one flow's runs of losses.

    The flows are those in the direction of the queue.
    """
    if "fec" in run.traffic:
        return fec_metrics(run)
    groups = [run.traffic[name] for name in ("base1", "base2", "extra") if name in run.traffic]
    return {**queue_metrics(run), **loss_run_shares(groups)}


def loss_run_shares(groups: list[ps.Metrics]) -> Numbers:
    """Shares of runs of 1, 2, 3 and of more than 2 losses of one flow, in percent."""
    weights = [group.loss_runs or 0 for group in groups]
    total = sum(weights)
    if not total:
        return {"LRL1": None, "LRL2": None, "LRL3": None, "LRL>2": None}
    share = np.zeros(3)
    for group, weight in zip(groups, weights, strict=True):
        pmf = np.asarray(group.loss_run_pmf if weight else [], dtype=float)[:3]
        share[: len(pmf)] += pmf * weight / total
    first, second, third = (100 * float(part) for part in share)
    return {"LRL1": first, "LRL2": second, "LRL3": third, "LRL>2": max(0.0, round(100 - first - second, 9))}


def fec_metrics(run: ps.Run) -> Numbers:
    """Metrics of the datagrams with error correction and of the queue that they share with TCP (Section 5.3.2)."""
    link, code, tcp = run.links["bottleneck"], run.traffic["fec"], run.traffic["tcp"]
    return {
        "PLRBC": 100 * code.plr_before,
        "PLR": 100 * code.plr_after,
        "AQS": link.length_sampled_mean_pkts,
        "VQS": link.length_sampled_var_pkts2,
        "UDP": code.goodput_bps / 8000,
        "TCP": tcp.goodput_bps / 8000,
        **loss_run_shares([code]),
    }
