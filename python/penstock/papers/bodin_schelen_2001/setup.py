"""What the experiments of Bodin and Schelen have in common; section numbers refer to their paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import penstock as ps

RATE = 10e6  # bit/s of the congested link (decision: half of it is a point of the sweep, 9.2 Mb/s its end)
IN_RATES = [0.0, *(round(0.2 + 0.6 * k, 1) for k in range(16))]
"""Mb/s in profile, 0.0 to 9.2 in steps of 0.6 (Section 3.1); 9.2 is no multiple of 0.6: 0, and 0.2 + 0.6 k."""
HALF = 5.0  # Mb/s in profile: half of the link (Section 3.6), where the queues are drawn (decision)
LEVEL_1 = (15, 45, 0.1)  # min_th, max_th in packets and max_p out of profile (Section 3.1)
NEVER = (1e6, 2e6, 0.1)  # in profile: "large enough" never to be dropped (Section 3.1)
STRATEGIES = ("DA", "DFQ")
Tcp = Literal["reno", "newreno", "sack"]
SETTINGS: Mapping[str, tuple[Tcp, str]] = {
    "Reno, strict": ("reno", "strict"),  # Section 3.2
    "SACK, strict": ("sack", "strict"),  # Section 3.3
    "Reno, gentle": ("reno", "gentle"),  # Section 3.4
    "SACK, gentle": ("sack", "gentle"),  # Section 3.5
}
STARTS = {"uniform": ["0s", "5s"]}  # Section 3.1

Edge = Mapping[str, Any]


def wred(strategy: str, form: str, **more: Any) -> ps.Queue:
    """WRED that drops arrivals (DA) or from the queue (DFQ), strict or gentle; w_q is that of ns-2's RED (decision)."""
    levels: dict[str, Any] = {
        "min_th": (NEVER[0], LEVEL_1[0]),
        "max_th": (NEVER[1], LEVEL_1[1]),
        "max_p": (NEVER[2], LEVEL_1[2]),
        "w_q": 0.002,
        "gentle": form == "gentle",
        **more,
    }
    return ps.Wred(**levels) if strategy == "DA" else ps.WredDfq(**levels)


def tsw(rate: str, window: str = "1s", *, spread: bool = False) -> Edge:
    """The conditioner of figures 4 to 15, as in RFC 2859: a window of 1 s, and each tag drawn for itself (decision)."""
    spaced = {"spread": True} if spread else {}
    return {"kind": "tsw", "rate": rate, "window": window, **spaced, "in": "AF11", "out": "AF12"}


def tsw_of_ns2(rate: str) -> Edge:
    """The first one of ns-2, after Clark and Fang: a window of 10 s, and packets out of profile spaced evenly."""
    return tsw(rate, "10s", spread=True)


def token_bucket(rate: str) -> Edge:
    """A pure token bucket (footnote 6)."""
    return {"kind": "token-bucket", "rate": rate, "in": "AF11", "out": "AF12"}


def car(rate: str) -> Edge:
    """Committed access rate with the recommended bursts (footnote 6)."""
    return {"kind": "car", "rate": rate, "conform": "AF11", "exceed": "AF12"}


ALL_OUT: Edge = {"kind": "classify", "classes": [{"name": "all", "action": "AF12"}]}
"""Nothing in profile, as a rate of 0 is none."""
CONDITIONERS: Mapping[str, Callable[[str], Edge]] = {
    "TSW": tsw,
    "TSW of ns-2": tsw_of_ns2,
    "TSW of 10 s": lambda rate: tsw(rate, "10s"),
    "TSW spread": lambda rate: tsw(rate, spread=True),
    "token bucket": token_bucket,
    "CAR": car,
}
UNTAGGED = "CS0"
"""Codepoint of the acknowledgements that cross the congested link: nothing tags them, and what is not tagged as in
profile is on WRED's last level, out of profile (decision)."""


def network(
    queue: ps.Queue,
    tcp: Tcp,
    in_rate: float,
    *,
    conditioner: str = "TSW",
    acks: str = UNTAGGED,
    receivers: tuple[str, str] = ("10us", "100us"),
    duration: str = "130s",
) -> ps.Scenario:
    """Figure 3: 16 transfers from A and B to eight receivers, and others in the direction of their acknowledgements.

    `in_rate` in Mb/s, half of it for each of A and B. Measured from 10 s on (Section 3.1). `acks` is the codepoint of
    the acknowledgements that cross the congested link; between `receivers` lie the delays of the receivers' links.
    """
    edge = [CONDITIONERS[conditioner](f"{in_rate / 2:g}Mbit") if in_rate else ALL_OUT]
    sinks = [f"{router}.{i}" for router in ("r1", "r2") for i in range(4)]
    return ps.Scenario(
        name=f"Bodin and Schelen, {in_rate:g} Mb/s in profile",
        duration=duration,
        warmup="10s",
        sampling="50ms",
        links={
            "core": ps.Link(from_="R4", to="R3", rate="10Mbit", delay="10ms", queue=queue, watch=True),
            "hostA": ps.Link(from_="A", to="R4", rate="100Mbit", delay="5ms", edge=edge),
            "hostB": ps.Link(from_="B", to="R4", rate="100Mbit", delay="1ms", edge=edge),
            "branch1": ps.Link(from_="R3", to="R1", rate="100Mbit", delay="5ms"),
            "branch2": ps.Link(from_="R3", to="R2", rate="100Mbit", delay="5ms"),
            "near": _receiver("R1", "r1.{i}", receivers),
            "far": _receiver("R2", "r2.{i}", receivers),
            "clientC": _client("C", "R1"),
            "clientD": _client("D", "R2"),
            "sinks": ps.Link(count=4, from_="R4", to="t{i}", rate="100Mbit", delay="1ms"),
        },
        traffic={
            "fromA": _ftp(tcp, 8, "A", sinks),
            "fromB": _ftp(tcp, 8, "B", sinks),
            "reverse": replace(_ftp(tcp, 4, ["C", "D"], [f"t{i}" for i in range(4)]), dscp=acks),
        },
    )


def _receiver(router: str, name: str, delays: tuple[str, str]) -> ps.Link:
    """Rate and delay are drawn anew twice a second (Section 3.1); the values are a decision."""
    change = {"every": "500ms", "rate": {"uniform": ["22Mbit", "32Mbit"]}, "delay": {"uniform": list(delays)}}
    return ps.Link(count=4, from_=router, to=name, rate="27Mbit", delay="55us", change=[change])


def _client(name: str, router: str) -> ps.Link:
    """One of the two links besides the congested one that may drop (Section 3.1); rate and buffer are a decision."""
    return ps.Link(from_=name, to=router, rate="2Mbit", delay="5ms", queue=ps.DropTail(limit="20p"))


def _ftp(tcp: Tcp, count: int, source: str | Sequence[str], to: Sequence[str]) -> ps.Tcp:
    """Transfers without end of ns-2 as it was in 2001; 1000 bytes of data and 40 of headers (decision)."""
    return ps.Tcp(
        count=count, from_=source, to=to, flavour=tcp, profile="ns2-2001", packet="1000B", headers="40B", window=10_000,
        start=STARTS,
    )  # fmt: skip
