"""Losses, outages, and changes of the rate and delay of a link."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from penstock.scenario.resolve.draws import draw
from penstock.scenario.resolve.files import content
from penstock.scenario.resolve.reader import REQUIRED, Table, listed, whole
from penstock.units import UnitError, format_rate, format_time, parse_probability, parse_rate, parse_time

Entry = dict[str, Any]

_RULE = '{ every = "500ms", rate = { uniform = ["1Mbit", "3Mbit"] } }'
_OUTAGE = '{ at = "10s", for = "2s" }'


@dataclass(frozen=True)
class Listed:
    """A list of changes, for the engine and to show; `capacity`: milliseconds at which 1500 bytes may leave."""

    canonical: list[Entry]
    shown: list[Entry]
    capacity: list[int] | None = None


def read_loss(table: Table) -> Entry | None:
    """The losses of the link itself, in front of its queue; the canonical and the shown form are equal."""
    loss = table.table("loss")
    if loss is None:
        return None
    loss.known(("rate", "arrivals", "gilbert"))
    if len(loss.values) != 1:
        table.error("loss", "give either rate = 0.01, arrivals = [14, 28] or gilbert = { p = 0.01, r = 0.3 }")
        return None
    if "rate" in loss.values:
        return {"rate": loss.take("rate", parse_probability)}
    if "arrivals" in loss.values:
        arrivals = loss.take("arrivals", listed(whole(0, 2**53), "arrival numbers, counted from 0", least=0))
        return {"arrivals": sorted(set(arrivals or []))}
    channel = loss.table("gilbert")
    return None if channel is None else {"gilbert": _gilbert(channel)}


def read_reorder(table: Table) -> tuple[Entry, Entry] | None:
    """The reordering of a link, as (canonical, shown)."""
    reorder = table.table("reorder")
    if reorder is None:
        return None
    reorder.known(("rate", "delay"))
    rate = reorder.take("rate", parse_probability, REQUIRED, advice="the share of packets, such as rate = 0.01")
    delay = reorder.take(
        "delay", draw(parse_time, format_time), REQUIRED, advice='how late they are, such as delay = "5ms"'
    )
    if rate is None or delay is None:
        return None
    return {"rate": rate, "delay": delay.canonical(0, 1)}, {"rate": rate, "delay": delay.shown}


def _gilbert(channel: Table) -> Entry:
    channel.known(("p", "r", "good", "bad"))
    found = {
        "p": channel.take("p", parse_probability, REQUIRED, advice="from the good state to the bad, such as p = 0.01"),
        "r": channel.take("r", parse_probability, REQUIRED, advice="from the bad state to the good, such as r = 0.3"),
        "good": channel.take("good", parse_probability, 0.0),
        "bad": channel.take("bad", parse_probability, 1.0),
    }
    if found["r"] == 0:
        channel.error("r", "must be above 0, or the bad state lasts for ever")
    return found


def read_changes(table: Table) -> Listed | None:
    """The changes of rate and delay, in order; None if the key is absent."""
    rules = table.tables("change", _RULE)
    if rules is None:
        return None
    traces = [rule for rule in rules if "capacity" in rule.values]
    capacity = _read_capacity(table, rules, traces) if traces else None
    pairs = [pair for rule in rules if (pair := _read_change(rule)) is not None]
    return Listed([canonical for canonical, _ in pairs if canonical], [shown for _, shown in pairs], capacity)


def _read_capacity(table: Table, rules: list[Table], traces: list[Table]) -> list[int] | None:
    if len(traces) > 1 or any("rate" in rule.values for rule in rules):
        table.error("change", "a link has either one capacity or changes of its rate")
        return None
    capacity: list[int] | None = traces[0].take("capacity", _trace)
    return capacity


def _trace(value: Any) -> list[int]:
    """The lines of a trace of Mahimahi."""
    lines = content(value).split()
    if not all(re.fullmatch(r"[0-9]{1,12}", line) for line in lines):
        raise UnitError("must be a file with one whole number of milliseconds in each line")
    millis = [int(line) for line in lines]
    if not millis or millis[-1] == 0:
        raise UnitError("must be a file with an instant after 0 ms")
    if any(after < before for before, after in pairwise(millis)):
        raise UnitError("must be a file whose instants are in order of time")
    return millis


def _read_change(rule: Table) -> tuple[Entry, Entry] | None:
    if "capacity" in rule.values:
        rule.known(("capacity",))
        return {}, {"capacity": rule.values["capacity"]}
    rule.known(("every", "at", "rate", "delay", "capacity"))
    whens = [key for key in ("every", "at") if key in rule.values]
    if len(whens) != 1:
        rule.errors.add(rule.path, f'give either every = "500ms" or at = "20s", as in {_RULE}')
        return None
    when = rule.take(whens[0], parse_time)
    if when == 0 and whens == ["every"]:
        rule.error("every", "must be above 0s")
    if not {"rate", "delay"} & set(rule.values):
        rule.errors.add(rule.path, f"changes nothing; give a rate or a delay, as in {_RULE}")
    rate = rule.take("rate", draw(parse_rate, format_rate))
    delay = rule.take("delay", draw(parse_time, format_time))
    if when is None:
        return None
    canonical: Entry = {"when": {f"{whens[0]}_ns": when}}
    shown: Entry = {whens[0]: format_time(when)}
    for key, value in (("rate", rate), ("delay", delay)):
        if value is not None:
            canonical[key], shown[key] = value.canonical(0, 1), value.shown
    return canonical, shown


def read_outages(table: Table) -> Listed | None:
    """The outages of the link, in order of time; None if the key is absent."""
    entries = table.tables("outage", _OUTAGE)
    if entries is None:
        return None
    found = []
    for entry in entries:
        entry.known(("at", "for"), lambda: {"duration": 'unknown key; did you mean "for"?'})
        at = entry.take("at", parse_time, REQUIRED, advice='such as at = "10s"')
        length = entry.take("for", _length, REQUIRED, advice='such as for = "2s"')
        if at is not None and length is not None:
            found.append((at, length))
    found.sort()
    for (at, length), (following, _) in pairwise(found):
        if at + length > following:
            message = f"the outage from {format_time(at)} to {format_time(at + length)} goes on when the one at "
            table.error("outage", f"{message}{format_time(following)} starts")
            break
    canonical = [{"at_ns": at, "for_ns": length} for at, length in found]
    return Listed(canonical, [{"at": format_time(at), "for": format_time(length)} for at, length in found])


def _length(value: Any) -> int:
    length = parse_time(value)
    if length == 0:
        raise UnitError("must be above 0s")
    return length
