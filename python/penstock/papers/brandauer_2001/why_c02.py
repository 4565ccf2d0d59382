"""Why c02: goodput where the bottleneck is an Ethernet, whose frames take 24 bytes more, and with timestamps."""

from dataclasses import replace

import penstock as ps
from penstock.reproduce.figure import Curves, Readings

from .setup import FRAME, LOADS, SCHEMES, TIMESTAMPS, claim, designed, ftp_runs, goodput

COUNTED = {"frames": FRAME, "packets": 0}


def scenario(counted: str, scheme: str, flows: int) -> ps.Scenario:
    """Like the testbed, with 10 Mb/s of packets or of all that a 10 Mb/s Ethernet carries (figure 2 (a))."""
    base = designed(scheme, flows, "testbed")
    udp, tcp, more = base.traffic["udp"], base.traffic["tcp"], COUNTED[counted]
    assert isinstance(udp, ps.Cbr)
    assert isinstance(tcp, ps.Tcp)
    headers = 14 + 40 + TIMESTAMPS
    tcp = replace(tcp, packet=f"{1514 - headers}B", headers=f"{headers + more}B")
    return replace(base, traffic={"udp": replace(udp, headers=f"{more}B"), "tcp": tcp})


study = ftp_runs(scenario, {"counted": list(COUNTED), "scheme": SCHEMES, "flows": LOADS})

BOTH = Readings({"frames": "a bottleneck of 10 Mb/s Ethernet, and timestamps", "packets": "timestamps alone"})
CLAIMS = (claim("c02", goodput(counted=BOTH).reads(8.4, share=0.03)),)

draw = Curves("flows", "goodput", "scheme", where={"counted": "frames"}, labels=("flows", "goodput (Mb/s)"), log="x")
