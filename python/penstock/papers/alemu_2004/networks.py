"""Figures 2.2 and 4.1: the networks of chapters 2 to 4."""

from __future__ import annotations

from penstock.reproduce.figure import Exhibit

from . import panels
from .setup import psand, steady_flows_scenario

fig2_2 = Exhibit(
    "Figure 2.2: the network (Section 2.4.1)",
    rows=lambda _: [],
    draw=lambda _: panels.network(steady_flows_scenario(psand(), 103)),
)
fig4_1 = Exhibit(
    "Figure 4.1: the network with different round trips (Section 4.2)",
    rows=lambda _: [],
    draw=lambda _: panels.network(steady_flows_scenario(psand(), 103, topology="diff")),
)
