"""
Stability of RED with the fluid model
=====================================

The fluid model of TCP computes the path of the queue in milliseconds. With few flows RED swings, with more it settles.
"""

import penstock as ps
from matplotlib.figure import Figure

red = ps.model.FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)

figure = Figure(figsize=(4.5, 3), layout="constrained")
axes = figure.subplots()
for flows in (15, 30, 60):
    fluid = ps.model.Fluid(flows=flows, rtt=0.1, capacity=2500, law=red)
    margin = fluid.margins().phase_deg
    path = fluid.trajectory(60, disturbance=0.01)
    axes.plot(path.time, path.queue, label=f"{flows} flows, phase margin {margin:.0f}°")
axes.set_xlabel("time (s)")
axes.set_ylabel("queue (packets)")
figure.legend(loc="outside upper center", fontsize=8)
