"""Figure 5.3: throughput of all, of the datagrams and of a transfer (Section 5.4.1.1)."""

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import panels, tables5
from penstock.papers.alemu_2004.judge import swept, varies
from penstock.papers.alemu_2004.tables5 import BOTH, RED, TAIL
from penstock.reproduce.figure import Claim, SummaryTable, every, in_cells, metric
from penstock.results.summary_table import Point

study = tables5.study(["16,1", "16,4"])

UDP, TCP = metric("UDP", "kB/s"), metric("TCP", "kB/s")
ALL = UDP + TCP

CLAIMS = in_cells(
    {"code": "16,1"},
    Claim(
        "fig5.3a/c1",
        "drop-tail carries more than RED, by about 20 kB/s with 100 flows",
        every(
            swept(ALL(scheme=TAIL) > ALL(scheme=RED)),
            (ALL(scheme=TAIL) - ALL(scheme=RED)).reads(20, share=0.25)(flows=100),
        ),
        "every n; at 100 by 20 kB/s +- 25 %",
    ),
    Claim(
        "fig5.3a/c2",
        "redundancy hardly changes what is carried",
        (abs(ALL(code="16,4") / ALL - 1) <= 0.02)(scheme=BOTH),
        "(16,4) within 2 % of (16,1) for every n and both schemes",
    ),
    Claim(
        "fig5.3b/c1",
        "the datagrams' throughput depends little on flows and scheme",
        every(varies(UDP(scheme=BOTH), "flows") <= 0.2, abs(UDP(scheme=RED) / UDP(scheme=TAIL) - 1) <= 0.05),
        "within 10 % of its mean over n, the schemes within 5 %",
    ),
    Claim(
        "fig5.3b/c2",
        "a transfer's throughput falls from 140 to 20 kB/s",
        ((TCP(flows=10) / 10) / (TCP(flows=100) / 100)).between(5, 10)(scheme=BOTH),
        "by a factor of 5 to 10 from 10 to 100 flows (the printed numbers exceed the link)",
    ),
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
