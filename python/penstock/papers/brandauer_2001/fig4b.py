"""Figure 4 (b): loss of UDP packets by the number of web sessions (Section 5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import OPTIONS, RED, SCHEMES, ftp_study, loads, measure, web_study
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of, most_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Web sessions, and everlasting flows to compare the form of the curves."""
    return web_study(effort) + ftp_study(effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c21 and c22, of both readings of a page."""
    for option in table.axis("option"):
        yield from _of(table, option)


def _of(table: Table, option: int) -> Iterator[Claim]:
    every = loads(table, "sessions")
    flows = loads(table, "flows")

    def loss(scheme: str, sessions: int) -> Sample:
        return table("udp_loss", option=option, scheme=scheme, sessions=sessions)

    def ftp_loss(scheme: str, n: int) -> Sample:
        return table("udp_loss", setting="simulation", scheme=scheme, flows=n)

    def bends(scheme: str, axis: Sequence[int], values: Sequence[Sample], up: bool) -> list[Condition]:
        """Each slope is above the one before, or below it."""
        points = list(zip(axis, values, strict=True))
        slopes = [(b - a, (y - x) / (b - a)) for (a, x), (b, y) in itertools.pairwise(points)]
        return [
            ((later > sooner) if up else (later < sooner)).at(f"{scheme}, slope {i + 1} and {i + 2}")
            for i, ((_, sooner), (_, later)) in enumerate(itertools.pairwise(slopes))
        ]

    yield Claim(
        id="c21",
        says="loss grows ever faster with the sessions, contrary to the curves of everlasting flows",
        expected="each slope over the sessions larger than the one before; over the flows smaller",
        reading=OPTIONS[option],
        because="everlasting flows: from 64 to 128 of them max_p = 0.1 does not suffice; RED's curves bend up (fig3b)",
        holds=all_of(
            *(bends(s, every, [loss(s, n) for n in every], True) for s in SCHEMES),
            *(bends(f"FTP, {s}", flows, [ftp_loss(s, n) for n in flows], False) for s in SCHEMES),
        ),
    )
    more = {n: sum((loss(s, n) for s in RED), Sample(0.0)) / 3 - loss("TD", n) for n in every}
    yield Claim(
        id="c22",
        says="tail-drop generally loses least, clearest with 1200 sessions",
        expected="TD < each variant of RED with 1200 sessions and in 3 of 4 cases elsewhere; its mean distance to them "
        "is largest with 1200",
        reading=OPTIONS[option],
        because="with 1400 sessions RED keeps a third to a half of tail-drop's queue (fig4c), and pays with losses",
        holds=all_of(
            *((loss("TD", 1200) < loss(s, 1200)).at(f"{s}, 1200 sessions") for s in RED),
            most_of(0.75, [(loss("TD", n) < loss(s, n)).at(f"{s}, {n} sessions") for s in RED for n in every]),
            *((more[1200] > more[n]).at(f"distance, 1200 and {n} sessions") for n in every if n != 1200),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return curves(shown, "sessions", "udp_loss", "scheme", where={"option": 1}, labels=("sessions", "UDP loss (%)"))
