"""Why c05: the rate of the congested link with marks, which cause no timeouts."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import constant, of_queue, slope
from penstock.papers.chung_claypool_2003.fig5_bottom import RTLD
from penstock.papers.chung_claypool_2003.setup import service_rate
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = of_queue


def study(effort: Effort) -> Study:
    """Figure 5, bottom, by marks."""
    return Study(
        lambda rate, p: constant("mark", 300, p, rate=rate),
        {
            "rate": effort.choose(["5Mbit", "20Mbit"], ["5Mbit", "10Mbit", "15Mbit", "20Mbit"]),
            "p": effort.choose([0.05], [0.02, 0.03, 0.05, 0.07, 0.1]),
        },
        seeds=effort.choose(5, 10),
    )


def claims(table: Table) -> Iterator[Claim]:
    """Another reading of c05: without the drops, by which figure 5 is made."""
    rates = [service_rate(rate) for rate in table.axis("rate")]
    yield Claim(
        id="c05",
        says="the queue falls linearly with the rate of the link",
        reading="marks instead of drops",
        expected="slope -RTLD within 15 %, p from 0.02 to 0.1",
        holds=all_of(
            (per_run(slope(rates), [table("q", rate=rate, p=p) for rate in table.axis("rate")]) / -RTLD)
            .between(0.85, 1.15)
            .at(f"p = {p:g}, slope / -RTLD")
            for p in table.axis("p")
        ),
    )


def draw(shown: Shown) -> Figure:
    """A line for each rate."""
    return curves(shown, "p", "q", "rate", labels=("probability of a mark", "mean queue (packets)"), log="x")
