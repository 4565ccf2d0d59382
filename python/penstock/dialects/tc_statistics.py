"""Counters of a queue in `tc -s`: packets sent, dropped, marked and queued, and counters of its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_units import RATES, SIZES, TIMES, parse_quantity

__all__ = ["CakeTin", "Statistics", "read_statistics"]


@dataclass(frozen=True)
class CakeTin:
    """The counters of a tin (priority class) of cake.

    Attributes:
        name: as tc prints it; its number in JSON.
        counters: the rows of its column: `pkts`, `drops`, `marks`, `pk_delay` in seconds.

    """

    name: str
    counters: Mapping[str, float]


@dataclass(frozen=True)
class Statistics:
    """Counters of a queue in `tc -s`, since the queue was set up.

    Attributes:
        sent_bytes: bytes that left.
        sent_pkts: packets that left.
        dropped_pkts: packets dropped.
        overlimits: times that a shaper held a packet back, or that a packet was marked or dropped early.
        requeues: packets that the device refused for the moment.
        marked_pkts: packets marked CE; None where the kind of queue does not count them.
        backlog_bytes: bytes that wait.
        backlog_pkts: packets that wait.
        other_counters: the other counters by their names; times in seconds.
        tins: of cake.

    """

    sent_bytes: float = 0
    sent_pkts: float = 0
    dropped_pkts: float = 0
    overlimits: float = 0
    requeues: float = 0
    marked_pkts: float | None = None
    backlog_bytes: float = 0
    backlog_pkts: float = 0
    other_counters: Mapping[str, float] = field(default_factory=dict)
    tins: Sequence[CakeTin] = ()

    @property
    def offered_pkts(self) -> float:
        """Packets that arrived: sent, dropped, and waiting."""
        return self.sent_pkts + self.dropped_pkts + self.backlog_pkts


_SENT = re.compile(r"Sent (\d+) bytes (\d+) pkts? \(dropped (\d+), overlimits (\d+) requeues (\d+)\)")
_BACKLOG = re.compile(r"backlog (\S+) (\d+)p")
_PAIR = re.compile(r"([A-Za-z][\w ]*?)[: ]\s*(-?[0-9][0-9.]*)([A-Za-z]*)\b")
_MARKS = ("ecn_mark", "ce_mark", "marked", "marks", "ecn_marked")
_DELAYS = re.compile(r"(_delay|delay|delay_[cl]|ldelay|target|interval)$")

_JSON_TINS = {"sent_packets": "pkts", "sent_bytes": "bytes", "ecn_mark": "marks", "ack_drops": "ack_drop",
              "peak_delay_us": "pk_delay", "avg_delay_us": "av_delay", "base_delay_us": "sp_delay",
              "target_us": "target", "interval_us": "interval", "threshold_rate": "thresh"}  # fmt: skip
"""Names in CAKE's table for the names in its JSON."""


def read_statistics(line: TcObject) -> Statistics | None:
    """The counters of a queue; None if the text has none."""
    if line.counters:
        return _of_json(line.counters)
    return _of_text(line.statistics_lines) if line.statistics_lines else None


def _of_text(lines: Sequence[str]) -> Statistics | None:
    totals: dict[str, Any] = {}
    more: dict[str, float] = {}
    names: list[str] = []
    columns: dict[str, dict[str, float]] = {}
    for text in lines:
        if sent := _SENT.search(text):
            keys = ("sent_bytes", "sent_pkts", "dropped_pkts", "overlimits", "requeues")
            totals |= dict(zip(keys, map(float, sent.groups()), strict=True))
        elif "requeues" in text and (backlog := _BACKLOG.search(text)):
            totals |= {"backlog_bytes": _number(backlog[1]), "backlog_pkts": float(backlog[2])}
        elif header := _tin_names(text):
            names, columns = header, {name: {} for name in header}
        elif names and len(row := text.split()) == len(names) + 1:
            for name, value in zip(names, row[1:], strict=True):
                columns[name][row[0]] = _number(value)
        else:
            more |= {name.split()[-1]: _number(value + unit) for name, value, unit in _PAIR.findall(text)}
    if "sent_pkts" not in totals:
        return None
    tins = [CakeTin(name, columns[name]) for name in names]
    return Statistics(**totals, marked_pkts=_marked(more, tins), other_counters=more, tins=tins)


def _tin_names(text: str) -> list[str]:
    """The names of tins if a line is the head of CAKE's table."""
    names = re.findall(r"Best Effort|Tin \d|Bulk|Video|Voice", text)
    return names if names and not re.sub(r"Best Effort|Tin \d|Bulk|Video|Voice|\s", "", text) else []


def _number(text: str) -> float:
    """A number of tc's statistics in packets, bytes, bit/s or seconds."""
    for units in (TIMES, RATES if text.endswith("bit") else SIZES):
        try:
            if text[-1:].isdigit() or text.endswith("p"):
                return float(text.removesuffix("p"))
            return parse_quantity(text, units, "number")
        except ValueError:
            continue
    amount = re.match(r"-?[0-9.]+", text)
    return float(amount[0]) if amount and amount[0].count(".") < 2 else 0.0


def _marked(more: Mapping[str, float], tins: Sequence[CakeTin]) -> float | None:
    if tins:
        return sum(tin.counters.get("marks", 0) for tin in tins)
    return next((more[name] for name in _MARKS if name in more), None)


def _of_json(counters: Mapping[str, Any]) -> Statistics | None:
    if "packets" not in counters:
        return None
    more = {name: _plain(name, value) for name, value in counters.items() if isinstance(value, (int, float))}
    tins = []
    listed = counters.get("tins")
    for number, one in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(one, dict):
            rows = {_JSON_TINS.get(str(name), str(name)): _tin_value(str(name), value) for name, value in one.items()
                    if isinstance(value, (int, float))}  # fmt: skip
            tins.append(CakeTin(str(number), rows))
    return Statistics(
        more.get("bytes", 0), more["packets"], more.get("drops", 0), more.get("overlimits", 0),
        more.get("requeues", 0), _marked(more, tins), more.get("backlog", 0), more.get("qlen", 0), more, tins,
    )  # fmt: skip


def _plain(name: str, value: float) -> float:
    """Delays of JSON are microseconds."""
    return value / 1e6 if _DELAYS.search(name) else float(value)


def _tin_value(name: str, value: float) -> float:
    return value / 1e6 if name.endswith("_us") else float(value)
