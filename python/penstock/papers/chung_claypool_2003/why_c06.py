"""Why c05 and c06: the rates, delays and numbers of flows of figure 5 with a minimum timeout of 200 ms, not 1 s."""

from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.figure import Choice, Curves, SummaryTable, Sweep, at_most, read_as

from .constant import FLOWS, RATES, constant
from .fig5_bottom import c05
from .fig6 import alike, c06
from .setup import service_rate

READING = "a least timeout of 200 ms instead of 1 s"


def _timed(flows: int = 300, **at: Any) -> ps.Scenario:
    return constant("drop", flows, **at)


AXES: dict[str, Any] = {"min_rto": ["1s", "200ms"], "p": Choice([0.05, 0.1], [0.05, 0.07, 0.1, 0.15, 0.2])}
# Both minimum timeouts, where flows time out: 300 flows over the rates and the delays, fewer over one link.
study = (
    Sweep(_timed, {**AXES, "rate": RATES})
    + Sweep(_timed, {**AXES, "rtld": Choice([0.04], [0.04, 0.12, 0.16])})
    + Sweep(_timed, {**AXES, "flows": Choice([100], FLOWS[:-1])})
)

CLAIMS = (
    *read_as(READING, [c05(p=at_most(0.1), rtld=None, flows=None)], min_rto="200ms"),
    *read_as(READING, [replace(c06, holds=alike(bool))], min_rto="200ms"),
)


def draw(summary: SummaryTable) -> Figure:
    """The queue at a drop probability of 0.1, by the rate of the link."""
    points = SummaryTable(
        ({"timeout of at least": labels["min_rto"], "rate": service_rate(labels["rate"])}, numbers)
        for labels, numbers in summary.where(p=0.1).cells
        if labels.get("rate") is not None
    )
    labels = ("rate (packets/s)", "mean queue of 300 flows, p = 0.1 (packets)")
    return Curves("rate", "q", "timeout of at least", labels=labels)(points)
