"""TCP goodput of everlasting flows by their number (Section 4, no figure)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import SCHEMES, SETTINGS, design, ftp_study, largest, loads, measure, smallest
from penstock.plots.curves import curves, printed
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Every mechanism and number of flows."""
    return ftp_study(effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c01 to c04, of the simulation and of what is like the testbed."""
    for setting in table.axis("setting"):
        yield from _of(table.where(setting=setting), SETTINGS[setting])


def _of(table: Table, reading: str) -> Iterator[Claim]:
    def goodput(scheme: str, flows: int) -> Sample:
        return table("goodput", scheme=scheme, flows=flows)

    def spread(schemes: list[str], flows: int) -> Sample:
        found = [goodput(scheme, flows) for scheme in schemes]
        return largest(found) / smallest(found)

    every = loads(table, "flows")
    yield Claim(
        id="c01",
        says="the goodput of all mechanisms is practically equal",
        expected="largest / smallest <= 1.03 for every N; at N = 16 of TD and REDopt (c03 has the others)",
        reading=reading,
        must_hold=not reading,
        holds=all_of((spread(SCHEMES if n > 16 else ["TD", "REDopt"], n) <= 1.03).at(f"N = {n}") for n in every),
    )
    yield Claim(
        id="c02",
        says="it is almost optimal, around 8.4 Mb/s",
        expected="8.4 Mb/s, 3 %, every mechanism and N",
        reading=reading,
        because="54 bytes of headers leave 8.7 to 8.9 Mb/s; timestamps and Ethernet frames, 8.4 to 8.5 (why-c02)",
        holds=all_of(
            goodput(s, int(n)).reads(print_, share=0.03).at(f"{s}, N = {n:g}")
            for s, n, print_ in printed(__file__, "ftp-goodput")
            if n in every
        ),
    )
    at = design(16)
    best = largest([goodput(scheme, 16) for scheme in SCHEMES])
    standard = ("REDstd", "GREDstd")
    yield Claim(
        id="c03",
        says="with 16 flows standard RED is marginally below, as max_p = 0.1 holds its queue close to min_th",
        expected="0 < 1 - goodput / best <= 0.05 at N = 16; mean queue in the lower quarter between the thresholds",
        reading=reading,
        holds=all_of(
            condition.at(s)
            for s in standard
            for lacking in [1 - goodput(s, 16) / best]
            for condition in (
                lacking > 0,
                lacking <= 0.05,
                table("queue", scheme=s, flows=16) <= (3 / 20 + 1 / 8) * at.buffer,
            )
        ),
    )
    yield Claim(
        id="c04",
        says="synchronization does not cost tail-drop goodput with 16 flows",
        expected="goodput(TD) >= 0.99 best at N = 16",
        reading=reading,
        must_hold=not reading,
        holds=goodput("TD", 16) / best >= 0.99,
    )


def draw(shown: Shown) -> Figure:
    """Goodput by the number of flows."""
    return curves(
        shown,
        "flows",
        "goodput",
        "scheme",
        where={"setting": "simulation"},
        labels=("flows", "goodput (Mb/s)"),
        log="x",
        expected=printed(__file__, "ftp-goodput"),
    )
