"""Settings that are legal but do not suit a link: each warning states the reason, its source, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.aqms.red_thresholds import automatic_threshold
from penstock.explain.traffic_warnings import WarningTexts, traffic_warnings, unfilled_queue_warnings
from penstock.model import design
from penstock.results.run_table import RunTable
from penstock.scenario.budget.estimate import offered_streams
from penstock.scenario.loaded_link import LoadedLink, queue_table
from penstock.scenario.resolve import Resolved
from penstock.units import UnitError, format_rate, parse_length, parse_size, parse_time

__all__ = [
    "LinkWarning",
    "average_seconds",
    "lost_setting_warnings",
    "queue_warnings",
    "rate_mismatch_warnings",
    "scenario_warnings",
    "unfilled_link_warnings",
]

SHORTEST_AUTO_RTT_S = 0.1
"""The smallest round trip of w_q = "auto_rtt"."""

LONG_BUFFER_S = 1.0
"""A full buffer that takes longer than this to drain."""

ROUNDED_RATE = 1e-3
"""Rates that differ by less count as equal, since they may be rounded."""


@dataclass(frozen=True)
class LinkWarning:
    """A warning about the queue of a link.

    Attributes:
        place: the link.
        name: short name of the warning.
        message: the fact, with its numbers.
        advice: what to do.
        source: paper or RFC with section; empty for plain arithmetic.

    """

    place: str
    name: str
    message: str
    advice: str
    source: str

    @property
    def text(self) -> str:
        """The warning in one line: place, message, advice and source."""
        source = f" ({self.source})" if self.source else ""
        return f"{self.place}: {self.message}; {self.advice}{source}"

    def to_dict(self) -> dict[str, str]:
        """The warning as it appears in JSON."""
        return {
            "place": self.place,
            "name": self.name,
            "says": self.message,
            "advice": self.advice,
            "source": self.source,
        }


@dataclass(frozen=True)
class _Queue:
    """The settings of a queue as shown, on its link."""

    link: LoadedLink
    table: Mapping[str, Any]

    @property
    def scheme(self) -> str:
        return str(self.table["scheme"])

    def seconds(self, name: str) -> float | None:
        """A time of the table; None if it has none."""
        try:
            return parse_time(self.table[name]) / 1e9
        except (KeyError, UnitError):
            return None

    def packets(self, name: str) -> float | None:
        """A length in packets, the smallest of a list; None if it is not a number of packets or bytes."""
        value = self.table.get(name)
        if isinstance(value, list):
            return min((float(number) for number in value), default=None)
        try:
            length = automatic_threshold(name, self.table, self.link.rate_bps) or parse_length(value)
        except UnitError:
            return float(value) if isinstance(value, (int, float)) else None
        amount = float(length.amount)
        return {"packets": amount, "bytes": amount / self.link.packet_bytes}.get(length.unit)

    def weight(self) -> float | None:
        """RED's w_q; the words choose a time constant T at mean packets: 1 - exp(-1 / (C T)) (algorithm/red.rs)."""
        value = self.table.get("w_q")
        constants = {"auto": 1.0, "auto_rtt": 10 * max(self.link.rtt_s, SHORTEST_AUTO_RTT_S), "auto_fast": 0.1}
        if isinstance(value, str) and value in constants:
            size = float(parse_size(self.table.get("mean_packet", "1000B")))
            return -math.expm1(-8 * size / (self.link.rate_bps * constants[value]))
        return float(value) if isinstance(value, (int, float)) and 0 < value < 1 else None


def average_seconds(link: LoadedLink, table: Mapping[str, Any]) -> tuple[float, float] | None:
    """RED's w_q and the time constant of its average in seconds, at full rate; None without an average."""
    weight = _Queue(link, table).weight()
    return None if weight is None else (weight, -link.packet_s / math.log1p(-weight))


def queue_warnings(link: LoadedLink, table: Mapping[str, Any]) -> list[LinkWarning]:
    """The warnings about a queue, its settings as `check` shows them, on a link that endless TCP flows cross."""
    queue = _Queue(link, table)
    return [LinkWarning(link.place, *texts) for check in _CHECKS for texts in check(queue)]


