"""The links, the flows and the schemes of the thesis; section, figure and table numbers refer to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import penstock as ps
from penstock.reproduce.figure import claim_factory, metric

from . import measures
from .changes import AUTOMATIC
from .measures import BUFFER as BUFFER
from .reconstruction import reconstructed as reconstructed

claim = claim_factory(__file__)
measure = measures.run_metrics

C = 187.5
"""Rate of the bottleneck of chapters 2 to 4, in packets of 1000 bytes per second."""
KT = 10
"""Target of the average queue in packets (Table 2.1)."""
R_DESIGN = {"same": 0.252, "diff": 0.634}
"""Longest round trip, in seconds, from which the printed constants follow; Table 4.1 has 0.241 for the first (guess
1)."""
GRID = list(range(3, 104, 5))
"""Numbers of flows on the axes of chapters 2 and 4: the labels of Figure 4.5(c)."""
LOADS = [3, 23, 53, 73, 103]
"""Numbers of flows of chapter 3."""
SHARE = [[5, 15], [8, 11], [20, 35], [25, 35], [34, 35]]

# The symbols of the thesis. AQS: average queue size, VQS: its variance, PLR: packet loss ratio, LU: link utilization.
AQS, WAQS = metric("AQS", "packets"), metric("WAQS", "packets")
VQS, PLR, PLRBC, LU, F = metric("VQS"), metric("PLR", "%"), metric("PLRBC", "%"), metric("LU", "%"), metric("F")
EMPTY, FULL = metric("empty", "%", "P(X=0)"), metric("full", "%", "P(X=35)")
NEAR, NEARER = metric("5 to 15", "%", "P(5<X<=15)"), metric("8 to 11", "%", "P(8<X<=11)")
LONG, LONGER = metric("20 to 35", "%", "P(20<X<=35)"), metric("25 to 35", "%", "P(25<X<=35)")
LRL1, LONG_RUNS = metric("LRL1", "%", "LRL(1)"), metric("LRL>2", "%", "LRL(>2)")
OFF = abs(AQS - KT)
"""Distance of the mean queue from the target."""
AREDS = ["Feng", "Floyd"]
OTHERS = ["RED", *AREDS]
"""The schemes with which PSAND is compared."""

Topology = Literal["same", "diff"]


def red(**more: Any) -> ps.Red:
    """RED in gentle mode, the baseline of chapter 2, with the thresholds of Table 2.1."""
    return ps.Red(**{"limit": f"{BUFFER}p", "share": SHARE, "gentle": True, **more})


def feng(**more: Any) -> ps.AredFeng:
    """Adaptive RED of Feng et al. (Table 2.1)."""
    return ps.AredFeng(**{"limit": f"{BUFFER}p", "share": SHARE, **more})


def floyd(**more: Any) -> ps.AredFloyd:
    """Adaptive RED of Floyd et al. (Table 2.1)."""
    return ps.AredFloyd(**{"limit": f"{BUFFER}p", "share": SHARE, **more})


def psand(coef: float = 1.75, gamma: float = 1.5, high: float = 0.75, **more: Any) -> ps.Psand:
    """PSAND with the factor, the power and the upper bound of max_p (Table 2.1, Section 2.4.3)."""
    return ps.Psand(**{"limit": f"{BUFFER}p", "share": SHARE, "coef": coef, "gamma": gamma, "max_p_high": high, **more})


ADAPTIVE: dict[str, Callable[[], ps.Queue]] = {"RED": red, "Feng": feng, "Floyd": floyd, "PSAND": psand}
"""The four schemes of Figures 2.3 to 2.11."""


def controller(scheme: str, flows: int, topology: Topology) -> ps.Queue:
    """One of the eight schemes of chapter 4, with the constants of Section 4.3 on this link (guesses 1, 5, 6)."""
    radius = R_DESIGN[topology]
    ends: dict[str, Any] = {"limit": f"{BUFFER}p", "share": SHARE}
    gains = ps.model.pi_gains(3, radius, C, 170)
    bounds = ps.model.lred_beta(3, radius, C)
    same = topology == "same"
    avq: dict[str, Any] = {**ends, "gamma": 1, "measure_in": "bytes", "buffer": f"{BUFFER * 1000}B"}
    makers: dict[str, Callable[[], ps.Queue]] = {
        "BLUE": lambda: ps.Blue(**ends, freeze="241ms" if same else "634ms"),
        "PI": lambda: ps.Pi(**ends) if same else ps.Pi(**ends, a=float(gains.a), b=float(gains.b)),
        "REM": lambda: ps.Rem(**ends, gamma=0.001, alpha=0.1, phi=1.1, target=f"{KT}p", interval="10ms"),
        "REM of ns-2": lambda: ps.Rem(**ends, variant="ns2", gamma=0.001, phi=1.1, target="20p", interval="2ms"),
        "AVQ": lambda: ps.Avq(**avq, alpha=0.251 if same else float(ps.model.avq_alpha(3, radius, C, reading="k11"))),
        "AVQ*": lambda: ps.Avq(**avq, alpha=float(ps.model.avq_alpha(flows, radius, C, reading="star"))),
        "LRED": lambda: ps.Lred(**ends, beta=0.021 if same else float(bounds.second)),
        "LRED*": lambda: ps.Lred(**ends, beta=float(ps.model.lred_beta(flows, radius, C).phase)),
        "PSAND": psand,
    }
    return makers[scheme]()


CONTROLLERS = ["BLUE", "PI", "REM", "AVQ", "AVQ*", "LRED", "LRED*", "PSAND"]
"""The schemes of chapter 4, in the order of Tables 4.2 and 4.3."""


def _flow(source: str, sink: str, *, base: bool = False, **more: Any) -> ps.Tcp:
    """Long transfers over SACK TCP: three basic ones of 1600 bytes, further ones of 1000 (Section 2.4.1)."""
    sizes: dict[str, Any] = {"packet": "1600B", "window": 15} if base else {"packet": "1000B", "window": 20}
    return ps.Tcp(
        **{"from_": source, "to": sink, "flavour": "sack", "profile": "ns2", "min_rto": "1s", **sizes, **more}
    )


def slow_link_scenario(
    queue: ps.Queue,
    more: int,
    *,
    topology: Topology = "same",
    base: tuple[str, str, str] = ("0s", "1s", "3s"),
    first: str = "3.5s",
    stop: str | None = None,
    duration: str = "100s",
    warmup: str = "0s",
    sampling: str = "10ms",
) -> ps.Scenario:
    """The slow link with three basic flows, one of them in the other direction, and `more` others (Figures 2.2, 4.1).

    `base` has the starts of the basic flows. The others start every 0.1 s from `first` on, and end at `stop`.
    Each start is drawn within its 0.1 s, so that runs differ (guess 8).
    """
    links = {
        "bottleneck": ps.Link(
            from_="R1", to="R2", rate="1.5Mbit", delay="20ms", queue=queue, reverse=ps.Reverse(queue="same"), watch=True
        ),
        "left1": ps.Link(from_="S1", to="R1", rate="10Mbit", delay="2ms"),
        "left2": ps.Link(from_="S2", to="R1", rate="10Mbit", delay="3ms"),
        "right": ps.Link(from_="R2", to="S3", rate="10Mbit", delay="4ms"),
    }  # fmt: skip
    traffic: dict[str, ps.Traffic] = {
        "base1": _flow("S1", "S3", base=True, start=base[0]),
        "reverse": _flow("S3", "S1", base=True, start=base[1]),
        "base2": _flow("S2", "S3", base=True, start=base[2]),
    }
    if more and topology == "diff":
        delay: Any = {"linear": ["1ms", "200ms"]}
        links["extra"] = ps.Link(from_="E{i}", to="R1", rate="10Mbit", delay=delay, count=more)
    if more:
        traffic["extra"] = _flow(
            "E{i}" if topology == "diff" else "S1", "S3", count=more, stop=stop,
            start={"first": first, "every": "100ms", "jitter": "100ms"},
        )  # fmt: skip
    return ps.Scenario(
        name=f"Alemu, {more + 3} flows",
        duration=duration,
        warmup=warmup,
        sampling=sampling,
        links=links,
        traffic=traffic,
    )


def steady_flows_scenario(queue: ps.Queue, flows: int, **more: Any) -> ps.Scenario:
    """LOAD(N) of the thesis: N flows in all until 100 s; those beyond three start from 3.5 s on (Section 2.4.2)."""
    return slow_link_scenario(queue, flows - 3, **more)


def controller_load_scenario(scheme: str, flows: int, topology: Topology = "same", **more: Any) -> ps.Scenario:
    """N flows in all under a scheme of chapter 4.

    They start one by one, every 0.1 s, from the beginning (Section 4.3).
    """
    queue = controller(scheme, flows, topology)
    starts = {"base": ("0s", "100ms", "200ms"), "first": "300ms"}
    return slow_link_scenario(queue, flows - 3, topology=topology, **{**starts, **more})


def joining_flows_scenario(queue: ps.Queue, more: int, **window: Any) -> ps.Scenario:
    """INC(M): `more` flows join the basic three at 50 s (Figures 2.3 to 2.6)."""
    return slow_link_scenario(queue, 0 if window.get("duration") == "50s" else more, first="50s", **window)


def leaving_flows_scenario(queue: ps.Queue, more: int, **window: Any) -> ps.Scenario:
    """DEC(M): `more` flows in addition to the basic three end at 50 s (Figures 2.7, 2.8)."""
    return slow_link_scenario(
        queue, more, first="0s", stop=None if window.get("duration") == "50s" else "50s", **window
    )


FEC_QUEUES: Mapping[str, Callable[[], ps.Queue]] = {
    "DT": lambda: ps.DropTail(limit=f"{BUFFER}p"),
    "RED": lambda: ps.Red(limit=f"{BUFFER}p", w_q=0.002, gentle=True, mean_packet="500B"),
    "automatic RED": lambda: ps.Red(**AUTOMATIC, limit=f"{BUFFER}p", gentle=True, mean_packet="500B"),
}
"""Drop-tail, and RED with the former "default values" and with ns-2's since 2001 (Section 5.3.1, guess 9)."""


