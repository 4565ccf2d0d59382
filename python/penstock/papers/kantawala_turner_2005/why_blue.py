"""Why c01 and c20 fail: a wider search for Blue's settings, with smaller steps that are taken less often."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import fig5b
from penstock.papers.kantawala_turner_2005.setup import (
    BLUE_TRIED,
    BUFFERS,
    HOPS,
    PLOTTED,
    TRIPS,
    measure,
    three_hops,
    times,
    two_round_trips,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

SOUGHT_AT = 400  # packets
WIDER = [
    (up, up / ratio, freeze)
    for up in (0.0002, 0.001, 0.0025, 0.02)
    for ratio in (10, 2)
    for freeze in ("1ms", "10ms", "100ms", "500ms")
]  # d1, d2 and freeze; the four sets of the report are among them
FOUR = "the report's set"
BEST = "the best of 32 sets"
LARGER = (0.005, 0.0005, "500ms")
"""Leaves as much of the link over three hops as the work's Blue: the report's steps twice, a fifth as often."""


def _blue(buffer: int, setting: tuple[float, float, str]) -> ps.Queue:
    d1, d2, freeze = setting
    return ps.Blue(limit=f"{buffer}p", d1=d1, d2=d2, freeze=freeze)


def _best(effort: Effort) -> tuple[float, float, str]:
    """The set with the most goodput of both kinds of flows together (Section 4), with 400 packets."""
    span = effort.choose(("6s", "4s"), ("50s", "10s"))
    tried = list(range(effort.choose(2, len(WIDER))))
    found = effort.table(
        Study(
            lambda setting: two_round_trips("long", _blue(SOUGHT_AT, WIDER[setting]), span),
            {"setting": tried},
            seeds=1,
        ),
        lambda run: {"goodput": sum(group.goodput_bps for group in run.traffic.values())},
    )
    return WIDER[max(tried, key=lambda setting: found("goodput", setting=setting).mean)]


def study(effort: Effort) -> Study:
    """The best of the wider search in every buffer, the four sets of the report in two; the best over three hops."""
    span, best = times(effort, TRIPS), _best(effort)
    made = Study(
        lambda buffer: two_round_trips("long", _blue(buffer, best), span),
        {"buffer": effort.choose([SOUGHT_AT], [buffer for buffer in BUFFERS if buffer <= PLOTTED])},
        seeds=5,
        labels={"set": BEST, "network": TRIPS},
    )
    for number, setting in enumerate(BLUE_TRIED[: effort.choose(1, 4)], start=1):
        made += Study(
            lambda buffer, setting=setting: two_round_trips("long", _blue(buffer, setting), span),
            {"buffer": effort.choose([SOUGHT_AT], [400, 1000])},
            seeds=5,
            labels={"set": f"{FOUR} {number}", "network": TRIPS},
        )
    return made if effort.quick else made + _hops(effort, BEST, best) + _hops(effort, "larger", LARGER)


def _hops(effort: Effort, name: str, setting: tuple[float, float, str]) -> Study:
    return Study(
        lambda buffer: three_hops("long", _blue(buffer, setting), times(effort, HOPS)),
        {"buffer": [PLOTTED]},
        seeds=5,
        labels={"set": name, "network": HOPS},
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claims c01, c06 and c20, as other readings, of Blue alone."""
    if not table.has(buffer=PLOTTED):
        return
    yield from _trips(table.where(network=TRIPS))
    d1, d2, freeze = LARGER
    for name, setting in ((BEST, BEST), ("larger", f"steps of {d1:g} and {d2:g}, {freeze} apart")):
        yield from fig5b.blue(table.where(network=HOPS, set=name), [PLOTTED], f"Blue alone, {setting}")


def _trips(table: Table) -> Iterator[Claim]:
    best = table.where(set=BEST)
    reading = "Blue alone, the set with the most goodput out of 32"
    yield Claim(
        id="c01",
        says="with RED and with Blue the flows of 200 ms have about 40 % of their fair share",
        expected="40 (30 to 50) % for every B <= 5000",
        reading=reading,
        holds=all_of(
            sample.reads(40, low=30, high=50).at(f"Blue, B = {buffer}")
            for buffer, sample in best.along("buffer", "g_slow")
        ),
    )
    yield Claim(
        id="c06",
        says="RED and Blue let the flows of 40 ms have almost half more than their fair share",
        expected="150 (135 to 160) % for every B <= 5000",
        reading=reading,
        holds=all_of(
            sample.reads(150, low=135, high=160).at(f"Blue, B = {buffer}")
            for buffer, sample in best.along("buffer", "g_fast")
        ),
    )
    yield Claim(
        id="why-blue/link",
        says="that set uses more of the link than each of the four sets of the report that introduces Blue",
        expected="a higher utilization with 400 and 1000 packets",
        reading=reading,
        holds=all_of(
            (best("utilization", buffer=buffer) > table("utilization", set=name, buffer=buffer)).at(
                f"{name}, B = {buffer}"
            )
            for name in table.axis("set")
            if name != BEST
            for buffer in (400, 1000)
        ),
    )


def draw(shown: Shown) -> Figure:
    """Goodput of the flows of 200 ms."""
    return curves(
        shown,
        "buffer",
        "g_slow",
        "set",
        where={"network": TRIPS},
        labels=("buffer (packets)", "goodput with Blue, 200 ms (%)"),
        log="x",
    )
