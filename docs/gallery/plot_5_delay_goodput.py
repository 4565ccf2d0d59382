"""
Delay against goodput
=====================

Each ellipse spans one standard deviation of the runs of a scheme. Better is up and to the right: the delay is short.
"""

import penstock as ps
from penstock.plots import delay_goodput

link = ps.dumbbell(
    rate="20Mbit",
    rtt="40ms",
    duration="20s",
    warmup="5s",
    traffic={"web": ps.Web(sessions=60), "bulk": ps.Tcp(count=2)},
)
runs = ps.compare(link, ["droptail", "pie", "codel", "fq-codel"], runs=10)
cloud = delay_goodput.draw(runs, traffic="bulk")
