"""
Draw the queue over time
========================

Twenty downloads over a long path make the queue of RED swing. PI keeps it near its target.
"""

import penstock as ps
from penstock.plots import queue_over_time

link = ps.dumbbell(
    rate="10Mbit",
    rtt="260ms",
    duration="60s",
    traffic={"bulk": ps.Tcp(count=20, profile="ns2", flavour="sack", window=1000)},
    queue=ps.Red(limit="300p", min_th=50, max_th=100, max_p=0.3),
)
red = queue_over_time.draw(ps.run(link, series=True).series["bottleneck"], "RED")

# %%
# The same traffic with the same random numbers through PI:

link = link.replace("links.bottleneck.queue", ps.Pi(limit="300p", target="100p", a=0.0003, b=0.0002985))
pi = queue_over_time.draw(ps.run(link, series=True).series["bottleneck"], "PI")
