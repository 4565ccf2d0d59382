"""Figure 4 (a): REDopt's settings by the number of web sessions, from the active flows of a first pass (Section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import OPTIONS, first_pass, measure
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

AFTER = {1: "pages after the end of the one before", 0: "after its start"}
"""By option: what a page follows."""


def study(effort: Effort) -> Study:
    """The first pass."""
    return first_pass(effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c19 and c29, of both readings of a page."""
    for option in table.axis("option"):
        part, reading = table.where(option=option), OPTIONS[option]
        if part.has(sessions=1000):
            max_p = {sessions: part("max_p", sessions=sessions) for sessions in (800, 1000, 1200, 1400)}
            first, second = max_p[1000] / max_p[800], max_p[1400] / max_p[1200]
            because = "a 16.7th of the max_p of 1400 sessions is that of 20 flows; with 1200 some 85 are active (fig4a)"
            yield Claim(
                id="c19",
                says="REDopt's max_p grows 2.6 times from 800 to 1000 sessions and 16.7 times from 1200 to 1400",
                expected="2.6 and 16.7, each 40 %; the second ratio at least 4 times the first",
                reading=reading,
                because=because,
                holds=all_of(
                    first.reads(2.6, share=0.4).at("800 to 1000"),
                    second.reads(16.7, share=0.4).at("1200 to 1400"),
                    (second / first >= 4).at("both"),
                ),
            )
        yield Claim(
            id="c29",
            says="with 1400 sessions flows live long, and their number comes near that of everlasting ones",
            expected="active flows with 1400 sessions >= 3 times those with 1200",
            reading=reading,
            because=""
            if reading
            else "2.3 times; where a page follows the start of the one before, 8 times: the other reading (fig4a)",
            holds=part("active", sessions=1400) / part("active", sessions=1200) >= 3,
        )


def draw(shown: Shown) -> Figure:
    """max_p by the number of sessions."""
    points = Shown(({**at, "page": AFTER[at["option"]]}, numbers) for at, numbers in shown.cells)
    return curves(points, "sessions", "max_p", "page", labels=("sessions", "max_p of REDopt"))
