"""The accuracy of real links at five rates, compared with the kernel's own shapers where they are installed.

`make accuracy` runs this script as root, on a machine without other load: it measures, then writes the data and the
page. Without `--measure`, only the page is written, from the stored data.
"""

from __future__ import annotations

import json
import math
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.files import write_text
from penstock.link.measure import prepare
from penstock.link.namespace import Host
from penstock.link.session import LinkEnd, LinkSession
from penstock.link.traffic import FIRST_PORT, real_traffic
from penstock.scenario.document import Document

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "real_accuracy.json"
PAGE = ROOT / "docs" / "explanation" / "real-accuracy.md"
RATES = (1.5, 10.0, 100.0, 500.0, 1000.0)
"""Rates in Mbit/s."""

DELAY_S = 0.01
PACKET = 1500
PINGS, INTERVAL_S = 60, 0.05
SIZES = (84, 1500)
"""Bytes of the echo requests with headers."""

TCP = {"kind": "tcp", "flavour": "cubic", "profile": "linux", "count": 4}


def network(rate: float, queue: Mapping[str, Any], traffic: Mapping[str, Any], seconds: float) -> Document:
    """One link between two hosts."""
    link = {"from": "A", "to": "B", "rate": f"{rate}Mbit", "delay": "10ms", "queue": queue, "watch": True}
    groups = {"load": {"from": "A", "to": "B", **traffic}}
    return Document({"duration": f"{seconds}s", "warmup": "1s", "links": {"link": link}, "traffic": groups})


def buffer(rate: float) -> int:
    """Packets in 20 ms, at least 20."""
    return max(20, round(rate * 1e6 * 2 * DELAY_S / PACKET / 8))


def datagrams(rate: float) -> dict[str, Any]:
    """The delivered rate and the longest queue, with datagrams at 1.2 times the rate of a link with a limited queue."""
    limit = buffer(rate)
    load = {"kind": "cbr", "rate": f"{1.2 * rate}Mbit", "packet": f"{PACKET - 28}B"}
    run = prepare(network(rate, {"scheme": "droptail", "limit": f"{limit}p"}, load, 5)).run(1)
    delivered = run.traffic["load"]["goodput_bps"] * PACKET / (PACKET - 28)
    longest = len(run.raw["links"]["link"]["length_pmf"]) - 1
    return {"rate_error": delivered / (rate * 1e6) - 1, "limit": limit, "longest": longest, **validity(run.raw)}


def connections(rate: float) -> dict[str, Any]:
    """The goodput of four TCP flows, as a fraction of the maximum possible."""
    # At 1.5 Mbit/s, a measurement that begins or ends during a loss recovery counts up to 20 packets too many.
    seconds = max(8.0, 90.0 / rate)
    run = prepare(network(rate, {"scheme": "droptail", "limit": f"{2 * buffer(rate)}p"}, TCP, seconds)).run(1)
    possible = rate * 1e6 * 1448 / PACKET
    return {"goodput": run.traffic["load"]["goodput_bps"] / possible, **validity(run.raw)}


def marks(rate: float) -> dict[str, Any]:
    """The marks that the queue sets in four transfers, and the marked packets that the receiver's kernel counts."""
    queue = {"scheme": "red", "limit": f"{4 * buffer(rate)}p", "min_th": 5, "max_th": buffer(rate), "ecn": True}
    size = f"{round(rate * 1e6 / 8 * 2 / 4)}B"
    document = network(rate, queue, {**TCP, "ecn": True, "bytes": size}, 6).set("warmup", "0s")
    seen: list[int] = []
    run = prepare(document).run(1, inspect=lambda hosts: seen.append(congestion_marks(hosts["B"])))
    link, done = run.links["link"], run.traffic["load"]["completed"]
    return {"marks": link["marks"], "drops": link["drops"], "seen": seen[-1], "done": done, **validity(run.raw)}


def congestion_marks(host: Host) -> int:
    """The kernel's count of received packets with a congestion mark (IpExtInCEPkts)."""
    text = host.call(Path("/proc/thread-self/net/netstat").read_text)
    lines = [line.split() for line in text.splitlines() if line.startswith("IpExt:")]
    return int(dict(zip(*lines, strict=True))["InCEPkts"])


