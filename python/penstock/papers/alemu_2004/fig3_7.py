"""Figure 3.7: the thresholds of the adaptive REDs (Section 3.2.4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import LOADS, feng, floyd, load, psand
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

SCHEMES = {"Feng": feng, "Floyd": floyd}


def study(effort: Effort) -> Study:
    """Both with each pair of thresholds, and PSAND with the recommended ones (guess 14)."""
    flows, seeds = effort.choose([3, 103], LOADS), effort.choose(5, 100)
    return Study(
        lambda scheme, min_th, max_th, flows: load(SCHEMES[scheme](min_th=min_th, max_th=max_th), flows),
        {
            "scheme": list(SCHEMES),
            "min_th": effort.choose([0, 5], [0, 2, 5, 7, 9.5]),
            "max_th": effort.choose([10.5, 20, 35], [10.5, 15, 18, 20, 30, 35]),
            "flows": flows,
        },
        seeds=seeds,
    ) + Study(lambda flows: load(psand(), flows), {"flows": flows}, seeds=seeds, labels={"scheme": "PSAND"})


def claims(table: Table) -> Iterator[Claim]:
    """Against PSAND, and how they go with Max."""
    lows, highs, flows = (table.axis(name) for name in ("min_th", "max_th", "flows"))

    def of(metric: str, scheme: str, low: float, high: float, n: int) -> Sample:
        return table(metric, scheme=scheme, min_th=low, max_th=high, flows=n)

    yield Claim(
        id="fig3.7/c1",
        says="with no thresholds are the adaptive REDs as good as PSAND with (0, 20)",
        expected="AQS and VQS of PSAND below the least over all pairs, for every N",
        holds=all_of(
            (table(metric, scheme="PSAND", flows=n) < of(metric, scheme, low, high, n)).at(
                f"{metric}, {scheme}, ({low:g}, {high:g}), {n} flows"
            )
            for metric in ("AQS", "VQS")
            for scheme in SCHEMES
            for low in lows
            for high in highs
            for n in flows
        ),
    )
    yield Claim(
        id="fig3.7/c2",
        says="with Max the queue gets longer and steadier and losses fall negligibly",
        expected="every Min and N: AQS rises, VQS falls with Max; PLR at the largest Max at most 2 points lower",
        holds=all_of(
            condition.at(f"{scheme}, Min {low:g}, {n} flows")
            for scheme in SCHEMES
            for low in lows
            for n in flows
            for condition in (
                judge.rising([of("AQS", scheme, low, high, n) for high in highs]).at("AQS"),
                judge.falling([of("VQS", scheme, low, high, n) for high in highs]).at("VQS"),
                (of("PLR", scheme, low, highs[0], n) - of("PLR", scheme, low, highs[-1], n)).between(0, 2).at("PLR"),
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """AQS and VQS of both against Max at Min 5, and against Min at Max 20."""
    return panels.draw(
        shown,
        [
            panels.Panel(x, y, "flows", {"scheme": scheme, **where}, f"{scheme}, {name}")
            for scheme in SCHEMES
            for x, where, name in (("max_th", {"min_th": 5}, "Min 5"), ("min_th", {"max_th": 20}, "Max 20"))
            for y in ("AQS", "VQS")
        ],
    )