def scenario_warnings(resolved: Resolved, places: Sequence[str] | None = None) -> list[LinkWarning]:
    """Warnings about the queues and the traffic of these links; by default, of the watched links.

    If the reverse direction of a link has the same queue and data cross it, that direction is also checked.
    """
    warnings: list[LinkWarning] = []
    streams = list(offered_streams(resolved))
    for place in _both_directions(resolved, resolved.watched if places is None else places):
        table = queue_table(resolved, place)
        if not isinstance(table, Mapping) or not _has_plain_rate(resolved, place):
            continue
        link = LoadedLink.from_scenario(resolved, place)
        warnings += [LinkWarning(place, *texts) for texts in traffic_warnings(streams, place, table, link.rate_bps)]
        if link.has_tcp_flows:
            warnings += queue_warnings(link, table)
    return warnings


def unfilled_link_warnings(resolved: Resolved, links: Mapping[str, Mapping[str, Any]]) -> list[LinkWarning]:
    """Warnings about links that no traffic filled, from the metrics of a run by link."""
    places = [place for place in links if _has_plain_rate(resolved, place)]
    queues = [LoadedLink.from_scenario(resolved, place) for place in places]
    return [
        LinkWarning(link.place, *texts)
        for link in queues
        for texts in unfilled_queue_warnings(links[link.place], link.packet_s)
    ]


def identical_result_warnings(runs: RunTable) -> dict[str, LinkWarning]:
    """A warning for each group of schemes that have equal results in every run, by the first of these schemes."""
    groups = [[scheme.argument for scheme in group] for group in runs.identical_schemes()]
    return {
        group[0]: LinkWarning(
            ", ".join(runs.replaced_links),
            "identical-runs",
            f"{', '.join(group[:-1])} and {group[-1]} have the same results in every run: "
            "this load does not distinguish them",
            "compare them under more load, with a larger buffer, or with other settings",
            "",
        )
        for group in groups
    }


def _both_directions(resolved: Resolved, places: Sequence[str]) -> list[str]:
    """The places, each with its reverse direction if that has the same queue and data cross it."""
    directions: list[str] = []
    for place in places:
        back = f"{place}.reverse"
        link = resolved.readable["links"].get(place, {})
        has_same = link.get("reverse", {}).get("queue") == "same" and resolved.round_trip(back) is not None
        directions += [place, back] if has_same else [place]
    return list(dict.fromkeys(directions))


def rate_mismatch_warnings(rate: float | None, resolved: Resolved, places: Sequence[str]) -> list[LinkWarning]:
    """A warning for each of these links whose rate is not `rate`, the rate in bit/s in a text such as tc's tbf."""
    links = [
        LoadedLink.from_scenario(resolved, place)
        for place in places
        if rate is not None and _has_plain_rate(resolved, place)
    ]
    return [
        LinkWarning(
            link.place,
            "ignored-rate",
            f"the rate in the text, {format_rate(round(rate))}, is ignored: the link has "
            f"{format_rate(round(link.rate_bps))}",
            f"set links.{link.place}.rate to the intended rate",
            "tc-tbf(8), tc-htb(8)",
        )
        for link in links
        if rate is not None and not math.isclose(rate, link.rate_bps, rel_tol=ROUNDED_RATE)
    ]


def lost_setting_warnings(lost: Sequence[str], places: Sequence[str]) -> list[LinkWarning]:
    """A warning for each of these links if a text of another dialect has settings that parameters cannot express."""
    advice = "penstock convert lists it with the rest of the text"
    return [
        LinkWarning(place, "not-converted", f"not converted: {'; '.join(lost)}", advice, "") for place in places if lost
    ]


def _has_plain_rate(resolved: Resolved, place: str) -> bool:
    """Whether the rate is a number: a drawn rate differs from run to run."""
    rates = {link["name"]: link["rate"] for link in resolved.canonical["links"]}
    return isinstance(rates.get(place), (int, float))


