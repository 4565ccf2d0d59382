"""The numbers of a real run, in the format of a simulated run, from the reports of the senders and the link."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from penstock.link.outcome import has_quality_of_outcome, quality_of_outcome
from penstock.link.traffic import FIRST_PORT, RealTraffic
from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.codepoints import codepoint_name, distinct_codepoints

__all__ = ["real_run_result"]

_PROTOCOLS = {True: 6, False: 17}
"""Protocol numbers of TCP and UDP, by whether a group uses TCP."""

_KERNEL_COUNTS = ("sent_pkts", "retransmitted_pkts", "delivered_pkts", "delivered_ce_pkts", "open_s", "starved_s")

MAX_STARVED = 0.02
"""Largest share of the time for which an endless flow may have nothing to send because its thread did not run."""

MAX_LATE_S = 1e-3
"""Largest mean time in seconds by which the datagrams of a flow may be sent late."""

_QUANTILES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))


def real_run_result(
    resolved: Resolved,
    traffic: RealTraffic,
    addresses: Mapping[str, str],
    sent: Mapping[str, Any],
    link: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    """The result of a run: `seed`, `links`, `traffic` with flows, `dscp`, `fairness`, and of real runs `kernel`, ...

    `sent` is the report of the senders, `link` the result of the link.
    """
    seconds = (resolved.canonical["duration_ns"] - resolved.canonical["warmup_ns"]) * 1e-9
    counts = _counts(link["flows"])
    watched = _Watched.from_scenario(resolved)
    metrics: dict[str, Any] = {}
    kernel: dict[str, Any] = {}
    goodputs = []
    flows = list(zip(range(len(sent["flows"])), sent["flows"], strict=True))
    for number, group in enumerate(resolved.canonical["traffic"]):
        rows = []
        mine = [(port, flow) for port, flow in flows if flow["group"] == number]
        for index, flow in mine:
            target = addresses[group["to"][flow["copy"] % len(group["to"])]]
            ends = target, FIRST_PORT + index, _PROTOCOLS["tcp" in group]
            rows.append(_flow(flow, counts.get(ends, {}), seconds, watched.share(group, flow["copy"]), resolved))
        metrics[group["name"]] = _group(group, mine, rows, sent["delays"][number], resolved)
        goodputs += [row["goodput_bps"] for row in rows]
        kernel_states = [flow["kernel"] for _, flow in mine if flow["kernel"] is not None]
        if kernel_states:
            settings = traffic.tcp[number]
            kernel[group["name"]] = {
                "congestion_control": settings and settings.congestion_control,
                **_kernel(kernel_states),
                "flows": [flow["kernel"] for _, flow in mine],
            }
    links = {name: dict(values) for name, values in link["links"].items()}
    for name, values in links.items():
        _put(values, "jain", _jain([row["goodput_bps"] for row in watched.rows(name, resolved, metrics)]))
    fairness = {} if (jain := _jain(goodputs)) is None else {"jain": jain}
    starved = list(_starved(resolved, sent["flows"]))
    keys = ("lateness", "lost_before_queue", "starved", "scheduling")
    return {
        "seed": seed,
        "links": links,
        "traffic": metrics,
        **_codepoints(resolved.canonical["traffic"], metrics, sent),
        "fairness": fairness,
        "kernel": kernel,
        **{key: link[key] for key in keys if key in link},
        "valid": link["valid"] and not starved,
        "invalid_because": [*link["invalid_because"], *starved],
    }


def _starved(resolved: Resolved, flows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Reasons why senders did not offer the scenario's traffic: endless flows without data to send, late datagrams."""
    for number, group in enumerate(resolved.canonical["traffic"]):
        sent = [flow["datagrams"] for flow in flows if flow["group"] == number and flow["datagrams"] is not None]
        late = max((datagrams["late_mean_s"] for datagrams in sent), default=0.0)
        if late > MAX_LATE_S:
            yield f"datagrams of traffic.{group['name']} were sent {1e3 * late:.1f} ms late on average"
        settings = group.get("tcp", {}).get("settings", {})
        if group["kind"] != "tcp" or "transfers" in group or {"packets", "bytes"} & settings.keys():
            continue
        senders = [flow["kernel"] for flow in flows if flow["group"] == number and flow["kernel"] is not None]
        worst = max((sender["starved_s"] / sender["open_s"] for sender in senders if sender["open_s"]), default=0.0)
        if worst > MAX_STARVED:
            yield f"a sender of traffic.{group['name']} waited for a processor for {100 * worst:.1f} % of the time"


