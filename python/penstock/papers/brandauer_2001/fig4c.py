"""Figure 4 (c): mean queueing delay by the number of web sessions (Section 5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import OPTIONS, RED, SCHEMES, loads, measure
from penstock.papers.brandauer_2001.web_goodput import study
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claim c23, of both readings of a page."""
    for option in table.axis("option"):
        yield _of(table.where(option=option), OPTIONS[option])


def _of(table: Table, reading: str) -> Claim:
    every = loads(table, "sessions")

    def delay(scheme: str, sessions: int) -> Sample:
        return table("delay", scheme=scheme, sessions=sessions)

    def growth(scheme: str) -> Sample:
        return delay(scheme, every[-1]) - delay(scheme, every[0])

    return Claim(
        id="c23",
        says="delay grows with the sessions, with REDopt only moderately; tail-drop's is the longest",
        expected="increasing; growth from 800 to 1400: REDopt < each other; delay(TD) > each variant of RED",
        reading=reading,
        holds=all_of(
            *(
                (delay(s, b) > delay(s, a)).at(f"{s}, {a} to {b} sessions")
                for s in SCHEMES
                for a, b in itertools.pairwise(every)
            ),
            *((growth("REDopt") < growth(s)).at(f"growth, {s}") for s in SCHEMES if s != "REDopt"),
            *((delay("TD", n) > delay(s, n)).at(f"TD and {s}, {n} sessions") for s in RED for n in every),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(shown, "sessions", "delay", "scheme", where={"option": 1}, labels=("sessions", "queueing delay (ms)"))