def validity(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the run is valid, and the lateness of its packets."""
    late = raw["lateness"]
    return {"valid": raw["valid"], "late_p50_s": late["p50_s"], "late_p99_s": late["p99_s"], "class": raw["scheduling"]}


def round_trips(rate: float) -> list[dict[str, float]]:
    """Round trips of echo requests on an idle link, for each packet size."""
    document = network(rate, {"scheme": "droptail", "limit": "100p"}, TCP, 60)
    with ExitStack() as stack:
        hosts = [stack.enter_context(Host()) for _ in range(2)]
        ends = [LinkEnd(node, host.namespace) for node, host in zip("AB", hosts, strict=True)]
        session = stack.enter_context(LinkSession(document, ends, endless=True))
        session.start()
        return [echo(hosts[0], session.addresses["B"], size, rate) for size in SIZES]


def echo(source: Host, destination: str, size: int, rate: float | None, delay_s: float = DELAY_S) -> dict[str, float]:
    """Mean, standard deviation and minimum of round trips, and the exact value on a link without overhead."""
    found = _native.ping(source.namespace, destination, PINGS, round(INTERVAL_S * 1e9), size - 28)
    trips = [trip * 1e-9 for trip in found if trip is not None]
    mean = math.fsum(trips) / len(trips)
    spread = math.sqrt(math.fsum((trip - mean) ** 2 for trip in trips) / len(trips))
    exact = 2 * delay_s + (0.0 if rate is None else 2 * size * 8 / (rate * 1e6))
    return {"size": size, "mean_s": mean, "sd_s": spread, "least_s": min(trips), "exact_s": exact}


def shaped(name: str, rate: float) -> dict[str, Any]:
    """The same measurements with a shaper of the kernel between two devices, without delay."""
    limit = buffer(rate) * 1514
    # The smallest burst that sustains the rate with a clock of 250 ticks per second.
    burst = max(round(rate * 1e6 / 8 / 250), 2 * 1514)
    load = {"kind": "cbr", "rate": f"{1.2 * rate}Mbit", "packet": f"{PACKET - 28}B"}
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        hosts = {node: stack.enter_context(Host()) for node in "AB"}
        addresses = join(hosts["A"], hosts["B"])
        shape(hosts["A"], name, round(rate * 1e6), burst, limit)
        found["pings"] = [echo(hosts["A"], addresses["B"], size, rate, 0.0) for size in SIZES]
        for key, traffic in (("rate", load), ("goodput", TCP)):
            document = network(rate, {"scheme": "droptail"}, traffic, 5)
            resolved = document.resolve()
            settings = [tcp and tcp.as_tuple() for tcp in real_traffic(resolved, {}).tcp]
            places = {node: (host.namespace, addresses[node]) for node, host in hosts.items()}
            canonical = resolved.for_engine(flows=True, series=False)
            senders = _native.Senders(canonical, 1, places, settings, FIRST_PORT, PACKET, ahead=False)
            senders.start(time.monotonic_ns())
            time.sleep(5.5)
            goodput = sum(flow["goodput_bps"] for flow in json.loads(senders.stop())["flows"])
            found[key] = goodput / (rate * 1e6)
    # Ethernet frames are 14 bytes longer than their packets.
    found["rate_error"] = found["rate"] * 1514 / (PACKET - 28) - 1
    found["goodput"] = found["goodput"] * 1514 / 1448
    return found


def join(first: Host, second: Host) -> dict[str, str]:
    """Join two hosts by a pair of Ethernet devices; returns the addresses."""
    holder = second.start(["sleep", "600"])
    tool(first, "ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1", "netns", str(holder.pid))
    for host, device, address in ((first, "veth0", "10.78.0.1"), (second, "veth1", "10.78.0.2")):
        tool(host, "ip", "address", "add", f"{address}/24", "dev", device)
        # One packet at a time, as on penstock's links.
        tool(host, "ip", "link", "set", device, "up", "gso_max_segs", "1")
    return {"A": "10.78.0.1", "B": "10.78.0.2"}


def shape(host: Host, name: str, rate: int, burst: int, limit: int) -> None:
    """Put a shaper on the device of a host."""
    if name == "tbf":
        tool(host, *f"tc qdisc add dev veth0 root tbf rate {rate}bit burst {burst} limit {limit}".split())
        return
    tool(host, "tc", "qdisc", "add", "dev", "veth0", "root", "handle", "1:", "htb", "default", "1")
    tool(host, *f"tc class add dev veth0 parent 1: classid 1:1 htb rate {rate}bit burst {burst} cburst {burst}".split())
    tool(host, *f"tc qdisc add dev veth0 parent 1:1 bfifo limit {limit}".split())


def tool(host: Host, *command: str) -> None:
    """Run a command in a host. Raises `CalledProcessError` with the output of the command."""
    child = host.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output, _ = child.communicate()
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command, output)


def measure() -> dict[str, Any]:
    """The measurements at all rates, one after the other."""
    rows = []
    for rate in RATES:
        print(f"{rate:g} Mbit/s", file=sys.stderr, flush=True)
        parts: dict[str, Callable[[float], Any]] = {
            "datagrams": datagrams,
            "tcp": connections,
            "pings": round_trips,
            "marks": marks,
        }
        row: dict[str, Any] = {"rate": rate, **{name: part(rate) for name, part in parts.items()}}
        if shutil.which("tc") and shutil.which("ip"):
            row["shapers"] = {name: shaped(name, rate) for name in ("tbf", "htb")}
        rows.append(row)
    with Host() as host:
        alone = [echo(host, "127.0.0.1", size, None, 0.0) for size in SIZES]
    return {"kernel": platform.release().split("-")[0], "rows": rows, "alone": alone}


HEAD = """# Accuracy of real links

The first two tables measure penstock's links between two hosts on one machine, with a propagation delay of 10 ms each
way. The last table measures the kernel's shapers `tbf` and `htb` with the same senders. The shapers have no propagation
delay, and a burst of 4 ms, or two packets if that is longer.

`make accuracy` measures everything on this page in about {minutes} minutes, best on a machine without other load.
{machine}

"""


def page(data: Mapping[str, Any]) -> str:
    """The page of the data."""
    text = HEAD.format(minutes=round(len(data["rows"]) * 1.4), machine=machine(data))
    return text + "\n".join([*links(data), "", *trips(data), "", *kernel(data)]) + "\n" + NOTES


def machine(data: Mapping[str, Any]) -> str:
    """The machine of the measurement."""
    cores, load = data["cores"], data["load"]
    hardware = f"The machine had Linux {data['kernel']}, {cores} cores"
    return f"{hardware}, and a load average of {load:.1f} from other programs."


def links(data: Mapping[str, Any]) -> Iterator[str]:
    """Rates, lateness, queues and marks of penstock's links."""
    yield (
        "| rate | rate of datagrams | goodput of TCP | lateness: median, 99 % | longest queue, limit | marks: set, "
        "seen | valid |"
    )
    yield "|---|---|---|---|---|---|---|"
    for row in data["rows"]:
        udp, tcp, marked = row["datagrams"], row["tcp"], row["marks"]
        invalid = [name for name in ("datagrams", "tcp", "marks") if not row[name]["valid"]]
        yield (
            "| "
            + " | ".join(
                (
                    f"{row['rate']:g} Mbit/s",
                    f"{100 * udp['rate_error']:+.3f} %",
                    f"{100 * tcp['goodput']:.2f} %",
                    f"{1e6 * tcp['late_p50_s']:.0f} µs, {1e6 * tcp['late_p99_s']:.0f} µs",
                    f"{udp['longest']}, {udp['limit']}",
                    f"{marked['marks']}, {marked['seen']}",
                    f"not {', '.join(invalid)}" if invalid else "yes",
                )
            )
            + " |"
        )


def trips(data: Mapping[str, Any]) -> Iterator[str]:
    """Round trips on idle links."""
    yield "Round trips of echo requests on the idle link:"
    yield ""
    yield "| rate | bytes | exact | minimum | mean | standard deviation |"
    yield "|---|---|---|---|---|---|"
    for row in data["rows"]:
        for echo_row in row["pings"]:
            times = (f"{1e3 * echo_row[key]:.3f} ms" for key in ("exact_s", "least_s", "mean_s", "sd_s"))
            yield f"| {row['rate']:g} Mbit/s | {echo_row['size']} | " + " | ".join(times) + " |"
    for echo_row in data["alone"]:
        times = (f"{1e3 * echo_row[key]:.3f} ms" for key in ("exact_s", "least_s", "mean_s", "sd_s"))
        yield f"| no link | {echo_row['size']} | " + " | ".join(times) + " |"


def kernel(data: Mapping[str, Any]) -> Iterator[str]:
    """The same measurements with shapers of the kernel."""
    yield "The shapers of the kernel:"
    yield ""
    yield "| rate | shaper | rate of datagrams | goodput of TCP | round trip of 1500 bytes: exact, mean |"
    yield "|---|---|---|---|---|"
    for row in data["rows"]:
        for name, found in row.get("shapers", {}).items():
            trip = found["pings"][1]
            rates = f"{100 * found['rate_error']:+.3f} % | {100 * found['goodput']:.2f} %"
            times = f"{1e3 * trip['exact_s'] / 2:.3f} ms, {1e3 * trip['mean_s']:.3f} ms"
            yield f"| {row['rate']:g} Mbit/s | {name} | {rates} | {times} |"


NOTES = """
Columns:

* *Rate of datagrams*: deviation of the delivered rate from the link's rate, with datagrams sent at 1.2 times this
  rate.
* *Goodput of TCP*: goodput of four CUBIC flows, relative to the maximum (1448 of the 1500 bytes of a packet; a shaper
  counts 1514 bytes).
* *Lateness*: actual minus computed arrival time of TCP packets at their host: median and 99th percentile.
* *Longest queue, limit*: in packets, with datagrams.
* *Marks*: marks set by RED in four transfers, and marks counted by the receiver's kernel (`IpExtInCEPkts`).
* *Exact*: propagation and transmission time. In the rows *no link*, a host sends the requests to itself. A shaper
  passes packets within its burst at once, so the mean through a shaper can be below the exact value.
"""


def main() -> None:
    """Measure if requested, then write the page."""
    if "--measure" in sys.argv[1:]:
        load = os.getloadavg()[0]
        data = {**measure(), "cores": len(os.sched_getaffinity(0)), "load": load}
        write_text(DATA, json.dumps(data, indent=1) + "\n")
    write_text(PAGE, page(json.loads(DATA.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
