"""What is said of all traffic at once (Sections 4 to 6)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from penstock.papers.brandauer_2001.fig4b import study
from penstock.papers.brandauer_2001.setup import OPTIONS, RED, few, loads, measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, Sample, all_of, any_of
from penstock.results.table import Table

__all__ = ["claims", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claims c18 and c28, of both readings of a page."""
    ftp = table.where(setting="simulation")
    for option in table.axis("option"):
        web = table.where(option=option)
        cells = [(f"{n} flows", ftp.where(flows=n)) for n in loads(ftp, "flows")]
        cells += [(f"{n} sessions", web.where(sessions=n)) for n in loads(web, "sessions")]
        high = [(f"{n} flows", ftp("in_a_row", scheme="TD", flows=n)) for n in loads(ftp, "flows", 64)]
        high += [(f"{n} sessions", web("in_a_row", scheme="TD", sessions=n)) for n in loads(web, "sessions", 1200)]
        runs = min(len(sample.values) for _, sample in high)
        yield Claim(
            id="c18",
            says="tail-drop's losses in a row hardly depend on load and kind of traffic, but for light load",
            expected="mean losses in a row: any two within a factor of 1.5, of N >= 64 and >= 1200 sessions",
            reading=OPTIONS[option],
            must_hold=option == 1,
            holds=all_of(
                (few(one, runs) / few(other, runs)).between(1 / 1.5, 1.5).at(f"{a} and {b}")
                for (a, one), (b, other) in itertools.combinations(high, 2)
            ),
        )
        yield Claim(
            id="c28",
            says="no variant of RED has more goodput than tail-drop, and gentle RED is never the worst of its family",
            expected="goodput <= 1.01 TD everywhere; GREDstd's losses in a row not above both others'",
            reading=OPTIONS[option],
            because="with 256 flows tail-drop carries 0.05 Mb/s more of UDP (fig3b), and 0.1 Mb/s more arrive twice",
            holds=all_of(condition.at(name) for name, part in cells for condition in _no_better(part)),
        )


def _no_better(part: Table) -> Iterator[Condition]:
    def in_a_row(scheme: str) -> Sample:
        return part("in_a_row", scheme=scheme)

    for scheme in RED:
        yield (part("goodput", scheme=scheme) / part("goodput", scheme="TD") <= 1.01).at(scheme)
    others = [scheme for scheme in RED if scheme != "GREDstd"]
    yield any_of((in_a_row("GREDstd") <= in_a_row(scheme)).at(f"GREDstd and {scheme}") for scheme in others)
