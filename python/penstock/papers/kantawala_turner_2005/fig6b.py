"""Figure 6 (b): deviation of goodput among the slower long flows against the number of queues (Section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.fig6a import study
from penstock.papers.kantawala_turner_2005.setup import measure
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, Sample, all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claim c27."""
    if not table.has(queues=1):
        return
    for metric, kinds, reading in (
        ("sd_slow", (_below, _alike), ""),
        ("sd_slow", (_below,), "below 15 % alone, with differences"),
        ("sd_all", (_below, _alike), "among all flows of the link"),
    ):
        yield Claim(
            id="c27",
            says="the deviation of goodput is below 15 % of the fair share, however many queues",
            expected="sd / fair share < 0.15 for every number of queues, largest - smallest <= 0.05",
            reading=reading,
            because=""
            if reading
            else "20 queues of 5 flows are uneven, DTDRR's flows lose in step; without both it is < 15 % (why-mixed)",
            holds=all_of(
                condition.at(f"{network}, {scheme}")
                for network in table.axis("network")
                for scheme in (name for name in table.axis("scheme") if name != "DSDRR-W")
                for kind in kinds
                for condition in kind(table.along("queues", metric, network=network, scheme=scheme))
            ),
        )


def _below(found: list[tuple[Any, Sample]]) -> Iterator[Condition]:
    yield from ((sd < 0.15).at(f"{queues} queues") for queues, sd in found)


def _alike(found: list[tuple[Any, Sample]]) -> Iterator[Condition]:
    spread = per_run(lambda sds: float(max(sds) - min(sds)), [sd for _, sd in found])
    yield (spread <= 0.05).at("largest - smallest")


def draw(shown: Shown) -> Figure:
    """The panel, two round trips."""
    return curves(
        shown,
        "queues",
        "sd_slow",
        "scheme",
        where={"network": "two round trips"},
        labels=("queues", "sd of goodput / fair share"),
        log="x",
    )
