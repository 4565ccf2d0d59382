"""Losses in a row with 16 to 64 flows (Section 4, described beside figure 3 (d))."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.ftp_goodput import study
from penstock.papers.brandauer_2001.setup import RED, SETTINGS, largest, loads, measure, smallest
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claim c14, of the simulation and of what is like the testbed."""
    for setting in table.axis("setting"):
        yield Claim(
            id="c14",
            says="with fewer than 64 flows all variants of RED are equal, and tail-drop is significantly worse",
            expected="N < 64, mean losses in a row: largest / smallest of RED <= 1.15; TD / each > 1.3",
            reading=SETTINGS[setting],
            holds=all_of(_light(table.where(setting=setting))),
        )


def _light(table: Table) -> Iterator[Condition]:
    for n in loads(table, "flows", 0, 63):
        found = {scheme: table("in_a_row", scheme=scheme, flows=n) for scheme in ("TD", *RED)}
        variants = [found[scheme] for scheme in RED]
        yield (largest(variants) / smallest(variants) <= 1.15).at(f"variants of RED, N = {n}")
        yield from ((found["TD"] / found[scheme] > 1.3).at(f"TD and {scheme}, N = {n}") for scheme in RED)


def draw(shown: Shown) -> Figure:
    """Mean losses in a row by the number of flows."""
    return curves(
        shown,
        "flows",
        "in_a_row",
        "scheme",
        where={"setting": "simulation"},
        labels=("flows", "mean losses in a row"),
        log="x",
    )
