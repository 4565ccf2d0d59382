"""
Simulation against theory
=========================

Poisson arrivals of packets of one size are an M/D/1 queue: the mean number of waiting packets has a closed form.
"""

import numpy as np
import penstock as ps
from matplotlib.figure import Figure

loads = np.linspace(0.3, 0.9, 7)
link = ps.dumbbell(
    rate="10Mbit",
    rtt="10ms",
    duration="60s",
    queue=ps.DropTail(limit="inf"),
    traffic={"calls": ps.Poisson(rate="5Mbit", packet="972B")},
)
rates = [f"{10 * load:.1f}Mbit" for load in loads]
runs = ps.compare(link, ["droptail"], vary={"traffic.calls.rate": rates}, runs=5)
means = [runs.estimate("length_mean_pkts", "bottleneck", **{"traffic.calls.rate": rate}) for rate in rates]

figure = Figure(figsize=(4.5, 3), layout="constrained")
axes = figure.subplots()
axes.plot(loads, ps.model.md1_waiting(loads), label="M/D/1")
axes.errorbar(loads, [m.mean for m in means], [m.half_width for m in means], fmt="o", label="simulation, 95 %")
axes.set_xlabel("load")
axes.set_ylabel("waiting packets")
axes.legend()