def _counts(flows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int, int], dict[str, int]]:
    """The link's counts by destination, its port and the protocol; connections of a session together."""
    counts: dict[tuple[str, int, int], dict[str, int]] = {}
    for flow in flows:
        sums = counts.setdefault((flow["dst"], flow["dst_port"], flow["protocol"]), {})
        for key in ("arrivals", "drops", "marks", "crossed_bits"):
            sums[key] = sums.get(key, 0) + flow[key]
    return counts


class _Watched:
    """The watched links on the routes of flows."""

    def __init__(self, rates: Mapping[str, float], routes: Mapping[tuple[str, int], list[str]]) -> None:
        self._rates, self._routes = rates, routes
        first = [next((name for name in route if name in rates), None) for route in routes.values()]
        self._first = dict(zip(routes, first, strict=True))
        self._crossing = {name: first.count(name) for name in rates}

    @classmethod
    def from_scenario(cls, resolved: Resolved) -> _Watched:
        links = resolved.canonical["links"]
        rates = {link["name"]: link["rate"] for link in links if link["watch"]}
        routes = {}
        for group in resolved.canonical["traffic"]:
            for copy in range(group["count"]):
                source, target = (group[end][copy % len(group[end])] for end in ("from", "to"))
                routes[group["name"], copy] = resolved.route(source, target, group["path"])
        return cls(rates, routes)

    def share(self, group: Mapping[str, Any], copy: int) -> float | None:
        """The fair share of a flow, in bit/s, of the first watched link on its route; None if its rate is drawn."""
        first = self._first[group["name"], copy]
        if first is None or not isinstance(self._rates[first], (int, float)):
            return None
        return self._rates[first] / self._crossing[first]

    def rows(
        self, link: str, resolved: Resolved, metrics: Mapping[str, Mapping[str, Any]]
    ) -> Iterable[Mapping[str, Any]]:
        """The flows whose data crosses a link."""
        for group in resolved.canonical["traffic"]:
            for copy, row in enumerate(metrics[group["name"]]["flows"]):
                if link in self._routes[group["name"], copy]:
                    yield row


def _flow(
    flow: Mapping[str, Any], counts: Mapping[str, int], seconds: float, share: float | None, resolved: Resolved
) -> dict[str, Any]:
    """The metrics of a flow. Packets are the packets that arrived at the first queue, as counted by the link."""
    kernel, datagrams = flow["kernel"], flow["datagrams"]
    sent = datagrams["sent_pkts"] if datagrams else counts.get("arrivals", 0)
    lost = datagrams["lost_pkts"] if datagrams else counts.get("drops", 0)
    row: dict[str, Any] = {"sent_pkts": sent, "lost_pkts": lost}
    if sent:
        row["loss_rate"] = lost / sent
    row["goodput_bps"] = flow["goodput_bps"]
    row["throughput_bps"] = counts.get("crossed_bits", 0) / seconds
    if share is not None:
        row["fair_share"] = flow["goodput_bps"] / share
    if kernel:
        row |= {key: kernel[key] for key in ("retransmitted_pkts", "srtt_mean_s", "cwnd_mean_pkts")}
    times = _completions(flow, resolved)
    if len(times) == 1:
        row["completion_s"] = times[0]
    return row


def _completions(flow: Mapping[str, Any], resolved: Resolved) -> list[float]:
    """Times of the transfers that ended after the warm-up and before the end."""
    window = resolved.canonical["warmup_ns"] * 1e-9, resolved.canonical["duration_ns"] * 1e-9
    return [seconds for at, seconds in flow["completions"] if window[0] <= at < window[1]]


