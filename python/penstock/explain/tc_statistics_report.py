"""Interprets the output of `tc -s`: drops, marks, whether a queue is the bottleneck, which setting to check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.dialects import ConversionContext, DialectError, tc
from penstock.dialects.pasted_text import strip_terminal_marks
from penstock.dialects.tc_config import NOTHING
from penstock.dialects.tc_keys import KeyEffect
from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_statistics import Statistics, read_statistics
from penstock.dialects.tc_table import QUEUES
from penstock.dialects.tc_units import TIMES, parse_quantity

__all__ = ["QueueReport", "read_queue_reports", "reports_text"]

SHAPERS = ("htb", "tbf", "cake", "netem")
FIFOS = ("pfifo", "bfifo", "pfifo_fast")
NO_DROPS = 1e-5
"""A share of packets dropped or marked below which a queue is hardly ever full."""
MANY_DROPS = 0.02
"""Share of dropped packets from which the cause is a sender or a limit, not normal congestion."""
MANY_REQUEUES = 0.01


@dataclass(frozen=True)
class QueueReport:
    """A queue with its counters, and conclusions from them.

    Attributes:
        name: device, kind and handle.
        kind: of the queue.
        options: its settings as printed.
        counted: its counters since it was set up.
        verdict: "never", "was" or "is" the bottleneck.
        advice: what to look at, the most important first.

    """

    name: str
    kind: str
    options: str
    counted: Statistics
    verdict: str
    advice: Sequence[str]

    @property
    def drop_rate(self) -> float:
        """Dropped packets per arrived packet."""
        return self.counted.dropped_pkts / self.counted.offered_pkts if self.counted.offered_pkts else 0.0

    @property
    def mark_rate(self) -> float | None:
        """Marked packets per arrived packet; None if they are not counted."""
        if self.counted.marked_pkts is None:
            return None
        return self.counted.marked_pkts / self.counted.offered_pkts if self.counted.offered_pkts else 0.0

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        counted = self.counted
        return {
            **{"queue": self.name, "kind": self.kind, "options": self.options, "bottleneck": self.verdict},
            **{"drop_rate": self.drop_rate, "mark_rate": self.mark_rate},
            **{"sent_packets": counted.sent_pkts, "sent_bytes": counted.sent_bytes, "dropped": counted.dropped_pkts},
            **{
                "marked": counted.marked_pkts,
                "backlog_packets": counted.backlog_pkts,
                "backlog_bytes": counted.backlog_bytes,
            },
            **{
                "overlimits": counted.overlimits,
                "requeues": counted.requeues,
                "counters": dict(counted.other_counters),
            },
            "tins": [{"name": tin.name, **tin.counters} for tin in counted.tins],
            "advice": list(self.advice),
        }


def read_queue_reports(text: str, facts: ConversionContext) -> list[QueueReport]:
    """The queues of one device that packets passed, the root first. Raises `DialectError` without statistics."""
    lines, _ = tc.objects_after_all_commands(strip_terminal_marks(text), facts)
    queues = [line for line in lines if line.subject == "qdisc" and line.kind not in NOTHING]
    counted_queues = [(line, counted) for line in queues if (counted := read_statistics(line)) is not None]
    if not counted_queues:
        raise DialectError("this text has no statistics: give the output of tc -s qdisc show")
    counted_queues.sort(key=lambda pair: pair[0].parent != "")
    busy = [(line, counted) for line, counted in counted_queues if counted.offered_pkts]
    return [_report(line, counted) for line, counted in busy or counted_queues[:1]]


def _report(line: TcObject, counted: Statistics) -> QueueReport:
    name = " ".join(filter(None, (line.device, line.kind, line.location.get("handle", ""))))
    verdict = _verdict(line, counted)
    return QueueReport(name, line.kind, " ".join(line.words), counted, verdict, [*_advice(line, counted, verdict)])


def _verdict(line: TcObject, counted: Statistics) -> str:
    """Whether packets had to wait here."""
    if counted.backlog_pkts > 0:
        return "is"
    acted = counted.dropped_pkts + (counted.marked_pkts or 0)
    held = counted.overlimits if line.kind in SHAPERS and not _is_unlimited(line) else 0
    share = max(acted, held) / counted.offered_pkts if counted.offered_pkts else 0.0
    return "was" if share >= NO_DROPS else "never"


def _is_unlimited(line: TcObject) -> bool:
    return line.kind == "cake" and ("unlimited" in line.words or "bandwidth" not in line.words)


def _advice(line: TcObject, counted: Statistics, verdict: str) -> Iterator[str]:
    """The advice, the most important first."""
    drop_rate = counted.dropped_pkts / counted.offered_pkts if counted.offered_pkts else 0.0
    more = counted.other_counters
    if counted.offered_pkts == 0:
        yield "no packet has passed: the traffic uses another device or direction"
        return
    if verdict == "never":
        yield ("the queue forms elsewhere, or the link is never full: if delays rise under load, shape here to a "
               "little below the rate of the bottleneck (cake bandwidth, or htb with fq_codel)")  # fmt: skip
    if line.kind in FIFOS and verdict != "never":
        yield "a FIFO drops only when it is full: fq_codel or cake in its place keep the queue short"
    at_limit = max(more.get("drop_overlimit", 0), more.get("overlimit", 0), more.get("pdrop", 0),
                   more.get("overmemory", 0))  # fmt: skip
    if at_limit and counted.dropped_pkts and at_limit >= counted.dropped_pkts / 2:
        yield f"limit: {_whole(at_limit)} packets were dropped because the queue was full, not by its AQM"
    yield from _of_delay(line, counted)
    if drop_rate >= MANY_DROPS:
        yield (f"{drop_rate:.1%} of the packets are dropped: traffic that does not respond, or more flows than the "
               "target allows; see which flows send")  # fmt: skip
    if (
        counted.dropped_pkts
        and verdict != "never"
        and _can_mark(line)
        and "ecn" not in line.words
        and line.kind != "cake"
    ):
        yield "ecn is off: with ecn, packets of ECN-capable flows are marked, not dropped"
    if counted.requeues >= MANY_REQUEUES * counted.sent_pkts and counted.requeues > 0:
        yield (f"requeues {_whole(counted.requeues)}: the device refused packets, so they also queue in its ring; "
               "byte queue limits (BQL) in the driver keep that queue short")  # fmt: skip
    if direct := _after("direct_packets_stat", line.words):
        yield f"{direct} packets passed htb unshaped: no filter or default class matched them (htb default)"


def _of_delay(line: TcObject, counted: Statistics) -> Iterator[str]:
    """Delays that a queue reports, next to its target."""
    target = _target(line)
    delay = counted.other_counters.get("delay", counted.other_counters.get("ldelay"))
    if target and delay is not None and delay > 2 * target:
        yield f"target: the delay is {_ms(delay)}, the target {_ms(target)}; the AQM has not caught up with the load"
    for tin in counted.tins:
        goal, average = tin.counters.get("target", 0), tin.counters.get("av_delay", 0)
        packets = tin.counters.get("pkts", 0)
        if goal and packets and average > 2 * goal:
            yield f"tin {tin.name}: packets wait {_ms(average)} on average, its target is {_ms(goal)}"
        if tin.counters.get("un_flows", 0) > 0:
            yield f"tin {tin.name}: {_whole(tin.counters['un_flows'])} flows do not respond to drops and marks"
    used, room = counted.other_counters.get("used", 0), counted.other_counters.get("of", 0)
    if room and used > 0.9 * room:
        yield f"memlimit: {_whole(used)} of {_whole(room)} bytes of memory were used; packets are dropped at the limit"


def _target(line: TcObject) -> float:
    """The target of the AQM in seconds; 0 without one."""
    text = (
        _after("target", line.words)
        or next((key.default for key in QUEUES[line.kind].keys if key.word == "target"), "")
        if line.kind in QUEUES and line.kind not in ("sfb", "cake")
        else ""
    )
    try:
        return parse_quantity(text, TIMES, "time") if text else 0.0
    except ValueError:
        return 0.0


def _after(word: str, words: Sequence[str]) -> str:
    """The value after a word, unless it is 0."""
    place = words.index(word) + 1 if word in words else len(words)
    return words[place] if place < len(words) and words[place] != "0" else ""


def _can_mark(line: TcObject) -> bool:
    key = QUEUES[line.kind].keys_by_word.get("ecn") if line.kind in QUEUES else None
    return key is not None and key.effect is KeyEffect.APPLIED


def reports_text(queue_reports: Sequence[QueueReport]) -> str:
    """The conclusions in a paragraph for each queue."""
    return "\n".join(line for report in queue_reports for line in _lines(report))


_SENTENCES: Mapping[str, str] = {
    "never": "has not been the bottleneck",
    "was": "has been the bottleneck at times",
    "is": "is the bottleneck now, or a device behind it is",
}


def _lines(report: QueueReport) -> Iterator[str]:
    counted = report.counted
    marks = "" if report.mark_rate is None else f" and marked {_share(report.mark_rate)}"
    yield (f"{report.name} {_SENTENCES[report.verdict]}: it dropped {_share(report.drop_rate)}{marks} of "
           f"{_whole(counted.offered_pkts)} packets since it was set up, and {_whole(counted.backlog_pkts)} wait "
           f"({_whole(counted.backlog_bytes)} B).")  # fmt: skip
    for tin in counted.tins:
        rows = tin.counters
        if packets := rows.get("pkts", 0):
            yield (f"  tin {tin.name}: {_whole(packets)} packets, dropped {_share(rows.get('drops', 0) / packets)}, "
                   f"marked {_share(rows.get('marks', 0) / packets)}, delay {_ms(rows.get('av_delay', 0))} on average, "
                   f"{_ms(rows.get('pk_delay', 0))} at peaks")  # fmt: skip
    for item in report.advice:
        yield f"  look at {item}" if item.split(":")[0] in _KEYS else f"  {item}"
    yield ""


_KEYS = ("limit", "target", "memlimit")
"""Keys with which a piece of advice begins."""


def _share(value: float) -> str:
    return "none" if value == 0 else f"{100 * value:.2g} %"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms"


def _whole(value: float) -> str:
    return f"{value:.0f}"
