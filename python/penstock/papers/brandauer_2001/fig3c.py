"""Figure 3 (c): mean queueing delay by the number of flows (Section 4)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.ftp_goodput import study
from penstock.papers.brandauer_2001.setup import (
    RED,
    SCHEMES,
    SETTINGS,
    design,
    largest,
    loads,
    measure,
    smallest,
    thresholds,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claims c07 to c10, of the simulation and of what is like the testbed."""
    for b, setting in enumerate(table.axis("setting"), start=1):
        yield from _of(table.where(setting=setting), b, SETTINGS[setting])


def _of(table: Table, b: int, reading: str) -> Iterator[Claim]:
    every = loads(table, "flows")
    at = {n: design(n, b) for n in every}

    def delay(scheme: str, flows: int) -> Sample:
        return table("delay", scheme=scheme, flows=flows)

    def place(scheme: str, flows: int) -> Sample:
        """The mean queue between the thresholds, from 0 to 1."""
        low, high = thresholds(scheme, at[flows])
        return (table("queue", scheme=scheme, flows=flows) - low) / (high - low)

    def spread(scheme: str) -> Sample:
        """How far the delay for each packet of the buffer varies over the loads."""
        found = [delay(scheme, n) / at[n].buffer for n in every]
        return largest(found) - smallest(found)

    def rising(function: Callable[[str, int], Sample], schemes: list[str]) -> list[Condition]:
        return [
            (function(s, m) > function(s, n)).at(f"{s}, N = {n} to {m}")
            for s in schemes
            for n, m in itertools.pairwise(every)
        ]

    growing = rising(delay, SCHEMES)
    proportional = [
        (ratio / mean).between(0.85, 1.15).at(f"{s}, delay / buffer, N = {n}")
        for s in SCHEMES
        for ratios in [[delay(s, n) / at[n].buffer for n in every]]
        for mean in [sum(ratios[1:], ratios[0]) / len(ratios)]
        for n, ratio in zip(every, ratios, strict=True)
    ]
    for asked, also, conditions in (
        ("increasing in N; delay / buffer at each N within 15 % of its mean over N", "", [*growing, *proportional]),
        ("increasing in N", "whether or not in proportion to the buffer", growing),
    ):
        named = "; ".join(text for text in (reading, also) if text)
        yield Claim(
            id="c07",
            says="the delay of all mechanisms grows with the number of flows, as the buffer does",
            expected=asked,
            reading=named,
            because=""
            if reading or also
            else "(G)REDstd's queue drifts from min_th to max_th, as c10 has it too (fig3c)",
            holds=all_of(conditions),
        )
    yield Claim(
        id="c08",
        says="tail-drop's queue converges to the buffer, RED's stays below max_th, so that its delay is shorter",
        expected="queue(TD) >= 0.85 buffer for N >= 64; queue(RED) <= max_th; delay(TD) > delay(RED), every N",
        reading=reading,
        because=""
        if reading
        else "GREDstd with 256 flows: its average passes max_th, as more than max_p is to be lost (why-c08)",
        holds=all_of(
            *((table("filled", scheme="TD", flows=n) >= 0.85).at(f"TD, N = {n}") for n in loads(table, "flows", 64)),
            *((place(s, n) <= 1).at(f"{s}, N = {n}") for s in RED for n in every),
            *((delay("TD", n) > delay(s, n)).at(f"TD and {s}, N = {n}") for s in RED for n in every),
        ),
    )
    yield Claim(
        id="c09",
        says="REDopt's delay varies least with the load, as its queue stays half-way between the thresholds",
        expected="range over N of delay / buffer: REDopt < REDstd, GREDstd; queue within 15 % of (min_th + max_th) / 2",
        reading=reading,
        because=""
        if reading
        else "N = 16: ns-2's spacing drops two thirds of p_b, so that the queue is above the middle (why-c09)",
        holds=all_of(
            *((spread("REDopt") < spread(s)).at(s) for s in ("REDstd", "GREDstd")),
            *(
                (table("queue", scheme="REDopt", flows=n) / (sum(thresholds("REDopt", at[n])) / 2))
                .between(0.85, 1.15)
                .at(f"N = {n}")
                for n in every
            ),
        ),
    )
    yield Claim(
        id="c10",
        says="standard RED's queue drifts from min_th towards max_th",
        expected="mean queue between the thresholds increasing in N",
        reading=reading,
        must_hold=not reading,
        holds=all_of(rising(place, ["REDstd", "GREDstd"])),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(
        shown,
        "flows",
        "delay",
        "scheme",
        where={"setting": "simulation"},
        labels=("flows", "queueing delay (ms)"),
        log="x",
    )