def _group(
    group: Mapping[str, Any],
    flows: Sequence[tuple[int, Mapping[str, Any]]],
    rows: list[dict[str, Any]],
    delays: Mapping[str, float] | None,
    resolved: Resolved,
) -> dict[str, Any]:
    """Counts and rates of a group are sums over its flows, other metrics means over the flows that have them."""
    metrics = _sums(rows)
    _put(metrics, "fair_share", _mean(row.get("fair_share") for row in rows))
    _put(metrics, "jain", _jain([row["goodput_bps"] for row in rows]))
    if "tcp" in group:
        metrics["retransmitted_pkts"] = sum(row.get("retransmitted_pkts", 0) for row in rows)
        for key in ("srtt_mean_s", "cwnd_mean_pkts"):
            _put(metrics, key, _mean(row.get(key) for row in rows))
        times = sorted(seconds for _, flow in flows for seconds in _completions(flow, resolved))
        if times:
            metrics["completion_mean_s"] = math.fsum(times) / len(times)
            for name, share in _QUANTILES:
                metrics[f"completion_{name}_s"] = times[max(math.ceil(share * len(times)) - 1, 0)]
            metrics["completed"] = len(times)
    else:
        metrics |= _delays([flow for _, flow in flows], delays)
    if has_quality_of_outcome(group):
        _put(metrics, "qoo", quality_of_outcome(group["qoo"], metrics, _mean(row["goodput_bps"] for row in rows)))
    return metrics | {"flows": rows}


def _sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all traffic has."""
    sums: dict[str, Any] = {"count": len(rows)}
    for key in ("sent_pkts", "lost_pkts"):
        sums[key] = sum(row[key] for row in rows)
    if sums["sent_pkts"]:
        sums["loss_rate"] = sums["lost_pkts"] / sums["sent_pkts"]
    for key in ("goodput_bps", "throughput_bps"):
        sums[key] = math.fsum(row[key] for row in rows)
    return sums


def _delays(flows: Sequence[Mapping[str, Any]], delays: Mapping[str, float] | None) -> dict[str, float]:
    """The delays of the datagrams of flows, and their jitter: the mean over all pairs of successive datagrams."""
    metrics = dict(delays or {})
    datagrams = [flow["datagrams"] for flow in flows if flow["datagrams"] is not None]
    jitters = [(counts["jitter_mean_s"], counts["received_pkts"] - 1) for counts in datagrams]
    weighted = [(jitter, weight) for jitter, weight in jitters if jitter is not None]
    if weighted:
        metrics["jitter_mean_s"] = sum(jitter * weight for jitter, weight in weighted) / sum(w for _, w in weighted)
    return metrics


def _codepoints(
    groups: Sequence[Mapping[str, Any]], metrics: Mapping[str, Mapping[str, Any]], sent: Mapping[str, Any]
) -> dict[str, Any]:
    """Metrics of all traffic sent with each codepoint; empty if there is only one codepoint."""
    metrics_of = {}
    for codepoint in distinct_codepoints(groups):
        mine = [number for number, group in enumerate(groups) if group["dscp"] == codepoint]
        rows = [row for number in mine for row in metrics[groups[number]["name"]]["flows"]]
        flows = [flow for flow in sent["flows"] if flow["group"] in mine]
        delays = sent["codepoint_delays"].get(str(codepoint))
        metrics_of[codepoint_name(codepoint)] = _sums(rows) | _delays(flows, delays)
    return {"dscp": metrics_of} if len(metrics_of) > 1 else {}


def _kernel(flows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The state of the senders of a group: sums of counts, the minimum of the smallest times, means of the rest."""
    state: dict[str, Any] = {"ecn": all(flow["ecn"] for flow in flows)}
    for key in flows[0]:
        if key in _KERNEL_COUNTS:
            state[key] = sum(flow[key] for flow in flows)
        elif key == "rtt_min_s":
            state[key] = min(flow[key] for flow in flows)
        elif key not in ("ecn", "samples"):
            _put(state, key, _mean(flow[key] for flow in flows))
    return state


def _put(metrics: dict[str, Any], key: str, value: float | None) -> None:
    if value is not None:
        metrics[key] = value


def _mean(values: Iterable[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return math.fsum(present) / len(present) if present else None


def _jain(values: Sequence[float]) -> float | None:
    """Jain's index; None if nothing was delivered."""
    squares = math.fsum(value**2 for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else None
