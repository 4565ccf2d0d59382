"""The common set-up of Chung and Claypool's experiments; section numbers refer to their paper."""

from collections.abc import Mapping
from typing import Any

import penstock as ps
from penstock.reproduce.changes import tcp_change
from penstock.reproduce.figure import claim_factory
from penstock.units import format_time, parse_rate, parse_time

claim = claim_factory(__file__)

PACKET = 1000  # bytes, "1 KB" (Section III); the service rate counts whole packets of this size
RATE, RTLD = "20Mbit", 0.080  # of the congested link; round-trip delay of the links in seconds (Section III)
reconstructed = tcp_change(profile="ns2-2001", min_rto="200ms", packet=f"{PACKET}B")
"""The author's set-up as reconstructed: see `readings.py`."""
LEFT_OPEN = "a question that the work leaves open"


def tcp_flows(count: int, **changes: Any) -> ps.Tcp:
    """NewReno transfers without end (Section III), with uniform starts: 50 per second, but within at least 1 s.

    The packets of 1 KB include the headers, so that 20 Mb/s are 2500 packets per second.
    """
    settings: dict[str, Any] = {
        "count": count, "from_": "S", "to": "D", "flavour": "newreno", "profile": "ns2-2003",
        "packet": f"{PACKET - 40}B", "window": 10_000, "ecn": False,
        "start": {"uniform": ["0s", f"{max(count / 50, 1):g}s"]},
    }  # fmt: skip
    return ps.Tcp(**{**settings, **changes})


def dumbbell(
    queue: ps.Queue, traffic: Mapping[str, ps.Tcp], duration: str, warmup: str, rate: str = RATE, rtld: float = RTLD
) -> ps.Scenario:
    """Transfers over one congested link (Section III); `rtld` in seconds."""
    # 20 ms on the congested link, the rest on the access links (decision: figure 3 is not legible).
    access = format_time(round((rtld / 2 - 0.020) / 2 * 1e9))
    # Every source has a link of 100 Mb/s; here all of them share one link that is never full.
    fast = f"{50 * parse_rate(rate) / 1e6:g}Mbit"
    return ps.Scenario(
        name=f"Chung and Claypool, {sum(flows.count for flows in traffic.values())} flows",
        duration=duration,
        warmup=warmup,
        links={
            "bottleneck": ps.Link(from_="R1", to="R2", rate=rate, delay="20ms", queue=queue, watch=True),
            "source": ps.Link(from_="S", to="R1", rate=fast, delay=access),
            "sink": ps.Link(from_="R2", to="D", rate=fast, delay=access),
        },
        traffic=dict(traffic),
    )


def service_rate(rate: str = RATE) -> float:
    """Rate of the congested link in packets per second (SR in the paper)."""
    return parse_rate(rate) / 8 / PACKET


def measure(run: ps.Run) -> dict[str, float | None]:
    """Queue and windows in packets, loss and utilization; as flows are added, the average too (`step_load.course`).

    `window` is the congestion window of the sender. `in_use` is the number of packets in flight of a flow, by Little's
    law over the round trip: the congestion window of ns-2 keeps growing where the receiver limits the flow. For the
    first run, queue, average and max_p are recorded second by second, for the figures.
    """
    link, record = run.links["bottleneck"], run.raw.get("kept", {})
    around = 2 * sum(parse_time(run.scenario["links"][name]["delay"]) for name in run.scenario["links"]) / 1e9
    numbers: dict[str, float | None] = {
        "q": link.length_mean_pkts,
        "q_sd": link.length_var_pkts2**0.5,
        "loss": link.loss_rate,
        "utilization": link.utilization,
    }
    if list(run.traffic) == ["bulk"]:
        bulk = run.traffic["bulk"]
        rate = link.arrivals / run.measured_s
        numbers["window"] = bulk.cwnd_mean_pkts
        numbers["in_use"] = rate * (around + link.get("delay_mean_s", 0.0)) / bulk["count"]
    for name, value in record.items():
        if isinstance(value, list):
            course = value if run.seed == 1 else [None] * len(value)
            numbers |= {f"{name}@{second}": at for second, at in enumerate(course, start=1)}
        else:
            numbers[name] = value
    return numbers