def coded_datagrams_scenario(code: Mapping[str, Any], duration: str, **line: Any) -> ps.Scenario:
    """Evenly spaced datagrams with an erasure code, alone on a link (`line` has its settings)."""
    return ps.Scenario(
        name="Alemu, a code",
        duration=duration,
        links={"line": ps.Link(from_="S", to="D", delay="1ms", watch=False, **line)},
        traffic={"fec": ps.Fec(from_="S", to="D", headers="0B", spacing="constant", **code)},
    )


def lossy_blocks_scenario(numbers: list[int], duration: str) -> ps.Scenario:
    """Blocks of 4 packets and 1 of redundancy on a line that loses the packets with these numbers."""
    code = {"k": 4, "h": 1, "rate": "160kbit", "packet": "500B"}
    return coded_datagrams_scenario(code, duration, rate="1Mbit", loss={"arrivals": numbers})


def fec_scenario(scheme: str, flows: int, k: int, h: int, sources: int = 1) -> ps.Scenario:
    """FEC datagrams, blocks of `k` data and `h` redundancy packets, and `flows` long transfers (Figure 5.2, 5.3.1)."""
    delay: Any = {"uniform": ["20ms", "100ms"]}
    return ps.Scenario(
        name=f"Alemu, ({k},{h}) beside {flows} flows",
        duration="100s",
        sampling="10ms",
        links={
            "bottleneck": ps.Link(
                from_="R1", to="R2", rate="10Mbit", delay="30ms", queue=FEC_QUEUES[scheme](), watch=True
            ),
            "source": ps.Link(from_="U{i}", to="R1", rate="100Mbit", delay=delay, count=sources),
            "sources": ps.Link(from_="S{i}", to="R1", rate="100Mbit", delay=delay, count=flows),
        },
        traffic={
            "fec": ps.Fec(
                count=sources, from_="U{i}", to="R2", k=k, h=h, rate="500kbit", packet="573B", headers="0B"
            ),
            "tcp": _flow("S{i}", "R2", count=flows, packet="1200B", start={"uniform": ["0s", "1s"]}),
        },
    )  # fmt: skip
