"""Claims that chapter 1 cites for schemes that distinguish flows or classes, and for drop-front (guess 16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Number, QuickOrFull, Sweep, every, metric

from .measures import Numbers
from .setup import AQS, BUFFER, LU, claim

ENDS: dict[str, Any] = {"limit": f"{BUFFER}p"}
SCHEMES: Mapping[str, Callable[[], ps.Queue]] = {
    "RED": lambda: ps.Red(**ENDS, gentle=True),
    "FRED": lambda: ps.Fred(**ENDS),
    "SFB": lambda: ps.Sfb(**ENDS),
    "CBT-RED": lambda: ps.CbtRed(**ENDS),
    "BRED": lambda: ps.Bred(**ENDS),
}
SHORT = 15
"""A buffer, in packets, too small for FRED to distinguish flows."""


def _line(queue: ps.Queue, traffic: Mapping[str, ps.Traffic], duration: str = "60s", **more: Any) -> ps.Scenario:
    return ps.Scenario(
        duration=duration,
        warmup="10s" if duration == "60s" else "0s",
        links={
            "bottleneck": ps.Link(
                from_="R1", to="R2", rate="1.5Mbit", delay="20ms", queue=queue, watch=True, **more
            ),
            "near": ps.Link(from_="S", to="R1", rate="100Mbit", delay="2ms"),
            "far": ps.Link(from_="F", to="R1", rate="100Mbit", delay="100ms"),
        },
        traffic=traffic,
    )  # fmt: skip


def _tcp(count: int = 5, source: str = "S", **more: Any) -> ps.Tcp:
    start: Any = {"uniform": ["0s", "2s"]}
    return ps.Tcp(
        **{
            "from_": source,
            "to": "R2",
            "flavour": "sack",
            "profile": "ns2",
            "count": count,
            "window": 20,
            "min_rto": "1s",
            "start": start,
        }
        | more
    )


def _rigid(scheme: str, rigid: int) -> ps.Scenario:
    """Near and far transfers next to unresponsive sources."""
    cbr = ps.Cbr(from_="S", to="R2", rate="600kbit", packet="972B", count=rigid, phase="random", jitter=0.5)
    return _line(SCHEMES[scheme](), {"near": _tcp(), "far": _tcp(5, "F"), "rigid": cbr})


def _fragile(scheme: str, buffer: int) -> ps.Scenario:
    """A low-speed flow next to transfers and one unresponsive source, with a buffer of this size."""
    limit: dict[str, Any] = {"limit": f"{buffer}p"}
    queue: ps.Queue = ps.Fred(**limit) if scheme == "FRED" else ps.Red(**limit, gentle=True)
    flow: dict[str, Any] = {"from_": "S", "to": "R2", "packet": "972B", "phase": "random", "jitter": 0.5}
    slow, rigid = ps.Cbr(rate="20kbit", **flow), ps.Cbr(rate="600kbit", **flow)
    return _line(queue, {"near": _tcp(), "far": _tcp(5, "F"), "slow": slow, "rigid": rigid})


def _bursty() -> ps.Scenario:
    """Transfers and two sources of equal mean rate: one smooth, one on for 0.1 s and off for 0.4 s on average."""
    flow: dict[str, Any] = {"from_": "S", "to": "R2", "packet": "972B"}
    smooth = ps.Cbr(rate="100kbit", **flow, phase="random", jitter=0.5)
    bursts = ps.OnOff(over="udp", rate="500kbit", on={"exp": "100ms"}, off={"exp": "400ms"}, **flow)
    return _line(SCHEMES["RED"](), {"near": _tcp(), "smooth": smooth, "bursty": bursts}, "600s")


def _marked() -> ps.Scenario:
    """Packets marked In at 0.4 of the link's rate, next to transfers that are marked Out."""
    rio = ps.Rio(**ENDS, min_in="15p", max_in="30p", p_in=0.02, min_out="5p", max_out="15p", p_out=0.2)
    inside = ps.Cbr(from_="S", to="R2", rate="600kbit", packet="972B", dscp="AF11", phase="random", jitter=0.5)
    return _line(rio, {"in": inside, "out": _tcp(5, dscp="AF12")})


def _video(scheme: str) -> ps.Scenario:
    queue: ps.Queue = ps.Xred(**ENDS) if scheme == "XRED" else ps.Red(**ENDS)
    return _line(
        queue,
        {"video": ps.Video(from_="S", to="R2", rate="400kbit", count=5, phase="random", adu="gop", dependence=True)},
    )


def _front(scheme: str) -> ps.Scenario:
    queue: ps.Queue = ps.DropFront(**ENDS) if scheme == "front" else ps.DropTail(**ENDS)
    return _line(queue, {"near": _tcp(1, packet="1000B", window=100, start="0s")}, "20s")


