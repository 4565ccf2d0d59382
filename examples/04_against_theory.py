"""Poisson arrivals of equal packets at a drop-tail queue without limit: M/D/1, simulated and by formula."""

import numpy as np
import penstock as ps

print("load   waiting   M/D/1")
for load in (0.5, 0.8, 0.9):
    link = ps.dumbbell(
        rate="8Mbit",
        rtt="0s",
        access="100Gbit",
        duration="200s",
        queue=ps.DropTail(),
        traffic={"udp": ps.Poisson(rate=f"{8 * load}Mbit", packet="1000B", headers="0B")},
    )
    waiting = [ps.run(link, seed).links["bottleneck"].length_mean_pkts for seed in range(1, 6)]
    theory = load**2 / (2 * (1 - load))
    print(f"{load:.1f}  {np.mean(waiting):8.3f}  {theory:6.3f}")
