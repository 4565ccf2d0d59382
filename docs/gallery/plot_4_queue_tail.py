"""
Tail of the queue length
========================

How much of the time are more than *x* packets queued? Averages hide it; a logarithmic axis shows it.
"""

import penstock as ps
from penstock.plots import queue_tail

link = ps.dumbbell(rate="20Mbit", rtt="40ms", duration="30s", warmup="5s", traffic={"bulk": ps.Tcp(count=8)})
queues = [ps.DropTail(limit="200p"), ps.Pie(limit="200p"), ps.CoDel(limit="200p")]
runs = ps.compare(link, queues, runs=5)
tail = queue_tail.draw(runs, smallest=1e-4)
