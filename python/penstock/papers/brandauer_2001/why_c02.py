"""Why c02: goodput where the bottleneck is an Ethernet, whose frames take 24 bytes more, and with timestamps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.brandauer_2001.setup import SCHEMES, design, ftp, ftp_flows, ftp_span, measure, queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FRAME = 24  # bytes: checksum, preamble and gap of an Ethernet frame, which its 14 bytes of header do not count
TIMESTAMPS = 12  # bytes of a TCP header, as Linux sends them
COUNTED = {"frames": FRAME, "packets": 0}


def study(effort: Effort) -> Study:
    """Like the testbed, with 10 Mb/s of packets or of all that a 10 Mb/s Ethernet carries (figure 2 (a))."""
    span = ftp_span(effort)

    def scenario(counted: str, scheme: str, flows: int) -> ps.Scenario:
        changes = {"spacing": "count"} if scheme != "TD" else {}
        base = ftp(flows, queue(scheme, design(flows, 2), **changes), span, testbed=True)
        udp, tcp, more = base.traffic["udp"], base.traffic["tcp"], COUNTED[counted]
        assert isinstance(udp, ps.Cbr)
        assert isinstance(tcp, ps.Tcp)
        headers = 14 + 40 + TIMESTAMPS
        tcp = replace(tcp, packet=f"{1514 - headers}B", headers=f"{headers + more}B")
        return replace(base, traffic={"udp": replace(udp, headers=f"{more}B"), "tcp": tcp})

    return Study(
        scenario, {"counted": list(COUNTED), "scheme": SCHEMES, "flows": ftp_flows(effort)}, seeds=effort.choose(5, 10)
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c02."""
    readings = {"frames": "a bottleneck of 10 Mb/s Ethernet, and timestamps", "packets": "timestamps alone"}
    for counted, reading in readings.items():
        yield Claim(
            id="c02",
            says="goodput is almost optimal, around 8.4 Mb/s",
            reading=reading,
            expected="8.4 Mb/s, 3 %, every mechanism and N",
            holds=all_of(
                table("goodput", counted=counted, scheme=s, flows=n).reads(8.4, share=0.03).at(f"{s}, N = {n}")
                for s in table.axis("scheme")
                for n in table.axis("flows")
            ),
        )


def draw(shown: Shown) -> Figure:
    """Goodput where frames are counted."""
    labels = ("flows", "goodput (Mb/s)")
    return curves(shown, "flows", "goodput", "scheme", where={"counted": "frames"}, labels=labels, log="x")
