"""The metrics in which schemes are compared, and the benefit that each metric is converted to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penstock.challenges.network import BOTTLENECK, Network
from penstock.errors import UnknownNameError
from penstock.results.run import Run

__all__ = ["CRITERIA", "DEFAULT_CRITERIA", "Criterion", "find_criterion", "metric_values"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Criterion:
    """A metric with its benefit, which is larger where the metric is better.

    Attributes:
        metric: name of the metric in `penstock.results`, for its unit.
        words: the metric in words.
        sentence_template: the sentence for a deficit, with the names of the scheme and its rival, and either
            `{share}`, the lost fraction of the rival's benefit, or `{factor}`, the ratio of the rival's benefit to the
            scheme's.
        benefit: converts values of the metric in a network to benefits.
        needed_coordinate: the coordinate that must not be off for the metric to have a value; empty for none.

    """

    metric: str
    words: str
    sentence_template: str
    benefit: Callable[[Array, Network], Array]
    needed_coordinate: str = ""

    def sentence(self, scheme: str, rival: str, share: float, more: bool = False) -> str:
        """The sentence for a deficit of this fraction of the benefit; with `more`, for a larger deficit."""
        amount = f"{'more than ' if more else ''}{self.amount(share)}"
        return self.sentence_template.format(scheme=scheme, rival=rival, share=amount, factor=amount)

    def amount(self, share: float) -> str:
        """A deficit of this fraction of the benefit, as a percentage or as a factor, whichever the template has."""
        if "{factor}" in self.sentence_template:
            return f"{1 / (1 - share):.3g} times" if share < 1 else "infinitely many times"
        return f"{100 * share:.3g} %"


def _identity(values: Array, _: Network) -> Array:
    return values


CRITERIA = {
    "utilization": Criterion(
        "utilization", "utilization", "Under {scheme}, utilization is {share} lower than under {rival}", _identity
    ),
    "delay_p99": Criterion(
        "delay_p99_s",
        "99th percentile of the queueing delay",
        "Under {scheme}, the 99th percentile of the round trip is {factor} as high as under {rival}",
        lambda values, network: network.longest_rtt / (network.longest_rtt + values),
    ),
    "loss": Criterion(
        "loss_rate",
        "loss rate",
        "Under {scheme}, the delivery ratio is {share} lower than under {rival}",
        lambda values, _: 1 - values,
    ),
    "fairness": Criterion(
        "jain",
        "Jain's index of the long flows",
        "Under {scheme}, Jain's index is {share} lower than under {rival}",
        _identity,
    ),
    "far_goodput": Criterion(
        "goodput_bps",
        "goodput of the flows with the longer round trip",
        "Under {scheme}, flows with the longer round trip get {share} less goodput than under {rival}",
        _identity,
        "far",
    ),
    "completion": Criterion(
        "completion_mean_s",
        "mean completion time of the short transfers",
        "Under {scheme}, short transfers take {factor} as long as under {rival}",
        lambda values, _: 1 / values,
        "short",
    ),
}

DEFAULT_CRITERIA = ("utilization", "delay_p99", "loss", "fairness")
"""The criteria without `--metric`; the largest deficit in any of them counts."""


def find_criterion(name: str) -> str:
    """The name of a criterion. Raises `UnknownNameError` if there is none of this name."""
    if name not in CRITERIA:
        raise UnknownNameError("metric", name, CRITERIA)
    return name


def metric_values(run: Run) -> dict[str, float | None]:
    """The value of each criterion in a run; None or absent without a value."""
    link = run.links[BOTTLENECK]
    values: dict[str, float | None] = {
        "utilization": link.utilization,
        "delay_p99": link.get("delay_p99_s"),
        "loss": link.get("loss_rate"),
        "fairness": _jain(run),
    }
    if "far" in run.traffic:
        values["far_goodput"] = run.traffic["far"].goodput_bps
    if "short" in run.traffic:
        values["completion"] = run.traffic["short"].get("completion_mean_s")
    return values


def _jain(run: Run) -> float | None:
    """Jain's index over the long flows of both groups, from the index and the goodput of each: (Σx)² / (n Σx²)."""
    groups = [run.traffic[name] for name in ("near", "far") if name in run.traffic]
    count = sum(group.count for group in groups)
    goodput = sum(group.goodput_bps for group in groups)
    squares = sum(group.goodput_bps**2 / (group.count * group.jain) for group in groups if group.goodput_bps)
    return goodput**2 / (count * squares) if squares else None
