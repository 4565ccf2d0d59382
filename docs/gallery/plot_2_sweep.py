"""
Sweep the number of flows and the buffer
========================================

A grid of values: a curve for each scheme, a panel for each buffer.
"""

import penstock as ps

link = ps.dumbbell(rate="20Mbit", rtt="40ms", duration="20s", warmup="5s", traffic={"bulk": ps.Tcp(count=4)})
runs = ps.compare(
    link,
    ["droptail", "pie", "codel"],
    vary={
        "traffic.bulk.count": [1, 2, 4, 8, 16, 32],
        "links.bottleneck.queue.limit": ["50p", "400p"],
    },
    runs=5,
)
delay = runs.plot("delay_p99_s", x="count", panel="limit")

# %%
# The price of a short queue is loss:

loss = runs.plot("loss_rate", x="count", panel="limit")