def _turn(run: ps.Run) -> dict[str, float]:
    """Seconds from the first full queue until its maximum within a sample is 5 packets shorter."""
    queue = run.series["bottleneck"]["queue"]
    most = np.asarray(queue["max"])
    full = int(np.flatnonzero(most >= BUFFER)[0])
    later = np.flatnonzero(most[full:] <= BUFFER - 5)
    return {"answer": float(later[0]) / 100}


# Rigid sources next to TCP, marked packets, video, and one transfer behind drop-tail and drop-front.
SEEDS = QuickOrFull(5, 20)
study = (
    Sweep(_rigid, {"scheme": list(SCHEMES), "rigid": [1, 8]}, SEEDS)
    + Sweep(_fragile, {"scheme": ["RED", "FRED"], "buffer": [SHORT, BUFFER]}, SEEDS)
    + Sweep(lambda bursts: _bursty(), {"bursts": ["RED"]}, SEEDS)
    + Sweep(lambda mark: _marked(), {"mark": ["RIO"]}, SEEDS)
    + Sweep(lambda video: _video(video), {"video": ["RED", "XRED"]}, SEEDS)
    + Sweep(lambda drop: _front(drop), {"drop": ["tail", "front"]}, SEEDS, keep=_turn)
)


def measure(run: ps.Run) -> Numbers:
    """Utilization, mean queue; by group, a flow's mean goodput and the loss; for some, fairness or useless video."""
    numbers: Numbers = {
        "LU": 100 * run.links["bottleneck"].utilization,
        "AQS": run.links["bottleneck"].length_mean_pkts,
    }
    for name, group in run.traffic.items():
        numbers[f"{name}, rate"] = group.goodput_bps / 1000 / group["count"]
        numbers[f"{name}, lost"] = 100 * group.loss_rate
    if "rigid" in run.traffic:
        numbers["jain"] = run.fairness.jain
        numbers["TCP"] = (run.traffic["near"].goodput_bps + run.traffic["far"].goodput_bps) / 1000
    if "video" in run.traffic:
        numbers["wasted"] = 100 * run.traffic["video"].wasted_share
    return numbers | dict(run.raw.get("kept", {}))


TCP, jain = metric("TCP", "kbit/s", "TCP's goodput"), metric("jain", says="Jain's index")
near, far, rigid = (metric(f"{name}, rate", "kbit/s", f"{name} rate") for name in ("near", "far", "rigid"))
answer, wasted = metric("answer", "s"), metric("wasted", "%", "useless share of what is delivered")


def _lost(name: str) -> Number:
    return metric(f"{name}, lost", "%", f"loss of {name}")


gain = TCP(scheme="FRED") / TCP(scheme="RED")
"""Goodput of the transfers with FRED over that with RED."""

CLAIMS = (
    claim(
        "ch1.fred/c1",
        every(
            (TCP(scheme="FRED") > TCP(scheme="RED"))(rigid=1),
            (rigid(scheme="FRED") < rigid(scheme="RED"))(rigid=1),
            (_lost("slow")(scheme="FRED") < _lost("slow")(scheme="RED"))(buffer=BUFFER),
            gain(buffer=SHORT) < gain(buffer=BUFFER),
        ),
    ),
    claim(
        "ch1.sfb/c1",
        every(
            (rigid(scheme="SFB") < rigid(scheme="RED"))(rigid=1),
            (_lost("near")(rigid=8) > _lost("near")(rigid=1))(scheme="SFB"),
            (far < near)(scheme="SFB", rigid=1),
        ),
    ),
    claim(
        "ch1.xred/c1",
        wasted(video="XRED") < wasted(video="RED"),
        "share of delivered bytes that are useless below RED's; a data unit is a group of pictures",
    ),
    claim("ch1.cbt/c1", (TCP(scheme="CBT-RED") > TCP(scheme="RED"))(rigid=[1, 8]), must_hold=True),
    claim("ch1.bred/c1", (jain(scheme="BRED") > jain(scheme="RED"))(rigid=[1, 8])),
    claim("ch1.rio/c1", every(_lost("out") > _lost("in"), AQS < 17.5, LU >= 90)(mark="RIO"), must_hold=True),
    claim(
        "ch1.red/c1",
        every(
            (_lost("bursty") > _lost("smooth"))(bursts="RED"),
            (far < near)(scheme="RED", rigid=1),
            (_lost("rigid") > _lost("near"))(scheme="RED", rigid=1),
        ),
        "far rate below near rate, rigid loss above that of the near transfers; of two sources of 100 kbit/s "
        "the one that sends a fifth of the time loses more than the smooth one",
    ),
    claim(
        "ch1.dff/c1",
        answer(drop="front") < answer(drop="tail"),
        "a transfer alone: from the first full queue to one 5 packets shorter in less time",
        must_hold=True,
    ),
)