def _thresholds(queue: _Queue) -> WarningTexts:
    """A queue that may not grow to half of BDP / sqrt(n) cannot keep the link busy through the flows' reductions."""
    high = queue.packets("max_th")
    link = queue.link
    need = link.bdp / math.sqrt(link.flows)
    if high is not None and link.flows and high < need / 2:
        yield (
            "low-thresholds",
            f"max_th = {high:.4g} packets is far below {need:.4g}, the bandwidth-delay product of {link.bdp:.4g} "
            f"packets over the root of {link.flows} flows: the link will idle",
            f"raise max_th to {need:.3g} packets or more, min_th to a third of it",
            "G. Appenzeller, I. Keslassy, N. McKeown, SIGCOMM 2004",
        )


def _small_buffer(queue: _Queue) -> WarningTexts:
    """The same for the buffer of drop-tail."""
    link = queue.link
    need = link.bdp / math.sqrt(link.flows)
    if queue.scheme == "droptail" and queue.table.get("limit") != "inf" and link.buffer_pkts < need / 2:
        yield (
            "small-buffer",
            f"a buffer of {link.buffer_pkts:.4g} packets is far below {need:.4g}, the bandwidth-delay product of "
            f"{link.bdp:.4g} packets over the root of {link.flows} flows: the link will idle",
            f"give it {need:.3g} packets or more",
            "G. Appenzeller, I. Keslassy, N. McKeown, SIGCOMM 2004",
        )


def _long_buffer(queue: _Queue) -> WarningTexts:
    """A buffer of seconds behind a scheme that fills it."""
    if queue.scheme != "droptail" or queue.table.get("limit") == "inf":
        return
    drain = queue.link.buffer_pkts * queue.link.packet_s
    if drain > LONG_BUFFER_S:
        yield (
            "long-buffer",
            f"a full buffer of {queue.link.buffer_pkts:.4g} packets delays every packet by {drain:.3g} s",
            f"one bandwidth-delay product is {queue.link.bdp:.3g} packets; or let codel, pie or fq-codel hold the "
            "delay",
            "RFC 7567, section 1",
        )


def _no_fill_level(queue: _Queue) -> WarningTexts:
    """A drop profile in shares of a limit, on a queue without a limit."""
    if queue.scheme == "nonlinear" and queue.table.get("limit") == "inf":
        yield (
            "no-fill-level",
            "without a limit the fill level is always 0: the points of the profile have no effect",
            "give the queue a limit",
            "Juniper Networks, Junos OS Class of Service User Guide, RED Drop Profiles Overview",
        )


def _fast_average(queue: _Queue) -> WarningTexts:
    """An average that follows the queue within a round trip filters nothing."""
    average = average_seconds(queue.link, queue.table)
    if average is None or queue.packets("max_th") is None:
        return
    weight, constant = average
    if constant < queue.link.rtt_s:
        slow = queue.link.weight(10)
        yield (
            "fast-average",
            f"w_q = {weight:.3g} averages over {1e3 * constant:.3g} ms, less than a round trip of "
            f"{1e3 * queue.link.rtt_s:.3g} ms: the average is the queue itself",
            f'w_q = "auto" averages over a second, w_q = {slow:.2g} over ten round trips',
            "S. Floyd, V. Jacobson, 1993, section 6; S. Floyd et al., Adaptive RED, 2001, section 4.3",
        )


def _target_below_a_packet(queue: _Queue) -> WarningTexts:
    """A target that one packet in transmission exceeds."""
    target = queue.seconds("target")
    if queue.scheme in _CODELS | _PIES and target is not None and target < queue.link.packet_s:
        source = "RFC 8289, section 4.4" if queue.scheme in _CODELS else "RFC 8033, section 4.2"
        yield (
            "low-target",
            f"target = {1e3 * target:.3g} ms is less than the {1e3 * queue.link.packet_s:.3g} ms that a packet of "
            f"{queue.link.packet_bytes:.4g} B takes",
            f"set target to {1e3 * 1.25 * queue.link.packet_s:.2g} ms or more",
            source,
        )


