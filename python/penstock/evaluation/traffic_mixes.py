"""Sections 4.4, 7, 9 and 10: packet sizes, bursts, mixes of applications, both directions, two queues in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from penstock.evaluation.case import Case
from penstock.evaluation.network import MILD, Dumbbell, Table, traffic_table
from penstock.scenario.document import Document

__all__ = ["mix_cases"]

BURSTS: dict[str, tuple[str, ...]] = {
    "7.2-1": ("web", "cbr"),
    "7.2-2": ("web", "cbr", "bulk"),
    "7.2-3": ("video", "web", "cbr"),
    "7.2-4": ("video", "web", "cbr", "bulk"),
}


def mix_cases() -> Iterator[Case]:
    """The cases of these sections."""
    yield Case("4.4", "mild congestion, half of the flows with 500 B", "should", _sizes, ("small", "large"))
    for name, parts in BURSTS.items():
        yield Case(name, f"bursts: {', '.join(parts)}", "must", _burst(parts), parts)
    yield Case(
        "9.1", "calls, web, constant rate, video, bulk", "recommended", _mix, ("calls", "web", "cbr", "video", "bulk")
    )
    yield Case("9.2", "mild congestion in both directions", "may", _both_ways, ("bulk", "back"))
    yield Case("10.2", "two queues in a row", "may", _two_queues, ("through", "joining"))


def _sizes(dumbbell: Dumbbell) -> Document:
    half = max(1, dumbbell.flows(MILD) // 2)
    small = dumbbell.tcp(half) | {"packet": "460B"}
    return dumbbell.scenario("packet sizes", {"small": small, "large": dumbbell.tcp(half)})


def _burst(parts: Sequence[str]) -> Callable[[Dumbbell], Document]:
    def scenario(dumbbell: Dumbbell) -> Document:
        return dumbbell.scenario("bursts", {name: _part(dumbbell, name) for name in parts})

    return scenario


def _mix(dumbbell: Dumbbell) -> Document:
    traffic = {name: _part(dumbbell, name) for name in ("web", "cbr", "video")}
    call = {"rate": "80kbit", "packet": "172B", "phase": "random"}
    calls = {"calls": {**traffic_table("cbr"), **call}, "calls-back": {**traffic_table("cbr", "B", "A"), **call}}
    return dumbbell.scenario("mix of applications", {**calls, **traffic, "bulk": dumbbell.tcp(5)})


def _part(dumbbell: Dumbbell, name: str) -> Table:
    """One application of section 7.2: web pages of 50 objects over six connections, a constant rate, video, a flow."""
    match name:
        case "web":
            objects = {"sessions": 6, "objects": {"list": [50]}, "size": {"exp": "7kB"}, "gap": {"exp": "2s"}}
            return {
                **traffic_table("web"),
                **objects,
                "flavour": "sack",
                "profile": "linux",
                "packet": f"{dumbbell.packet_bytes - 40}B",
            }
        case "cbr":
            return {**traffic_table("cbr"), "rate": f"{0.1 * dumbbell.rate_bps / 1e3:g}kbit", "packet": "972B"}
        case "video":
            return {
                **traffic_table("video"),
                "rate": f"{0.3 * dumbbell.rate_bps / 1e3:g}kbit",
                "fps": 30,
                "gop": "IPPPPPPPPPPP",
                "sizes": {"I": 5, "P": 1},
            }
        case _:
            return dumbbell.tcp()


def _both_ways(dumbbell: Dumbbell) -> Document:
    flows = dumbbell.flows(MILD)
    back = dumbbell.tcp(flows) | {"from": "B", "to": "A"}
    return dumbbell.scenario("both directions", {"bulk": dumbbell.tcp(flows), "back": back}, back=True)


def _two_queues(dumbbell: Dumbbell) -> Document:
    """Senders A pass both queues, senders C join at the second one."""
    half = max(1, dumbbell.flows(MILD) // 2)
    traffic = {"through": dumbbell.tcp(half), "joining": dumbbell.tcp(half) | {"from": "C"}}
    document = dumbbell.scenario("two queues in a row", traffic)
    links = dict(document.tree["links"])
    first = links["bottleneck"]
    part = float(first["delay"].removesuffix("ms")) / 2
    links["bottleneck"] = {**first, "delay": f"{part:g}ms", "to": "M"}
    links["second"] = {**first, "delay": f"{part:g}ms", "from": "M"}
    trip = dumbbell.rtt_ms / 2 - part
    links["left-C"] = {"from": "C", "to": "M", "rate": f"{10 * dumbbell.rate_bps / 1e3:g}kbit", "delay": f"{trip:g}ms"}
    return Document({**document.tree, "links": links})
