"""Short scenarios that together use every mechanism of the simulator, for the record of results, `record_of_meaning`.

Most are made from the catalog: a new scheme, TCP flavour or conditioner, or a new choice of a parameter, adds runs.
A scenario that is edited gets a new name, so that its recorded result is not mistaken for a changed one.
"""

from __future__ import annotations

import struct
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import penstock as ps
from penstock.aqms.catalog import Param, conditioners, schemes, tcp_keys
from penstock.scenario.scheme_text import parse_queue

from .link_properties import LINK_PROPERTIES

Tree = dict[str, Any]


@ps.aqm("recorded-law")
class RecordedAqm(ps.Aqm):
    """An AQM in Python that reads all facts about queue and packet, draws random numbers, and has a timer."""

    k: int = 10
    ecn: bool = False

    def reset(self, link: Any) -> None:
        self.per_byte = 8 / link.rate
        self.p = 0.0
        self.delay = 0.0
        self.due = 0.05

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        if cx.queue.packets >= self.k and cx.rng.chance(min(self.p * pkt.size / 1000, 1.0)):
            return ps.MARK if self.ecn and pkt.ecn else ps.DROP
        return ps.DROP if pkt.dscp == 46 and cx.queue.bytes * self.per_byte > 0.04 else ps.PASS

    def on_departure(self, cx: Any, pkt: Any) -> Any:
        self.delay += (pkt.sojourn - self.delay) / 8
        return ps.PASS

    def on_idle(self, now: float) -> None:
        self.p /= 2

    def next_timeout(self) -> float:
        return self.due

    def on_timeout(self, cx: Any) -> None:
        self.p = min(max(self.p + (self.delay - 0.01), 0.0), 0.5)
        self.due += 0.05

    def gauges(self) -> Mapping[str, float]:
        return {"p": self.p, "delay": self.delay}


EF: Final = {"name": "voice", "match": {"dscp": "EF"}}
REST: Final = {"name": "rest"}
REQUIRED: Final[Mapping[str, Tree]] = {
    "bernoulli": {"p": 0.02},
    "shaper": {"rate": "8Mbit"},
    "ras": {"cir": "5Mbit", "cir_th": "10kB", "mir_th": "20kB"},
    "pq": {"classes": [{**EF, "rate": "1Mbit"}, REST]},
    "cbfq": {"classes": [{**EF, "share": 0.1}, {**REST, "share": 0.9}]},
    "cbq": {"classes": [{**EF, "share": 0.1, "mean_packet": "200B"}, {**REST, "share": 0.9, "mean_packet": "1000B"}]},
    **{name: {"classes": [{**EF, "weight": 1}, {**REST, "weight": 9}]} for name in ("wfq", "scfq", "wf2q")},
}
"""Settings that schemes need."""

BESIDE: Final[Mapping[str, Tree]] = {
    "gentle_top": {"gentle": True},
    "mark_up_to": {"ecn": True},
    "ce_threshold": {"ecn": True},
    "ce_threshold_for": {"ecn": True, "ce_threshold": "5ms"},
    "spread": {"buckets": 8},
    "rehash": {"warmup": "1ms"},
    "pir": {"pir_th": "15kB"},
    "pir_th": {"pir": "7Mbit"},
    "pacing": {"recovery": "rfc"},
    "write_every": {"write": "20kB"},
}
"""Settings without which another setting has no effect or is refused."""

GIVEN: Final[Mapping[str, Any]] = {
    **{"time": "5ms", "integer": 8, "length": "10p", "rate": "7Mbit", "size": "15kB", "codepoints": [10]},
    "writes": [["0s", "100kB"], ["1s", "50kB"], ["1s", "10B"]],
}
"""Values of parameters that have none by default, by their kind."""

CONDITIONED: Final[Mapping[str, Tree]] = {
    "rate": {"rate": "1Mbit"},
    "peak": {"peak": "2Mbit"},
    "cir": {"cir": "2Mbit"},
    "cir_th": {"cir_th": "10kB"},
    "mir_th": {"mir_th": "30kB"},
    "classes": {"classes": [{**EF, "action": "AF11"}, {**REST, "action": "AF12"}]},
}
"""Settings of conditioners."""


