"""
Congestion windows of CUBIC and BBR
===================================

Two flows share a link; ``watch=True`` records the state of their senders.
"""

import penstock as ps
from matplotlib.figure import Figure

link = ps.dumbbell(
    rate="20Mbit",
    rtt="40ms",
    duration="20s",
    queue=ps.DropTail(limit="130p"),
    traffic={
        "CUBIC": ps.Tcp(flavour="cubic", watch=True),
        "BBR": ps.Tcp(flavour="bbr3", watch=True),
    },
)
run = ps.run(link, series=True)

figure = Figure(figsize=(4.5, 3), layout="constrained")
axes = figure.subplots()
for name in ("CUBIC", "BBR"):
    (sender,) = run.senders[name]
    axes.plot([t / 1e9 for t in sender["t_ns"]], sender["cwnd"]["mean"], label=name)
axes.set_xlabel("time (s)")
axes.set_ylabel("congestion window (packets)")
axes.legend(loc="lower right")
