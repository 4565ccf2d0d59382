"""Figure 5.3: throughput of all, of the datagrams and of a transfer (Section 5.4.1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Point, SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """The codes (16,1) and (16,4)."""
    return tables5.study(effort, ["16,1", "16,4"])


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against both REDs."""
    flows = table.axis("flows")

    def of(metric: str, scheme: str, n: int, code: str = "16,1") -> Sample:
        return table(metric, scheme=scheme, flows=n, code=code)

    def all_data(scheme: str, n: int, code: str = "16,1") -> Sample:
        return of("UDP", scheme, n, code) + of("TCP", scheme, n, code)

    for red, reading in tables5.reds(table):
        yield Claim(
            id="fig5.3a/c1",
            says="drop-tail carries more than RED, by about 20 kB/s with 100 flows",
            expected="every n; at 100 by 20 kB/s +- 25 %",
            holds=all_of(
                judge.sweep((all_data("DT", n) > all_data(red, n)).at(f"{n} flows") for n in flows),
                (all_data("DT", 100) - all_data(red, 100)).reads(20, share=0.25).at("at 100"),
            ),
            reading=reading,
        )
        yield Claim(
            id="fig5.3a/c2",
            says="redundancy hardly changes what is carried",
            expected="(16,4) within 2 % of (16,1) for every n and both schemes",
            holds=all_of(
                (abs(all_data(scheme, n, "16,4") / all_data(scheme, n) - 1) <= 0.02).at(f"{scheme}, {n} flows")
                for scheme in ("DT", red)
                for n in flows
            ),
            reading=reading,
        )
        yield Claim(
            id="fig5.3b/c1",
            says="the datagrams' throughput depends little on flows and scheme",
            expected="within 10 % of its mean over n, the schemes within 5 %",
            holds=all_of(
                *((judge.relative_spread([of("UDP", s, n) for n in flows]) <= 0.2).at(s) for s in ("DT", red)),
                *((abs(of("UDP", red, n) / of("UDP", "DT", n) - 1) <= 0.05).at(f"{n} flows") for n in flows),
            ),
            reading=reading,
        )
        yield Claim(
            id="fig5.3b/c2",
            says="a transfer's throughput falls from 140 to 20 kB/s",
            expected="by a factor of 5 to 10 from 10 to 100 flows (the printed numbers exceed the link)",
            holds=all_of(
                ((of("TCP", scheme, 10) / 10) / (of("TCP", scheme, 100) / 100)).between(5, 10).at(scheme)
                for scheme in ("DT", red)
            ),
            reading=reading,
        )


def draw(shown: SummaryTable) -> Figure:
    """All, the datagrams, and the mean of a transfer."""
    cells = []
    for labels, points in shown.cells:
        udp, tcp = points["UDP"].mean, points["TCP"].mean
        more = {"all (kB/s)": Point(udp + tcp, None), "a transfer (kB/s)": Point(tcp / labels["flows"], None)}
        cells.append((labels, {**more, "datagrams (kB/s)": points["UDP"]}))
    names = ("all (kB/s)", "datagrams (kB/s)", "a transfer (kB/s)")
    return panels.draw(
        SummaryTable(cells), [panels.Panel("flows", y, "scheme", {"code": "16,1"}) for y in names], columns=3
    )