def recorded_runs(folder: Path) -> dict[str, Tree]:
    """Every scenario by its name; the files that they read are written to `folder`."""
    runs = [*_of_schemes(), *_of_tcp(), *_of_traffic(folder), *_of_probes(), *_of_links(folder), *_of_conditioners()]
    runs += _of_files()
    assert len(dict(runs)) == len(runs)
    return dict(runs)


def network(traffic: Tree, queue: Tree, duration: str = "3s", **settings: Any) -> Tree:
    """A bottleneck of 10 Mbit/s with watched queues in both directions, between three sources and two destinations."""
    bottleneck = {
        "from": "R1",
        "to": "R2",
        "rate": "10Mbit",
        "delay": "10ms",
        "watch": True,
        "reverse": {"queue": {"scheme": "droptail", "limit": "100p"}, "watch": True},
        **settings,
        "queue": queue,
    }
    links = {
        "bottleneck": bottleneck,
        "sources": {"count": 3, "from": "S{i}", "to": "R1", "rate": "100Mbit", "delay": {"linear": ["1ms", "3ms"]}},
        "sinks": {"count": 2, "from": "R2", "to": "D{i}", "rate": "100Mbit", "delay": "1ms"},
    }
    ends = {"from": ["S0", "S1", "S2"], "to": ["D0", "D1"]}
    flows = {name: _sender(table) | ends | table for name, table in traffic.items()}
    return {"duration": duration, "warmup": "200ms", "links": links, "traffic": flows}


def _sender(table: Tree) -> Tree:
    """Keys of traffic over TCP, unless `table` gives others: those of ns-2, with flows that start at once."""
    if table["kind"] not in ("tcp", "web", "incast", "onoff") or table.get("over") == "udp":
        return {}
    return {"profile": "ns2", "flavour": "reno"} | ({"start": "0s"} if table["kind"] == "tcp" else {})


def mixed(**tcp: Any) -> Tree:
    """TCP with and without ECN that fills the bottleneck, datagrams of several code points, and an overload."""
    return {
        "bulk": {"kind": "tcp", "count": 8, "flavour": "sack", "profile": "linux", "watch": True,
                 "start": {"uniform": ["0s", "100ms"]}, **tcp},
        "plain": {"kind": "tcp", "count": 4, "flavour": "newreno", "window": 100},
        "voice": {"kind": "poisson", "rate": "1Mbit", "packet": {"uniform": ["100B", "300B"]}, "dscp": "EF"},
        "in": {"kind": "cbr", "count": 2, "rate": "500kbit", "packet": "500B", "dscp": "AF11", "phase": "random",
               "ecn": True},
        "out": {"kind": "poisson", "rate": "1Mbit", "packet": "1000B", "dscp": "AF12"},
        "overload": {"kind": "cbr", "rate": "15Mbit", "packet": "1000B", "start": "1.5s", "stop": "1.8s"},
    }  # fmt: skip


def variants(params: tuple[Param, ...], profile: str = "") -> Iterator[tuple[str, Any]]:
    """Each flag switched, each other choice or word, and a value of each parameter without one, if it can have any."""
    for param in params:
        default = param.with_profile_default(profile).default
        if param.kind == "flag":
            yield param.name, not default
        elif "AF11" not in param.choices:  # one code point is like another
            yield from ((param.name, word) for word in (*param.choices, *param.words) if word != default)
        if default is None and not param.required and param.kind in GIVEN:
            yield param.name, GIVEN[param.kind]


