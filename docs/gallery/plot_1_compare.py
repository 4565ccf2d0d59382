"""
Compare queues on a home's uplink
=================================

Four uploads fill an uplink of 20 Mbit/s during a phone call. Ten runs for each of six queues, all with the same seeds.
"""

import penstock as ps

link = ps.Scenario.loads("""
name = "home uplink"
duration = "30s"
warmup = "5s"

[links.uplink]
from = "home"
to = "provider"
rate = "20Mbit"
delay = "20ms"
queue = { scheme = "droptail", limit = "400p" }

[traffic.uploads]
kind = "tcp"
count = 4
from = "home"
to = "provider"

[traffic.call]
kind = "cbr"
from = "home"
to = "provider"
rate = "80kbit"
packet = "172B"
dscp = "EF"
start = { uniform = ["0s", "20ms"] }
""")
schemes = ["droptail", ps.Red(min_th=33, max_th=100), "pie", "codel", "fq-codel", "cake"]
runs = ps.compare(link, schemes, runs=10)

# %%
# The 99th percentile of the queueing delay, with 95 % intervals:

delay = runs.plot("delay_p99_s")

# %%
# The call notices less of a queue that serves flows in turn. Its one-way delay has a floor of 20 ms, the propagation:

one_way = runs.plot("owd_p99_s", place="call")

# %%
# The same numbers as a table:

runs.summary("owd_p99_s", place="call").to_pandas()
