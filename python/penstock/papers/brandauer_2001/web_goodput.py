"""TCP goodput of web sessions by their number (Section 5, no figure)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.claims import Claim
from penstock.papers.brandauer_2001.setup import OPTIONS, RED, SCHEMES, loads, measure, web_study
from penstock.plots.curves import curves
from penstock.reproduce import Effort
from penstock.samples import Sample, all_of
from penstock.shown import Shown
from penstock.study import Study, Table

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Every mechanism and number of sessions."""
    return web_study(effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c20, of both readings of a page."""
    for option in table.axis("option"):
        yield _of(table.where(option=option), OPTIONS[option])


def _of(table: Table, reading: str) -> Claim:
    every = loads(table, "sessions")

    def goodput(scheme: str, sessions: int) -> Sample:
        return table("goodput", scheme=scheme, sessions=sessions)

    return Claim(
        id="c20",
        says="goodput grows with the sessions up to 8.7 Mb/s, and the mechanisms do not differ",
        expected="increasing; 8.7 Mb/s, 3 %, with 1400 sessions; each variant of RED within 2 % of TD everywhere",
        reading=reading,
        holds=all_of(
            *(
                (goodput(s, b) > goodput(s, a)).at(f"{s}, {a} to {b} sessions")
                for s in SCHEMES
                for a, b in itertools.pairwise(every)
            ),
            *(goodput(s, 1400).reads(8.7, share=0.03).at(f"{s}, 1400 sessions") for s in SCHEMES),
            *(
                (goodput(s, n) / goodput("TD", n)).between(0.98, 1.02).at(f"{s} / TD, {n} sessions")
                for s in RED
                for n in every
            ),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Goodput by the number of sessions."""
    return curves(shown, "sessions", "goodput", "scheme", where={"option": 1}, labels=("sessions", "goodput (Mb/s)"))