def _of_schemes() -> Iterator[tuple[str, Tree]]:
    for scheme in schemes():
        if scheme.family == "Python":
            continue
        queue = {"scheme": scheme.name, "limit": "50p", **REQUIRED.get(scheme.name, {})}
        marks = {"ecn": True} if any(param.name == "ecn" for param in scheme.params) else {}
        yield f"scheme/{scheme.name}", network(mixed(), queue)
        yield f"scheme/{scheme.name}/bytes", network(mixed(ecn=True), queue | marks | {"limit": "30kB"})
        yield f"scheme/{scheme.name}/changing load", network(CHANGING_LOAD, queue, "15s", rate="2Mbit")
        yield f"scheme/{scheme.name}/long", network(CHANGING_LOAD, queue, "60s", rate="2Mbit")
        if times := {param.name: f"{param.default['ns'] // 10}ns" for param in scheme.params if _is_time(param)}:
            yield f"scheme/{scheme.name}/short times", network(mixed(), queue | times)
        for name, value in variants(scheme.params):
            changed = {**queue, **BESIDE.get(name, {}), name: value}
            yield f"scheme/{scheme.name}/{name}={_text(value)}", network(mixed(ecn=changed.get("ecn", False)), changed)
    for scheme_name in ("dualpi2", "dual-curvy-red"):
        queue = {"scheme": scheme_name, "limit": "200p", "l_dscp": ["NQB"], "c_dscp": ["AF11"]}
        yield f"scheme/{scheme_name}/fields of the other queue", network(OTHER_FIELDS, queue)
    cake = {"scheme": "cake", "limit": "200p"}
    for word in ("conservative", "aggressive"):
        uplink = {"rate": "250kbit", "queue": cake | {"bandwidth": "200kbit", "ack_filter": word}, "watch": True}
        yield f"scheme/cake/ACKs, {word}", network(mixed(ecn=True), cake, reverse=uplink)
    ingress = cake | {"bandwidth": "8Mbit", "ingress": True, "wash": True, "ecn": False}
    yield "scheme/cake/shaped, ingress=true", network(mixed(), ingress)
    for ecn in (False, True):
        queue = {"scheme": RecordedAqm.scheme, "limit": "50p", "ecn": ecn}
        yield f"law in Python/ecn={_text(ecn)}", network(mixed(ecn=ecn), queue)


OTHER_FIELDS: Final[Tree] = {
    f"{ecn}-{dscp}": {"kind": "poisson", "rate": "2Mbit", "packet": "500B", "ecn": ecn, "dscp": dscp}
    for ecn, dscp in (("ect1", 0), ("ect1", "AF11"), ("ce", "AF11"), ("ect0", "NQB"), ("not", "NQB"), ("not", 0))
}
"""Datagrams whose code point and ECN field select different queues, and others."""

CHANGING_LOAD: Final[Tree] = {
    "transfers": {"kind": "onoff", "count": 6, "on": {"packets": {"exp": 80}}, "off": {"exp": "1500ms"}},
    "web": {"kind": "web", "sessions": 6, "pages": {"exp": "2s"}, "profile": "linux", "flavour": "cubic"},
    "voice": {"kind": "onoff", "over": "udp", "on": {"exp": "1s"}, "off": {"exp": "1s"}, "rate": "300kbit",
              "packet": "200B", "dscp": "EF"},
    "in": {"kind": "onoff", "over": "udp", "on": "500ms", "off": "1700ms", "rate": "4Mbit", "packet": "1000B",
           "dscp": "AF11"},
}  # fmt: skip
"""Traffic that lets queues fill and run empty at intervals from some round trips to seconds."""


def _is_time(param: Param) -> bool:
    return param.kind == "time" and isinstance(param.default, dict)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


MARKING: Final = {"scheme": "red", "limit": "60p", "min_th": 5, "max_th": 20, "ecn": True}

