"""Figure 6: the mean window of all flows against the drop probability (Section III)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from penstock.reproduce.figure import Statement, Table, by_table
from penstock.results.condition import Condition, all_of
from penstock.results.sample import Sample, per_run

from .constant import against_p, drops_and_marks, law, over_delay, over_rate
from .setup import claim

# All runs of figure 5.
study = (
    replace(drops_and_marks, vary={**drops_and_marks.vary, "by": ["drop"]}, labels={"figure": "5, top"})
    + replace(over_delay, labels={"figure": "5, middle"})
    + replace(over_rate, labels={"figure": "5, bottom"})
)


def _spread(windows: Any) -> float:
    """The range of the windows, relative to their mean."""
    return float((windows.max() - windows.min()) / windows.mean())


def alike(is_tested: Callable[[list[Sample]], bool] = lambda windows: len(windows) > 2) -> Statement:
    """The windows of all cells with the same probability are alike; `told` selects the sets that are tested."""

    def on(table: Table) -> Condition:
        windows: dict[float, list[Sample]] = {}
        for labels, samples in table.cells:
            windows.setdefault(labels["p"], []).append(samples["window"])
        return all_of((per_run(_spread, at) <= 0.15).at(f"p = {p:g}") for p, at in windows.items() if is_tested(at))

    return by_table(on, "(largest - smallest) / mean <= 15 % at each p")


def _large(windows: list[Sample]) -> bool:
    return len(windows) > 2 and min(window.mean for window in windows) >= 3


c06 = claim("c06", alike())
CLAIMS = (
    replace(
        c06, others={"where windows are of 3 packets and more, which repair losses without timeouts": alike(_large)}
    ),
)

draw = against_p(
    "rate", "window", "mean window (packets)", theory=lambda rate, p: float(law("drop").window(p)), log="xy"
)
