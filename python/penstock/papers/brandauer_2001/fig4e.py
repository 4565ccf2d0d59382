"""Figure 4 (e): standard deviation of the queueing delay by the number of web sessions (Section 5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import OPTIONS, SCHEMES, loads, measure, web_study
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

SHORTER = "REDopt, w_q 0.002"
NOT_FULL = "up to 1200 sessions the queue is short and swings more as it grows; it nears the buffer with 1400 (fig4c)"


def study(effort: Effort) -> Study:
    """Every mechanism, and REDopt with the memory of the standard settings."""
    return web_study(effort, [*SCHEMES, SHORTER])


def claims(table: Table) -> Iterator[Claim]:
    """Claims c24 and c25, of both readings of a page."""
    for option in table.axis("option"):
        yield from _of(table.where(option=option), OPTIONS[option])


def _of(table: Table, reading: str) -> Iterator[Claim]:
    every = loads(table, "sessions")

    def sd(scheme: str, sessions: int) -> Sample:
        return table("sd", scheme=scheme, sessions=sessions)

    for low, asked, also in (
        (0, "decreasing in the sessions", ""),
        (1200, "with 1400 sessions < with 1200", "from 1200 sessions on, where the queue comes near the buffer"),
    ):
        named = "; ".join(text for text in (reading, also) if text)
        yield Claim(
            id="c24",
            says="tail-drop's delay varies most, and less when the load increases",
            expected=f"sd(TD) > each variant of RED; sd(TD) {asked}",
            reading=named,
            because="" if named else NOT_FULL,
            holds=all_of(
                *((sd("TD", n) > sd(s, n)).at(f"TD and {s}, {n} sessions") for s in SCHEMES[1:] for n in every),
                *(
                    (sd("TD", b) < sd("TD", a)).at(f"TD, {a} to {b} sessions")
                    for a, b in itertools.pairwise(every)
                    if a >= low
                ),
            ),
        )
    yield Claim(
        id="c25",
        says="REDopt's delay varies more than that of standard RED, for its w_q is smaller: its memory is longer",
        expected="sd(REDopt) > sd(REDstd), sd(GREDstd); with w_q = 0.002 its interval contains REDstd's; every load",
        reading=reading,
        because="with w_q = 0.002 it varies more, not less; its queue is the shortest (fig4c) and varies least",
        holds=all_of(
            condition.at(f"{n} sessions")
            for n in every
            for condition in (
                (sd("REDopt", n) > sd("REDstd", n)).at("REDopt and REDstd"),
                (sd("REDopt", n) > sd("GREDstd", n)).at("REDopt and GREDstd"),
                (sd(SHORTER, n) / sd("REDstd", n)).reads(1.0).at("w_q = 0.002"),
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(shown, "sessions", "sd", "scheme", where={"option": 1}, labels=("sessions", "sd of delay (ms)"))