TCP: Final[Mapping[str, Tree]] = {
    "ACKs": {"flavour": "cubic", "profile": "linux", "quick_acks": 4, "quick_gap": 2, "write": "3000B",
             "sack_delay": "5ms", "timer_tick": "4ms", "sack_blocks": 1, "sack_block_size": "12B", "ack_size": "52B"},
    "timeouts": {"flavour": "newreno", "min_rto": "1s", "initial_rto": "1s", "max_rto": "2s", "tick": "50ms",
                 "phase": "10ms", "delayed_ack": "100ms", "dupack_threshold": 5, "initial_window": 4, "window": 50},
    "trains": {"flavour": "cubic", "profile": "linux", "pacing": True, "offload_time": "3ms", "offload_max": "8000B",
               "gro": "2ms", "gro_max": "6000B"},
    "stretch ACKs": {"flavour": "cubic", "profile": "linux", "quick_acks": 0, "ack_every": 4},
    "vegas": {"flavour": "vegas", "alpha": 3, "beta": 6, "gamma": 2, "initial_ssthresh": 20},
    "ledbat": {"flavour": "ledbat", "profile": "linux", "target": "25ms", "gain": 0.5},
    "bbr": {"flavour": "bbr", "profile": "linux", "margin": 0.1, "packet": "500B", "headers": "20B"},
}  # fmt: skip
"""Numbers of TCP that differ from every profile."""


def _of_tcp() -> Iterator[tuple[str, Tree]]:
    keys = tcp_keys()
    for flavour in keys.flavours:
        for profile in keys.profiles:
            own = {"flavour": flavour, "profile": profile}
            yield f"tcp/{flavour}/{profile}", _lossy(own)
            yield f"tcp/{flavour}/{profile}/ecn", network({"bulk": _bulk(own | {"ecn": True})}, MARKING)
            moving = network({"bulk": _bulk(own)}, DROPTAIL, "8s", **CHANGING_PATH)
            yield f"tcp/{flavour}/{profile}/changing path", moving
            for recovery in ("ns2", "rfc"):
                yield f"tcp/{flavour}/{profile}/recovery={recovery}", _lossy(own | {"recovery": recovery}, "15p")
    params = tuple(param for param in keys.params if param.name not in ("flavour", "recovery", "ecn"))
    windows = {"ns2": 20, "linux": 4096}
    for flavour in ("newreno", "sack", "cubic"):
        for profile, window in windows.items():
            for name, value in variants(params, profile):
                head: Tree = {"flavour": flavour, "profile": profile, "window": window}
                own = {**head, **BESIDE.get(name, {}), name: value}
                yield f"tcp/{flavour}/{profile}/{name}={_text(value)}", _lossy(own)
    for flavour in keys.flavours:
        for hystart in ("off", "on", "++") if flavour in ("sack", "cubic") else ("off",):
            flow: Tree = {"flavour": flavour, "profile": "linux", "hystart": hystart, "count": 1}
            large = network({"bulk": _bulk(flow)}, {**DROPTAIL, "limit": "300p"}, "4s", rate="20Mbit", delay="40ms")
            yield f"tcp/{flavour}/alone with hystart={hystart}", large
            short = network({"bulk": _bulk(flow)}, {**DROPTAIL, "limit": "300p"}, "2s", rate="5Mbit", delay="8ms")
            yield f"tcp/{flavour}/alone on a short path with hystart={hystart}", short
    for hystart in ("on", "++"):
        many = {"kind": "tcp", "bytes": {"exp": "80kB"}, "arrivals": {"exp": "80ms"}, "window": 1000}
        many |= {"flavour": "cubic", "profile": "linux", "hystart": hystart}
        yield f"tcp/cubic/transfers with hystart={hystart}", network({"own": many}, {"scheme": "droptail"}, "20s")
    for name, own in TCP.items():
        yield f"tcp/other {name}", _lossy(own)
    for flavour in ("newreno", "sack", "cubic"):
        capable: Tree = {"flavour": flavour, "profile": "ns2", "window": 100, "ecn": True, "ecn_control": True}
        slow = {"rate": "200kbit", "queue": MARKING, "watch": True}
        yield f"tcp/{flavour}/ECN-capable ACKs", network({"bulk": _bulk(capable)}, MARKING, reverse=slow)
    for flavour in keys.flavours:
        own = {"flavour": flavour, "profile": "linux"}
        yield f"tcp/{flavour}/slow link", network({"bulk": _bulk(own)}, DROPTAIL, "15s", rate="1Mbit", delay="40ms")
        # Idle for longer than a timeout, then more than a window, then less.
        writes = [["0s", "30kB"], ["2s", "60kB"], *([f"{2500 + 20 * i}ms", "4kB"] for i in range(40)), ["6s", "90kB"]]
        limited: Tree = own | {"writes": writes}
        yield (
            f"tcp/{flavour}/limited by the application",
            network({"own": _bulk(limited)}, DROPTAIL, "8s", delay="20ms"),
        )
    for flavour in ("bbr", "bbr3"):
        # Long enough for several probes of the round trip, which leave few packets in flight.
        own = {"flavour": flavour, "profile": "linux"}
        probed = network({"bulk": _bulk(own)}, {"scheme": "codel", "limit": "100p"}, "25s", rate="1Mbit", delay="5ms")
        yield f"tcp/{flavour}/probes of the round trip", probed


