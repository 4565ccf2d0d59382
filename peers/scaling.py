"""The cost of a flow and of a packet as the number of flows grows from 100 to 100 000, at the same load per flow."""

import json
import time
from pathlib import Path

import penstock as ps
from canonical import canonical
from processes import build_native, measure

FLOWS = (100, 1_000, 10_000, 100_000)

# Packets of each size's measured part: long enough to be measured, short enough to wait for.
PACKETS = 4_000_000
RATE_PER_FLOW_BPS = 100_000
PACKET_BITS = 8 * 1500

# (links, flows) of networks whose set-up is measured.
NETWORKS = ((100, 10_000), (300, 10_000), (1_000, 10_000), (1_000, 100_000), (1_000, 1_000_000))
HOPS = 10

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


CHAIN_LINK = """
[links.l{i}]
from = "N{i}"
to = "N{next}"
rate = "100Mbit"
delay = "1ms"
queue = {{ scheme = "droptail", limit = "1000p" }}
watch = true
"""

CHAIN_TRAFFIC = """
[traffic.t{i}]
kind = "tcp"
profile = "ns2"
flavour = "sack"
count = {count}
from = "N{i}"
to = "N{end}"
packet = "1460B"
start = {{ uniform = ["0s", "1s"] }}
"""


def scenario(flows: int, seconds: int) -> str:
    """`flows` SACK flows over 100 shared access links that are no bottleneck."""
    sources = ", ".join(f'"S{i}"' for i in range(100))
    rate = flows * RATE_PER_FLOW_BPS
    return SCENARIO.format(seconds=seconds, flows=flows, rate=rate, access=rate // 10, sources=sources)


def chain(links: int, flows: int) -> str:
    """A chain of watched links; from each node a group of flows over the next `HOPS` links."""
    starts = range(links - HOPS + 1)
    parts = [CHAIN_LINK.format(i=i, next=i + 1) for i in range(links)]
    parts += [CHAIN_TRAFFIC.format(i=i, end=i + HOPS, count=max(1, flows // len(starts))) for i in starts]
    return 'duration = "2s"' + "".join(parts)


def report(folder: Path) -> None:
    """Print time per packet, and memory beside that of the smallest size; then what comes before a run."""
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
    report_set_up(program, folder)


def report_set_up(program: Path, folder: Path) -> None:
    """Print what comes before a run, and its memory.

    CPU times: of reading and resolving a network, and of the engine's set-up with the results of an empty run. Memory:
    of a run of 0.5 s, in which half of the flows start; for each flow above 10 000 over as many links.
    """
    print(f"\n{'links':>8} {'flows':>10} {'resolve s':>10} {'set-up s':>9} {'peak MB':>8} {'bytes/flow':>11}")
    smallest: dict[int, tuple[int, int]] = {}
    for links, flows in NETWORKS:
        text = chain(links, flows)
        begin = time.process_time()
        resolved = ps.Scenario.loads(text).resolve()
        seconds = time.process_time() - begin
        file = folder / "network.json"
        file.write_text(resolved.for_engine(flows=False, series=False), encoding="utf-8")
        empty, half = (measure([program, file, duration]) for duration in ("0.000001", "0.5"))
        peak = 1024 * int(half.notes.split()[-2])
        fewest, least = smallest.setdefault(links, (flows, peak))
        each = f"{(peak - least) / (flows - fewest):,.0f}" if flows > fewest else ""
        end = f"{empty.cpu_s:9.3f} {peak / 1e6:8.1f} {each:>11}"
        print(f"{links:8,} {flows:10,} {seconds:10.3f} {end}", flush=True)
