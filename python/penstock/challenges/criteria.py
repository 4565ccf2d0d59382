"""How much worse a scheme does than another one: benefits of a run, and their relative difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penstock.challenges.network import Network
from penstock.errors import UnknownNameError
from penstock.results.run import Run

__all__ = ["CRITERIA", "DEFAULT", "Criterion", "criterion_of", "measured"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Criterion:
    """A metric with its benefit, which is larger where the metric is better.

    Attributes:
        metric: whose unit the values have.
        words: the metric in a few words.
        statement: that a scheme does worse than a rival: `{share}` stands for the lost part of the rival's benefit,
            `{factor}` for the quotient of the benefits.
        benefit: of values, in a network.
        needs: the coordinate without which there is no value; empty if there always is one.

    """

    metric: str
    words: str
    statement: str
    benefit: Callable[[Array, Network], Array]
    needs: str = ""

    def sentence(self, scheme: str, rival: str, share: float, more: bool = False) -> str:
        """The statement for the loss of this part of the benefit, or of more than it."""
        than = "more than " if more else ""
        words = {"share": f"{than}{self.amount(share, False)}", "factor": f"{than}{self.amount(share, True)}"}
        return self.statement.format(scheme=scheme, rival=rival, **words)

    def amount(self, share: float, is_factor: bool | None = None) -> str:
        """The loss of this part of the benefit, as the statement has it."""
        if is_factor is None:
            is_factor = "{factor}" in self.statement
        if is_factor:
            return f"{1 / (1 - share):.3g} times" if share < 1 else "infinitely many times"
        return f"{100 * share:.3g} %"


def _itself(values: Array, _: Network) -> Array:
    return values


CRITERIA = {
    "utilization": Criterion(
        "utilization", "utilization", "{scheme} loses {share} of the utilization of {rival}", _itself
    ),
    "delay_p99": Criterion(
        "delay_p99_s",
        "99th percentile of the delay",
        "{scheme} makes the 99th percentile of the round trip {factor} as long as {rival}",
        lambda values, network: network.longest_rtt / (network.longest_rtt + values),
    ),
    "loss": Criterion(
        "loss_rate",
        "loss rate",
        "{scheme} delivers {share} fewer of the packets than {rival}",
        lambda values, _: 1 - values,
    ),
    "fairness": Criterion(
        "jain", "Jain's index of the long flows", "{scheme} loses {share} of the fairness of {rival}", _itself
    ),
    "far_goodput": Criterion(
        "goodput_bps",
        "goodput of the flows with the longer round trip",
        "{scheme} gives flows with the longer round trip {share} less goodput than {rival}",
        _itself,
        "far",
    ),
    "completion": Criterion(
        "completion_mean_s",
        "completion time of short transfers",
        "{scheme} makes short transfers take {factor} as long as {rival}",
        lambda values, _: 1 / values,
        "short",
    ),
}

DEFAULT = ("utilization", "delay_p99", "loss", "fairness")
"""The criteria of which the worst one counts if none is named."""


def criterion_of(name: str) -> str:
    """The name of a criterion. Raises `UnknownNameError`."""
    if name not in CRITERIA:
        raise UnknownNameError("metric", name, CRITERIA)
    return name


def measured(run: Run) -> dict[str, float | None]:
    """The value of each criterion in a run; None or absent where it has none."""
    link = run.links["bottleneck"]
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
    """Jain's index over the long flows of both groups, from the index and the goodput of each."""
    groups = [run.traffic[name] for name in ("near", "far") if name in run.traffic]
    count = sum(group.count for group in groups)
    goodput = sum(group.goodput_bps for group in groups)
    squares = sum(group.goodput_bps**2 / (group.count * group.jain) for group in groups if group.goodput_bps)
    return goodput**2 / (count * squares) if squares else None