CHANGING_PATH: Final[Tree] = {
    "change": [{"every": "700ms", "rate": {"uniform": ["2Mbit", "10Mbit"]}, "delay": {"uniform": ["5ms", "60ms"]}}],
    "outage": [{"at": "2s", "for": "800ms"}, {"at": "5s", "for": "50ms"}],
    "reorder": {"rate": 0.01, "delay": {"uniform": ["1ms", "20ms"]}},
    "jitter": {"exp": "1ms"},
    "loss": {"gilbert": {"p": 0.002, "r": 0.2}},
}
DROPTAIL: Final = {"scheme": "droptail", "limit": "50p"}


def _bulk(own: Tree) -> Tree:
    return {"kind": "tcp", "count": 3, "watch": True, **own}


def _lossy(own: Tree, limit: str = "25p") -> Tree:
    """TCP flows through a small queue that also loses packets at random, and loses ACKs in the reverse direction."""
    back = {"loss": {"rate": 0.01}}
    return network({"bulk": _bulk(own)}, {**DROPTAIL, "limit": limit}, loss={"rate": 0.005}, reverse=back)


SOURCES: Final[Mapping[str, Tree]] = {
    "requirements": {"kind": "cbr", "rate": "3Mbit", "packet": "1000B", "phase": "random",
                     "qoo": {"delays": {"90%": ["20ms", "80ms"], "99.9%": ["30ms", "1s"]}, "loss": [0, 0.5],
                             "throughput": "1Mbit"}},
    "cbr of L4S": {"kind": "cbr", "rate": "2Mbit", "packet": "200B", "ecn": "ect1"},
    "equal writes": {"kind": "tcp", "count": 3, "write": "20kB", "write_every": "50ms", "flavour": "cubic",
                     "profile": "linux"},
    "transfers of writes": {"kind": "tcp", "bytes": {"exp": "80kB"}, "arrivals": {"exp": "200ms"}, "write": "5kB",
                            "write_rate": "1Mbit", "flavour": "cubic", "profile": "linux"},
}  # fmt: skip
"""Datagrams with requirements and of L4S, and TCP whose application writes at given times."""


