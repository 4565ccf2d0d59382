"""The cost of a flow and of a packet as the number of flows grows from 100 to 100 000, at the same load per flow."""

import json
from pathlib import Path

from canonical import canonical
from processes import build_native, measure

FLOWS = (100, 1_000, 10_000, 100_000)

# Packets of each size's measured part: long enough to be measured, short enough to wait for.
PACKETS = 4_000_000
RATE_PER_FLOW_BPS = 100_000
PACKET_BITS = 8 * 1500

SCENARIO = """
duration = "{seconds}s"
[links.bottleneck]
from = "R1"
to = "R2"
rate = "{rate}bit"
delay = "5ms"
queue = {{ scheme = "droptail", limit = "{flows}p" }}
watch = true
[links.access]
count = 100
from = "S{{i}}"
to = "R1"
rate = "{access}bit"
delay = {{ linear = ["20ms", "100ms"] }}
[traffic.bulk]
kind = "tcp"
profile = "ns2"
flavour = "sack"
count = {flows}
from = [{sources}]
to = "R2"
packet = "1460B"
window = 100
start = {{ uniform = ["0s", "2s"] }}
"""


def scenario(flows: int, seconds: int) -> str:
    """`flows` SACK flows over 100 shared access links that are no bottleneck."""
    sources = ", ".join(f'"S{i}"' for i in range(100))
    rate = flows * RATE_PER_FLOW_BPS
    return SCENARIO.format(seconds=seconds, flows=flows, rate=rate, access=rate // 10, sources=sources)


def report(folder: Path) -> None:
    """Print time per packet, and memory beside that of the smallest size."""
    program = build_native()
    print(f"\n{'flows':>8} {'packets':>10} {'ns/packet':>10} {'peak MB':>8} {'bytes/flow':>11}")
    smallest = 0
    for flows in FLOWS:
        short = 5
        long = short + PACKETS * PACKET_BITS // (flows * RATE_PER_FLOW_BPS)
        file = folder / "scaling.json"
        file.write_text(canonical(scenario(flows, long)), encoding="utf-8")
        costs = [measure([program, file, str(seconds)]) for seconds in (short, long)]
        few, many = (int(json.loads(cost.output)["links"]["bottleneck"]["departures"]) for cost in costs)
        nanoseconds = (costs[1].cpu_s - costs[0].cpu_s) * 1e9 / (many - few)
        peak = 1024 * int(costs[1].notes.split()[-2])
        smallest = smallest or peak
        each = f"{(peak - smallest) / (flows - FLOWS[0]):,.0f}" if flows > FLOWS[0] else ""
        print(f"{flows:8,} {many - few:10,} {nanoseconds:10.0f} {peak / 1e6:8.1f} {each:>11}", flush=True)
