"""Outages of a link, and changes of its rate and delay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from penstock.scenario.resolve.draws import drawable_parser
from penstock.scenario.resolve.files import read_file_text
from penstock.scenario.resolve.rate_files import RateSteps, read_rate_file
from penstock.scenario.resolve.reader import REQUIRED, Table
from penstock.units import UnitError, format_rate, format_time, parse_rate, parse_time

Entry = dict[str, Any]

_RULE = '{ every = "500ms", rate = { uniform = ["1Mbit", "3Mbit"] } }'
_OUTAGE = '{ at = "10s", for = "2s" }'


@dataclass(frozen=True)
class LinkChanges:
    """A list of changes or outages, in the form for the engine and in the readable form.

    `delivery_times_ms`: when 1500 bytes may leave; `outages`: intervals in which the rate in a file is 0.
    """

    canonical: list[Entry]
    readable: list[Entry]
    delivery_times_ms: list[int] | None = None
    outages: Sequence[Entry] = ()


def read_changes(table: Table) -> LinkChanges | None:
    """The changes of rate and delay, in order; None if the key is absent."""
    rules = table.inner_tables("change", _RULE)
    if rules is None:
        return None
    sources = [rule for rule in rules if {"capacity", "rates"} & rule.values.keys()]
    if len(sources) > 1 or (sources and any("rate" in rule.values for rule in rules)):
        table.add_error("change", "a link has either one capacity, one file of rates, or changes of its rate")
        sources = []
    capacity: list[int] | None = None
    steps = RateSteps([], [])
    for rule in sources:
        if "capacity" in rule.values:
            capacity = rule.parse_key("capacity", _trace)
        else:
            steps = rule.parse_key("rates", read_rate_file) or steps
    pairs = [pair for rule in rules if (pair := _read_change(rule)) is not None]
    changes = steps.changes + [canonical for canonical, _ in pairs if canonical]
    return LinkChanges(changes, [readable for _, readable in pairs], capacity, steps.outages)


def _trace(value: Any) -> list[int]:
    """The lines of a trace of Mahimahi."""
    lines = read_file_text(value).split()
    if not all(re.fullmatch(r"[0-9]{1,12}", line) for line in lines):
        raise UnitError("must be a file with one whole number of milliseconds in each line")
    millis = [int(line) for line in lines]
    if not millis or millis[-1] == 0:
        raise UnitError("must be a file with an instant after 0 ms")
    if any(after < before for before, after in pairwise(millis)):
        raise UnitError("must be a file whose instants are in order of time")
    return millis


def _read_change(rule: Table) -> tuple[Entry, Entry] | None:
    for key in ("capacity", "rates"):
        if key in rule.values:
            rule.check_keys((key,))
            return {}, {key: rule.values[key]}
    rule.check_keys(("every", "at", "rate", "delay", "capacity", "rates"))
    whens = [key for key in ("every", "at") if key in rule.values]
    if len(whens) != 1:
        rule.errors.add(rule.path, f'give either every = "500ms" or at = "20s", as in {_RULE}')
        return None
    when = rule.parse_key(whens[0], parse_time)
    if when == 0 and whens == ["every"]:
        rule.add_error("every", "must be above 0s")
    if not {"rate", "delay"} & set(rule.values):
        rule.errors.add(rule.path, f"changes nothing; give a rate or a delay, as in {_RULE}")
    rate = rule.parse_key("rate", drawable_parser(parse_rate, format_rate))
    delay = rule.parse_key("delay", drawable_parser(parse_time, format_time))
    if when is None:
        return None
    canonical: Entry = {"when": {f"{whens[0]}_ns": when}}
    readable: Entry = {whens[0]: format_time(when)}
    for key, value in (("rate", rate), ("delay", delay)):
        if value is not None:
            canonical[key], readable[key] = value.canonical(0, 1), value.readable
    return canonical, readable


def read_outages(table: Table) -> LinkChanges | None:
    """The outages of the link, in order of time; None if the key is absent."""
    entries = table.inner_tables("outage", _OUTAGE)
    if entries is None:
        return None
    outages = []
    for entry in entries:
        entry.check_keys(("at", "for"), lambda: {"duration": 'unknown key; did you mean "for"?'})
        at = entry.parse_key("at", parse_time, REQUIRED, advice='such as at = "10s"')
        length = entry.parse_key("for", _length, REQUIRED, advice='such as for = "2s"')
        if at is not None and length is not None:
            outages.append((at, length))
    outages.sort()
    for (at, length), (following, _) in pairwise(outages):
        if at + length > following:
            message = f"the outage from {format_time(at)} to {format_time(at + length)} goes on when the one at "
            table.add_error("outage", f"{message}{format_time(following)} starts")
            break
    canonical = [{"at_ns": at, "for_ns": length} for at, length in outages]
    return LinkChanges(canonical, [{"at": format_time(at), "for": format_time(length)} for at, length in outages])


def _length(value: Any) -> int:
    length = parse_time(value)
    if length == 0:
        raise UnitError("must be above 0s")
    return length