def _of_traffic(folder: Path) -> Iterator[tuple[str, Tree]]:
    recorded = folder / "recorded.pcap"
    _write_pcap(recorded)
    _write_pcap(fields := folder / "fields.pcap", with_headers=True)
    sizes = folder / "sizes.cdf"
    sizes.write_text("1kB,0.2\n5kB,0.5\n100kB,1\n", encoding="utf-8")
    linux = {"flavour": "cubic", "profile": "linux"}
    groups: Mapping[str, Tree] = {
        "transfers": {"kind": "tcp", "bytes": {"cdf": "web-search"}, "arrivals": {"exp": "50ms"}, **linux,
                      "classes": ["10kB", "100kB"]},
        "transfers of a file": {"kind": "tcp", "bytes": {"file": str(sizes)}, "load": "4Mbit", "ecn": True},
        "transfers one by one": {"kind": "tcp", "count": 2, "packets": {"list": [3, 40, 200]}, **linux},
        "cbr": {"kind": "cbr", "rate": "3Mbit", "packet": "300B", "phase": "random", "jitter": 0.5, "ecn": True},
        "call": {"kind": "cbr", "count": 3, "rate": "80kbit", "packet": "172B", "phase": "random", "call": "g711"},
        "call without concealment": {"kind": "cbr", "rate": "24kbit", "packet": "32B", "call": "g729a"},
        "call over a plain codec": {"kind": "cbr", "rate": "80kbit", "packet": "172B", "call": "g711-plain"},
        "measured flows": {"kind": "tcp", "count": 3, "delays": True, **linux},
        "measured pages": {"kind": "web", "sessions": 10, "pages": {"exp": "500ms"}, "objects": 5, "gap": "10ms",
                           "delays": True, **linux},
        "measured transfers": {"kind": "tcp", "bytes": {"exp": "30kB"}, "arrivals": {"exp": "50ms"}, "delays": True},
        "cbr with headers": {"kind": "cbr", "rate": "2Mbit", "packet": "200B", "headers": "58B", "dscp": 10},
        "poisson": {"kind": "poisson", "rate": {"uniform": ["1Mbit", "3Mbit"]}, "packet": {"exp": "500B"},
                    "headers": "40B", "ecn": True},
        "fec": {"kind": "fec", "k": 10, "h": 2, "rate": "1Mbit", "packet": "1000B"},
        "fec at constant gaps": {"kind": "fec", "k": 4, "h": 3, "rate": "1Mbit", "packet": "500B", "headers": "40B",
                                 "spacing": "constant", "phase": "random", "ecn": True},
        "video": {"kind": "video", "rate": "2Mbit", "fps": 25},
        "dependent video": {"kind": "video", "rate": "3Mbit", "gop": "IPPP", "sizes": {"I": 8, "P": 1}, "adu": "gop",
                             "dependence": True, "phase": "random", "variation": 0.6, "packet": "500B",
                             "headers": "40B", "ecn": True},
        "onoff over udp": {"kind": "onoff", "over": "udp", "on": {"exp": "100ms"},
                           "off": {"pareto": "100ms", "shape": 1.5}, "rate": "5Mbit", "packet": "300B", "count": 3},
        "onoff of packets": {"kind": "onoff", "over": "udp", "on": {"packets": {"uniform": [5, 50]}}, "off": "20ms",
                             "rate": "5Mbit", "packet": "300B", "phase": "random"},
        "onoff over tcp": {"kind": "onoff", "on": {"packets": {"exp": 30}}, "off": {"exp": "50ms"}, "count": 3},
        "web": {"kind": "web", "sessions": 30, "pages": {"pareto": "500ms", "shape": 2.0}, **linux},
        "web with option 0": {"kind": "web", "sessions": 20, "pages": {"exp": "400ms"}, "gap": "20ms", "objects": 3,
                          "size": {"exp": "20kB"}, "request": "500B", "option": 0},
        "incast": {"kind": "incast", "to": "D0", "senders": 6, "bytes": "30kB", "every": "200ms", **linux},
        "incast with pauses": {"kind": "incast", "to": "D0", "senders": 4, "packets": {"uniform": [2, 20]},
                           "pause": {"exp": "20ms"}},
        "replay": {"kind": "replay", "file": str(recorded), "count": 2, "headers": "40B", "ecn": True},
        "replay with recorded fields": {"kind": "replay", "file": str(fields)},
        **SOURCES,
        "starts": {"kind": "tcp", "count": 6, "start": {"first": "100ms", "every": "200ms", "jitter": "50ms"},
                   "stop": "2s"},
    }  # fmt: skip
    for name, table in groups.items():
        yield f"traffic/{name}", network({"own": table, "bulk": _bulk({"window": 30})}, DROPTAIL)
        yield f"traffic/{name}/xred", network({"own": table}, {"scheme": "xred", "limit": "50p"}, "2s", rate="4Mbit")


def _of_probes() -> Iterator[tuple[str, Tree]]:
    probes = {"kind": "tcp", "packets": 1, "arrivals": "50ms", "rpm_of": ["bulk"]}
    yield "traffic/probes", network({"own": probes, "bulk": _bulk({"window": 30})}, DROPTAIL)


