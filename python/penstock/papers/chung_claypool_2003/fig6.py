"""Figure 6: the mean window of all flows against the drop probability (Section III)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import drops_and_marks, law, of_queue, over_delay, over_rate
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = of_queue


def study(effort: Effort) -> Study:
    """All runs of figure 5."""
    drops = drops_and_marks(effort)
    flows = replace(drops, vary={**drops.vary, "by": ["drop"]}, labels={"figure": "5, top"})
    delays = replace(over_delay(effort), labels={"figure": "5, middle"})
    return flows + delays + replace(over_rate(effort), labels={"figure": "5, bottom"})


def spread(windows: Any) -> float:
    """How far windows differ, of their mean."""
    return float((windows.max() - windows.min()) / windows.mean())


def claims(table: Table) -> Iterator[Claim]:
    """Claim c06."""
    windows: dict[float, list[Any]] = {}
    for labels, samples in table.cells:
        windows.setdefault(labels["p"], []).append(samples["window"])
    says = "the mean window depends on the probability alone, whatever N, RTLD and SR"
    yield Claim(
        id="c06",
        says=says,
        expected="(largest - smallest) / mean <= 15 % at each p",
        because="from p = 0.1 on windows are below 3 packets and wait for timeouts of 1 s, at any round trip (why-c06)",
        holds=all_of((per_run(spread, at) <= 0.15).at(f"p = {p:g}") for p, at in windows.items() if len(at) > 2),
    )
    yield Claim(
        id="c06",
        says=says,
        reading="where windows are of 3 packets and more, which repair losses without timeouts",
        expected="(largest - smallest) / mean <= 15 % at each p",
        holds=all_of(
            (per_run(spread, at) <= 0.15).at(f"p = {p:g}")
            for p, at in windows.items()
            if len(at) > 2 and min(window.mean for window in at) >= 3
        ),
    )


def draw(shown: Shown) -> Figure:
    """The windows for 300 flows and each rate, with the model's."""
    return curves(
        shown,
        "p",
        "window",
        "rate",
        labels=("drop probability", "mean window (packets)"),
        theory=lambda rate, p: float(law("drop").window(p)),
        log="xy",
    )
