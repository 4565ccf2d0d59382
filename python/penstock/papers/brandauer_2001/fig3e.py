"""Figure 3 (e): standard deviation of the queueing delay by the number of flows (Section 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.ftp_goodput import study
from penstock.papers.brandauer_2001.setup import RED, SETTINGS, largest, loads, measure, smallest
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claims c12 and c13, of the simulation and of what is like the testbed."""
    for setting in table.axis("setting"):
        yield from _of(table.where(setting=setting), SETTINGS[setting])


def _of(table: Table, reading: str) -> Iterator[Claim]:
    every = loads(table, "flows")

    def sd(scheme: str, flows: int) -> Sample:
        return table("sd", scheme=scheme, flows=flows)

    def spread(scheme: str) -> Sample:
        found = [sd(scheme, n) for n in every]
        return largest(found) - smallest(found)

    yield Claim(
        id="c12",
        says="under light load synchronization makes tail-drop's delay vary most; with the load this disappears",
        expected="sd(TD) the largest at N = 16, decreasing in N; sd(TD) at N = 256 <= half of that at N = 16",
        reading=reading,
        holds=all_of(
            *((sd("TD", 16) > sd(s, 16)).at(f"{s}, N = 16") for s in RED),
            *((sd("TD", m) < sd("TD", n)).at(f"TD, N = {n} to {m}") for n, m in itertools.pairwise(every)),
            (sd("TD", 256) / sd("TD", 16) <= 0.5).at("TD, N = 256 / N = 16"),
        ),
    )
    yield Claim(
        id="c13",
        says="the deviation of the variants of RED varies less with the load than tail-drop's",
        expected="range of sd over N: each variant of RED < TD",
        reading=reading,
        because=""
        if reading
        else "GREDstd with 128 flows swings about max_th, where its ramp becomes steep; not with max_p 0.3 (why-c08)",
        holds=all_of((spread(s) < spread("TD")).at(s) for s in RED),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(
        shown, "flows", "sd", "scheme", where={"setting": "simulation"}, labels=("flows", "sd of delay (ms)"), log="x"
    )