def _write_pcap(file: Path, *, with_headers: bool = False) -> None:
    """Bursts of raw IP packets; `with_headers` adds the first bytes of headers, with each ECN field in turn."""
    header = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    packets = [(i * 4_000_000 + i % 5 * 100_000, 60 + i * 37 % 1400) for i in range(400)]
    starts = [bytes([0x45, i % 3 << 5 | i % 4]) if with_headers else b"" for i in range(400)]
    records = [
        struct.pack("<IIII", t // 10**9, t % 10**9, len(start), size) + start
        for (t, size), start in zip(packets, starts, strict=True)
    ]
    file.write_bytes(header + b"".join(records))


def _of_links(folder: Path) -> Iterator[tuple[str, Tree]]:
    trace = folder / "trace.mahi"
    trace.write_text("".join(f"{i * 7 // 5 + i % 3}\n" for i in range(3, 900, 3)), encoding="utf-8")
    rates = folder / "rates.csv"
    rates.write_text("seconds,Mbit/s\n0,12\n0.5,3.25\n1,0\n1.25,8\n", encoding="utf-8")
    codel = {"scheme": "codel", "limit": "200p"}
    features: Mapping[str, Tree] = LINK_PROPERTIES | {
        "loss": {"loss": {"rate": 0.02}},
        "loss of arrivals": {"loss": {"arrivals": [14, 28, 29, 200]}},
        "loss in bursts": {"loss": {"gilbert": {"p": 0.01, "r": 0.3}}},
        "loss in both states": {"loss": {"gilbert": {"p": 0.02, "r": 0.2, "good": 0.001, "bad": 0.7}}},
        "jitter": {"jitter": {"exp": "2ms"}},
        "reorder": {"reorder": {"rate": 0.02, "delay": "5ms"}},
        "reorder at random": {"reorder": {"rate": 0.05, "delay": {"uniform": ["1ms", "9ms"]}}, "jitter": "1ms"},
        "outage": {"outage": [{"at": "500ms", "for": "300ms"}, {"at": "2s", "for": "100ms"}]},
        "change": {"change": [{"every": "200ms", "rate": {"uniform": ["2Mbit", "15Mbit"]}}]},
        "change of delay": {"change": [{"at": "1s", "delay": "1ms"}, {"at": "2s", "delay": "30ms", "rate": "5Mbit"}]},
        "capacity": {"change": [{"capacity": str(trace)}]},
        "rates": {"change": [{"rates": str(rates)}]},
        "capacity and delay": {"change": [{"capacity": str(trace)}, {"every": "300ms", "delay": {"exp": "10ms"}}]},
        "device_queue": {"device_queue": 3},
        "device_queue in bytes": {"device_queue": "9kB", "change": [{"at": "1s", "rate": "3Mbit"}]},
        "device_queue below a shaper": {"device_queue": 3, "edge": [{"kind": "shaper", "rate": "9Mbit"}]},
        "rtt": {"rtt": "150ms"},
        "reverse": {
            "reverse": {
                "rate": "300kbit", "delay": "20ms", "queue": "same", "watch": True, "loss": {"rate": 0.01},
                "jitter": {"exp": "1ms"}, "reorder": {"rate": 0.02, "delay": "3ms"}, "device_queue": 2,
                "outage": [{"at": "1s", "for": "200ms"}], "change": [{"at": "2s", "rate": "1Mbit"}],
            }
        },
        "shaper": {"edge": [{"kind": "shaper", "rate": "8Mbit"}],
                   "reverse": {"edge": [{"kind": "shaper", "rate": "250kbit"}]}},
    }  # fmt: skip
    for name, settings in features.items():
        yield f"link/{name}", network(mixed(), codel, **settings)
        for scheme in ("pie", "red:w_q=auto_rtt", "fq-codel", "dualpi2"):
            queue = {**parse_queue(scheme, ""), "limit": "80p"}
            yield f"link/{name}/{scheme}", network(mixed(ecn=True), queue, **settings)
    step = {**parse_queue("red:min_th=20,max_th=20,mark_up_to=always,ecn=true", ""), "limit": "80p"}
    yield "link/red as a step", network(mixed(ecn=True), step)
    yield "link/classes", network(mixed(), CLASSES)
    yield "link/route", _several_hops()
    for sampling in ("1ms", "70ms"):
        yield f"link/sampling={sampling}", network(mixed(), codel) | {"sampling": sampling, "warmup": "1s"}


CLASSES: Final = {
    "scheme": "cbq",
    "classes": [
        {**EF, "share": 0.2, "mean_packet": "200B", "queue": {"scheme": "codel", "limit": "20p"}},
        {"name": "data", "share": 0.8, "mean_packet": "1000B", "queue": {"scheme": "red", "limit": "50p"}},
    ],
}


def _several_hops() -> Tree:
    """Three bottlenecks in a row; long flows over all of them and short ones over each."""
    links = {
        f"hop{i}": {"from": f"R{i}", "to": f"R{i + 1}", "rate": f"{8 + i}Mbit", "delay": f"{5 + i}ms", "watch": True,
                    "queue": {"scheme": scheme, "limit": "40p"}}
        for i, scheme in enumerate(("codel", "dtdrr", "red"))
    }  # fmt: skip
    links["detour"] = {"from": "R0", "to": "R3", "rate": "3Mbit", "delay": "50ms"}
    groups: Tree = {
        f"cross{i}": {"kind": "tcp", "count": 2, "flavour": "sack", "from": f"R{i}", "to": f"R{i + 1}"}
        for i in range(3)
    }
    groups["long"] = {"kind": "tcp", "count": 3, "profile": "linux", "from": "R0", "to": "R3"}
    groups["around"] = {"kind": "tcp", "from": "R0", "to": "R3", "path": ["R0", "R3"]}
    groups["back"] = {"kind": "cbr", "rate": "500kbit", "packet": "200B", "from": "R3", "to": "R0"}
    flows = {name: _sender(table) | table for name, table in groups.items()}
    return {"duration": "3s", "links": links, "traffic": flows}


def _of_conditioners() -> Iterator[tuple[str, Tree]]:
    rio = {"scheme": "rio", "limit": "100p"}
    for conditioner in conditioners():
        needed = [CONDITIONED[param.name] for param in conditioner.params if param.required]
        edge = {"kind": conditioner.name}
        for settings in needed:
            edge |= settings
        yield f"edge/{conditioner.name}", network(mixed(), rio, edge=[edge])
        for name, value in variants(conditioner.params):
            changed = edge | {name: value, **(BESIDE.get(name, {}) if name.startswith("pir") else {})}
            yield f"edge/{conditioner.name}/{name}={_text(value)}", network(mixed(), rio, edge=[changed])
    chain = [{"kind": "srtcm", "rate": "2Mbit", "red": "drop"}, {"kind": "shaper", "rate": "8Mbit", "burst": "5kB"}]
    yield "edge/chain", network(mixed(), {"scheme": "wred", "limit": "50p"}, edge=chain)


SCENARIOS: Final = Path(__file__).resolve().parents[2] / "scenarios"


def _of_files() -> Iterator[tuple[str, Tree]]:
    """The first seconds of the scenario files, and of a thousand flows, for which the queue of events has more rows."""
    for file in sorted(SCENARIOS.glob("*.toml")):
        if file.stem == "chung_step_load":
            continue  # its flows start after minutes
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
        yield f"file/{file.stem}", tree | {"duration": "5s", "warmup": "500ms"}
    many = {"kind": "tcp", "count": 1000, "flavour": "sack", "window": 20, "start": {"uniform": ["0s", "1s"]}}
    for scheme in ("droptail", "red", "fq-codel", "qsdrr"):
        yield f"file/1000 flows/{scheme}", network({"bulk": many}, {"scheme": scheme, "limit": "900p"}, rate="80Mbit")
