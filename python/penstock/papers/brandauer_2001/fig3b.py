"""Figure 3 (b): loss of UDP packets by the number of flows (Section 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.ftp_goodput import study
from penstock.papers.brandauer_2001.setup import SCHEMES, SETTINGS, largest, loads, measure, smallest
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claims c05 and c06, of the simulation and of what is like the testbed."""
    for setting in table.axis("setting"):
        yield from _of(table.where(setting=setting), SETTINGS[setting])


def _of(table: Table, reading: str) -> Iterator[Claim]:
    def loss(scheme: str, flows: int) -> Sample:
        return table("udp_loss", scheme=scheme, flows=flows)

    yield Claim(
        id="c05",
        says="under light load REDopt loses half of what standard RED loses, and tail-drop is in between",
        expected="N = 16: REDstd / REDopt and GREDstd / REDopt 2 (1.5 to 2.7); REDopt < TD < REDstd",
        reading=reading,
        because=""
        if reading
        else "half needs twice the model's buffer, and TD loses as little as REDopt with any (why-c05)",
        holds=all_of(
            *((loss(s, 16) / loss("REDopt", 16)).reads(2, low=1.5, high=2.7).at(s) for s in ("REDstd", "GREDstd")),
            (loss("REDopt", 16) < loss("TD", 16)).at("REDopt and TD"),
            (loss("TD", 16) < loss("REDstd", 16)).at("TD and REDstd"),
        ),
    )
    every = loads(table, "flows")
    ratios = {}
    for flows in every:
        found = [loss(scheme, flows) for scheme in SCHEMES]
        ratios[flows] = largest(found) / smallest(found)
    yield Claim(
        id="c06",
        says="under heavy load the differences are too small to matter",
        expected="largest / smallest decreases with N, <= 1.15 at N = 256",
        reading=reading,
        because=""
        if reading
        else "with 256 flows REDopt's queue is 170 packets and TD's 468; less so with equal delay (td-small-buffer)",
        holds=all_of(
            *((ratios[b] < ratios[a]).at(f"N = {a} to {b}") for a, b in itertools.pairwise(every)),
            (ratios[256] <= 1.15).at("N = 256"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(
        shown, "flows", "udp_loss", "scheme", where={"setting": "simulation"}, labels=("flows", "UDP loss (%)"), log="x"
    )