def _short_interval(queue: _Queue) -> WarningTexts:
    """An interval in which senders cannot have reacted."""
    interval = queue.seconds("interval")
    if queue.scheme in _CODELS and interval is not None and interval < queue.link.rtt_s:
        yield (
            "short-interval",
            f"interval = {1e3 * interval:.3g} ms is less than a round trip of {1e3 * queue.link.rtt_s:.3g} ms: it "
            "drops again before senders react",
            f"set interval to {1e3 * queue.link.rtt_s:.3g} ms, target to 5 % of it",
            "RFC 8289, section 4.3",
        )


def _marks_end(queue: _Queue) -> WarningTexts:
    """PIE drops ECN-capable packets too once p is above mark_ecnth."""
    limit = queue.table.get("mark_ecnth")
    target = queue.seconds("target")
    if queue.scheme not in _PIES or not queue.table.get("ecn") or target is None or not isinstance(limit, (int, float)):
        return
    window = (queue.link.bdp + target * queue.link.capacity) / queue.link.flows
    p = min(1.0, 1.5 / window**2)
    if p > limit:
        yield (
            "marks-end",
            f"{queue.link.flows} flows need marks with p = {p:.2g} or so, and above mark_ecnth = {limit:g} packets are "
            "dropped instead",
            "raise mark_ecnth",
            "RFC 8033, section 5.1; p by M. Mathis et al., 1997",
        )


def _late_activation(queue: _Queue) -> WarningTexts:
    """PIE is off until the queue has filled a third of its limit: late with a long limit, or never."""
    table, link = queue.table, queue.link
    activates = table.get("activation", "auto") == "on" or (
        table.get("activation", "auto") == "auto" and table.get("variant", "extended") == "extended"
    )
    allowance = queue.seconds("max_burst")
    if queue.scheme != "pie" or not activates or table.get("limit") == "inf" or allowance is None:
        return
    third = link.buffer_pkts / 3
    advice = (
        f'set activation = "off", or a limit of {max(1, math.floor(3 * allowance * link.capacity))} packets or less'
    )
    source = "RFC 8033, section 5.3"
    if link.receive_window_sum < third:
        yield (
            "never-active",
            f"PIE is off until the queue holds {third:.4g} packets, a third of its limit, and the windows of all flows "
            f"together are {link.receive_window_sum:.4g}: it never drops",
            advice,
            source,
        )
    elif third * link.packet_s > allowance:
        yield (
            "late-active",
            f"PIE is off until the queue holds {third:.4g} packets, a third of its limit: a delay of "
            f"{1e3 * third * link.packet_s:.3g} ms, longer than the bursts of {1e3 * allowance:.3g} ms that it allows",
            advice,
            source,
        )


def _foreign_gains(queue: _Queue) -> WarningTexts:
    """PI's default gains are those of its source's link."""
    a = queue.table.get("a")
    if queue.scheme != "pi" or not isinstance(a, (int, float)):
        return
    link = queue.link
    trip = float(design.longest_rtt(link.buffer_pkts, link.capacity, link.rtt_s))
    designed = float(design.pi_gains(link.flows, trip, link.capacity, 170).a)
    if designed > 0 and not 1 / 5 < a / designed < 5:
        yield (
            "foreign-gains",
            f"a = {a:.3g} is {'above' if a > designed else 'below'} the {designed:.2g} that the design rule gives for "
            f"{link.flows} flows and round trips up to {1e3 * trip:.3g} ms",
            'set a = "auto" and b = "auto"'
            if a > designed
            else 'expect a slow start, or set a = "auto" and b = "auto"',
            "C. Hollot et al., INFOCOM 2001",
        )


_CODELS = {"codel", "fq-codel", "cobalt"}
_PIES = {"pie", "fq-pie"}
_CHECKS: tuple[Callable[[_Queue], WarningTexts], ...] = (
    _thresholds,
    _small_buffer,
    _long_buffer,
    _no_fill_level,
    _fast_average,
    _target_below_a_packet,
    _short_interval,
    _marks_end,
    _late_activation,
    _foreign_gains,
)
