"""Losses, jitter, reordering and duplication of a link.

Parameters that netem also has mean the same as in tc-netem(8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.scenario.resolve.draws import drawable_parser
from penstock.scenario.resolve.reader import (
    REQUIRED,
    Table,
    choice_parser,
    list_parser,
    parse_boolean,
    whole_number_parser,
)
from penstock.units import UnitError, format_time, parse_probability, parse_time

__all__ = ["DISTRIBUTIONS", "read_duplicate", "read_jitter", "read_loss", "read_reorder"]

Entry = dict[str, Any]

DISTRIBUTIONS = ("uniform", "normal", "pareto", "paretonormal")
"""Distributions of jitter around the delay."""

_LOSSES = ("rate", "arrivals", "gilbert", "correlated", "states")
_TIME = drawable_parser(parse_time, format_time)


def read_loss(table: Table) -> Entry | None:
    """The losses of the link itself, in front of its queue; the canonical and the readable form are equal."""
    loss = table.inner_table("loss")
    if loss is None:
        return None
    loss.check_keys(
        _LOSSES, lambda: {"correlation": "unknown key; write correlated = { rate = 0.01, correlation = 0.25 }"}
    )
    if len(loss.values) != 1:
        table.add_error("loss", "give either rate = 0.01, arrivals = [14, 28], gilbert = { p = 0.01, r = 0.3 }, "
                    "correlated = { rate = 0.01, correlation = 0.25 } or states = { p13 = 0.01 }")  # fmt: skip
        return None
    if "rate" in loss.values:
        return {"rate": loss.parse_key("rate", parse_probability)}
    if "arrivals" in loss.values:
        arrivals = loss.parse_key(
            "arrivals", list_parser(whole_number_parser(0, 2**53), "arrival numbers, counted from 0", least=0)
        )
        return {"arrivals": sorted(set(arrivals or []))}
    for key, read in (("gilbert", _gilbert), ("correlated", _chance), ("states", _states)):
        if key in loss.values:
            part = loss.inner_table(key)
            return None if part is None else {key: read(part)}
    return None


def read_jitter(table: Table) -> tuple[Any, Any] | None:
    """The jitter of a link, as (canonical, readable): added to the delay and drawn, or around the delay."""
    value = table.values.get("jitter")
    if isinstance(value, Mapping) and "deviation" in value:
        return _around(Table(table.errors, table.key_path("jitter"), value))
    added = table.parse_key("jitter", _TIME)
    return None if added is None else (added.canonical(0, 1), added.readable)


def _around(jitter: Table) -> tuple[Entry, Entry]:
    jitter.check_keys(("deviation", "distribution", "correlation", "keep_order"))
    deviation = jitter.parse_key("deviation", parse_time)
    settings = {
        "distribution": jitter.parse_key("distribution", choice_parser(*DISTRIBUTIONS), "uniform"),
        "correlation": jitter.parse_key("correlation", _correlation, 0.0),
        "keep_order": jitter.parse_key("keep_order", parse_boolean, False),
    }
    return {"deviation": deviation, **settings}, {"deviation": format_time(deviation or 0), **settings}


def read_reorder(table: Table) -> tuple[Entry, Entry] | None:
    """The reordering of a link, as (canonical, readable)."""
    reorder = table.inner_table("reorder")
    if reorder is None:
        return None
    reorder.check_keys(("rate", "delay", "early", "correlation", "gap"))
    rate = reorder.parse_key("rate", parse_probability, REQUIRED, advice="the share of packets, such as rate = 0.01")
    canonical: Entry = {"rate": rate}
    readable: Entry = {"rate": rate}
    if reorder.parse_key("early", parse_boolean, False):
        if "delay" in reorder.values:
            reorder.add_error("delay", "is not possible with early = true: the packets have no delay")
        readable["early"] = True
    else:
        advice = 'how late they are, such as delay = "5ms", or early = true'
        delay = reorder.parse_key("delay", _TIME, REQUIRED, advice=advice)
        if delay is None:
            return None
        canonical["delay"], readable["delay"] = delay.canonical(0, 1), delay.readable
    for key, parse in (("correlation", _correlation), ("gap", whole_number_parser(1, 2**32 - 1))):
        if key in reorder.values:
            canonical[key] = readable[key] = reorder.parse_key(key, parse)
    return None if None in canonical.values() else (canonical, readable)


def read_duplicate(table: Table) -> Entry | None:
    """The duplication of packets by a link; the canonical and the readable form are equal."""
    duplicate = table.inner_table("duplicate")
    return None if duplicate is None else _chance(duplicate)


def _chance(chance: Table) -> Entry:
    chance.check_keys(("rate", "correlation"))
    return {
        "rate": chance.parse_key(
            "rate", parse_probability, REQUIRED, advice="the share of packets, such as rate = 0.01"
        ),
        "correlation": chance.parse_key("correlation", _correlation, 0.0),
    }


def _correlation(value: Any) -> float:
    correlation = parse_probability(value)
    if correlation == 1:
        raise UnitError("must be below 1, or all packets have the same fate")
    return correlation


def _gilbert(channel: Table) -> Entry:
    channel.check_keys(("p", "r", "good", "bad"))
    probabilities = {
        "p": channel.parse_key(
            "p", parse_probability, REQUIRED, advice="from the good state to the bad, such as p = 0.01"
        ),
        "r": channel.parse_key(
            "r", parse_probability, REQUIRED, advice="from the bad state to the good, such as r = 0.3"
        ),
        "good": channel.parse_key("good", parse_probability, 0.0),
        "bad": channel.parse_key("bad", parse_probability, 1.0),
    }
    if probabilities["r"] == 0:
        channel.add_error("r", "must be above 0, or the bad state lasts for ever")
    return probabilities


def _states(chain: Table) -> Entry:
    """The chain of four states, with the defaults of tc-netem(8): p13 alone loses independently."""
    chain.check_keys(("p13", "p31", "p32", "p23", "p14"))
    p13 = chain.parse_key("p13", parse_probability, REQUIRED, advice="from reception to a burst, such as p13 = 0.01")
    defaults = {"p31": 1.0 - (p13 or 0.0), "p32": 0.0, "p23": 1.0, "p14": 0.0}
    return {"p13": p13, **{key: chain.parse_key(key, parse_probability, default) for key, default in defaults.items()}}
