"""TCP goodput of web sessions by their number (Section 5, no figure)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import OPTIONS, RED, SCHEMES, loads, measure, web_study
from penstock.plots.curves import curves, printed
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


UDP_AND_REPEATS = "with 1400 sessions tail-drop carries more of UDP and more that arrives twice (web-goodput)"


def study(effort: Effort) -> Study:
    """Every mechanism and number of sessions."""
    return web_study(effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c20, of both readings of a page."""
    for option in table.axis("option"):
        part, reading = table.where(option=option), OPTIONS[option]
        yield _of(part, reading, "no significant difference between two mechanisms anywhere", _alike)
        close = "; ".join(text for text in (reading, "a difference of less than 2 % is none") if text)
        yield _of(part, close, "each variant of RED within 2 % of TD everywhere", _close)
        yield Claim(
            id="web-goodput/carried",
            says="with 1400 sessions the link carries as much with each mechanism: UDP and what arrives twice differ",
            expected="payload of TCP, repeats too, and UDP: any two mechanisms within 0.2 %",
            reading="; ".join(text for text in (reading, "no claim of the work") if text),
            holds=all_of(
                (part("carried", scheme=s, sessions=1400) / part("carried", scheme=other, sessions=1400))
                .between(0.998, 1.002)
                .at(f"{s} / {other}")
                for s, other in itertools.combinations(SCHEMES, 2)
            ),
        )


def _of(table: Table, reading: str, asked: str, same: Callable[[Table, int], Iterator[Condition]]) -> Claim:
    every = loads(table, "sessions")

    def goodput(scheme: str, sessions: int) -> Sample:
        return table("goodput", scheme=scheme, sessions=sessions)

    return Claim(
        id="c20",
        says="goodput grows with the sessions up to 8.7 Mb/s, and the mechanisms do not differ",
        expected=f"increasing; 8.7 Mb/s, 3 %, with 1400 sessions; {asked}",
        reading=reading,
        because="" if reading else UDP_AND_REPEATS,
        holds=all_of(
            *(
                (goodput(s, b) > goodput(s, a)).at(f"{s}, {a} to {b} sessions")
                for s in SCHEMES
                for a, b in itertools.pairwise(every)
            ),
            *(
                goodput(s, int(n)).reads(print_, share=0.03).at(f"{s}, {n:g} sessions")
                for s, n, print_ in printed(__file__, "web-goodput")
            ),
            *(condition.at(f"{n} sessions") for n in every for condition in same(table, n)),
        ),
    )


def _alike(table: Table, sessions: int) -> Iterator[Condition]:
    """A difference is significant where the interval of the ratio of two mechanisms, run by run, is off 1."""
    for s, other in itertools.combinations(SCHEMES, 2):
        ratio = table("goodput", scheme=s, sessions=sessions) / table("goodput", scheme=other, sessions=sessions)
        yield ratio.reads(1.0).at(f"{s} / {other}")


def _close(table: Table, sessions: int) -> Iterator[Condition]:
    for s in RED:
        ratio = table("goodput", scheme=s, sessions=sessions) / table("goodput", scheme="TD", sessions=sessions)
        yield ratio.between(0.98, 1.02).at(f"{s} / TD")


def draw(shown: Shown) -> Figure:
    """Goodput by the number of sessions."""
    return curves(
        shown,
        "sessions",
        "goodput",
        "scheme",
        where={"option": 1},
        labels=("sessions", "goodput (Mb/s)"),
        expected=printed(__file__, "web-goodput"),
    )
