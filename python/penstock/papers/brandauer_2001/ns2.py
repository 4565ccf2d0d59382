"""Comparison with ns-2: mean losses in a row with a buffer of 300 packets for every load."""

from typing import Any

import penstock as ps
from penstock.reproduce.figure import CurveFigure, Sweep

from .setup import PACKET, RUNS, ftp_scenario

STANDARD: dict[str, Any] = {
    "limit": "300p",
    "min_th": 45,
    "max_th": 195,
    "max_p": 0.1,
    "w_q": 0.002,
    "mean_packet": f"{PACKET}B",
}
QUEUES: dict[str, ps.Queue] = {
    "TD": ps.DropTail(limit="300p"),
    "REDstd": ps.Red(**STANDARD),
    "GRED": ps.Red(**STANDARD, gentle=True),  # ns-2's, whose ramp ends at 2 max_th
}

study = Sweep(  # 200 s with a warm-up of 50 s, like the runs of ns-2
    lambda scheme, flows: ftp_scenario(flows, QUEUES[scheme], ("200s", "50s")),
    {"scheme": list(QUEUES), "flows": [16, 256]},
    seeds=RUNS,
)

CLAIMS = ()  # a comparison of simulators

draw = CurveFigure("flows", "in_a_row", "scheme", labels=("flows", "mean losses in a row"), log="x")
