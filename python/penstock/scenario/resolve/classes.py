"""The classes of a scheduler: matches, settings, and the AQMs of their queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from penstock.aqms.catalog import Conditioner, Param, Scheme
from penstock.errors import toml_type_name
from penstock.scenario.resolve.codepoints import ECN, parse_codepoint
from penstock.scenario.resolve.reader import (
    REQUIRED,
    Table,
    choice_parser,
    parse_node,
    parse_string,
    whole_number_parser,
)
from penstock.scenario.resolve.schemes import foreign_name_hints, read_params, read_scheme
from penstock.scenario.resolve.settings import LengthContext, resolve_limit
from penstock.units import Length, UnitError, format_size, parse_size

T = TypeVar("T")

Entry = dict[str, Any]

PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17}
MATCH_KEYS = ("dscp", "traffic", "flow", "from", "to", "protocol", "ecn", "size")
MAX_FLOWS = 10_000_000


def read_classes(
    table: Table, param: Param, scheme: Scheme | Conditioner, around: LengthContext
) -> tuple[list[Entry], list[Entry]]:
    """The classes of a scheduler's or classifier's table as (canonical, readable)."""
    classes = table.values.get(param.name)
    if classes is None:
        advice = f"such as [[{table.key_path(param.name)}]] with a name and a match for each"
        table.errors.add(table.key_path(param.name), f"is missing; {scheme.name} needs at least one class, {advice}")
        return [], []
    if not isinstance(classes, list) or not classes:
        table.add_error(param.name, f"must be a list of at least one class, not {toml_type_name(classes)}")
        return [], []
    canonical, readable = [], []
    for i, values in enumerate(classes):
        path = f"{table.key_path(param.name)}[{i}]"
        if not isinstance(values, Mapping):
            table.errors.add(
                path, f"must be a table, [[{table.key_path(param.name)}]], not {toml_type_name(values)}", values
            )
            continue
        entry, entry_readable = _read_class(Table(table.errors, path, values), scheme, around)
        canonical.append(entry)
        readable.append(entry_readable)
    return canonical, readable


def _read_class(table: Table, scheme: Scheme | Conditioner, around: LengthContext) -> tuple[Entry, Entry]:
    name = table.parse_key("name", parse_string, REQUIRED, advice='such as name = "voice"')
    match, readable_match = _read_match(table.inner_table("match"))
    params, readable_params = read_params(table, scheme.class_params, around, f"a class of {scheme.name}")
    allowed = ["name", "match", *(param.name for param in scheme.class_params), "queue"]
    table.check_keys(allowed)
    queue, readable_queue = _read_queue(table, params, around)
    readable: Entry = {"name": name}
    if readable_match:
        readable["match"] = readable_match
    readable |= readable_params
    if readable_queue:
        readable["queue"] = readable_queue
    return {"name": name or "", "match": match, "params": params, "queue": queue}, readable


def _read_queue(table: Table, own: Entry, around: LengthContext) -> tuple[Entry | None, Entry | None]:
    """The AQM of a class's queue; a `limit` given there becomes one of the class's `own` settings."""
    queue = table.inner_table("queue")
    scheme = read_scheme(queue) if queue else None
    if queue is None or scheme is None:
        return None, None
    if scheme.class_params:
        queue.add_error(
            "scheme", f"{scheme.name} is a scheduler; the queue of a class is guarded by an AQM, such as red"
        )
        return None, None
    # The class's part of the link is not known yet, so lengths in time or BDP are refused.
    within = LengthContext(None, around.limit, around.rtt_ns)
    limit, readable_limit = queue.parse_key("limit", lambda value: resolve_limit(value, within), (None, None)) or (
        None,
        None,
    )
    if limit is not None and "limit" in own:
        queue.add_error("limit", "is set twice; the class itself has a limit")
    elif isinstance(limit, Mapping):
        own["limit"] = limit
        unit, amount = next(iter(limit.items()))
        within = LengthContext(None, Length(unit, amount), around.rtt_ns)
    params, readable_params = read_params(queue, scheme.params, within, scheme.name)
    allowed = ["scheme", "limit", *(param.name for param in scheme.params)]
    queue.check_keys(allowed, lambda: foreign_name_hints(allowed))
    readable: Entry = {"scheme": scheme.name}
    if readable_limit is not None:
        readable["limit"] = readable_limit
    return {"scheme": scheme.name, "params": params}, readable | readable_params


def _read_match(table: Table | None) -> tuple[Entry, Entry]:
    if table is None:
        return {}, {}
    table.check_keys(
        MATCH_KEYS, lambda: {"proto": 'unknown key; did you mean "protocol"?', "tos": 'did you mean "dscp"?'}
    )
    match: Entry = {
        "dscp": table.parse_key("dscp", _one_or_more(parse_codepoint, "code points")),
        "traffic": table.parse_key("traffic", _one_or_more(parse_string, "names of traffic")),
        "from": table.parse_key("from", _one_or_more(parse_node, "nodes")),
        "to": table.parse_key("to", _one_or_more(parse_node, "nodes")),
        "protocol": table.parse_key("protocol", _one_or_more(_protocol, "protocols")),
        "ecn": table.parse_key("ecn", _one_or_more(choice_parser(*ECN), "ECN fields")),
        "size": table.parse_key("size", _sizes),
    }
    match["flow"] = table.parse_key("flow", _one_or_more(_flow(match["traffic"] or []), "flows"))
    if match["flow"]:
        match["flow"] = [flow for flows in match["flow"] for flow in flows]
    match = {key: match[key] for key in MATCH_KEYS if match[key] is not None}
    readable = {key: values[0] if len(values) == 1 else values for key, values in match.items()}
    if "flow" in match:
        readable["flow"] = [f"{name}.{number}" for name, number in match["flow"]]
    if "size" in match:
        readable["size"] = [format_size(size) for size in match["size"]]
    return match, readable


def _one_or_more(parse: Callable[[Any], T], what: str) -> Callable[[Any], list[T]]:
    """One of these values or a list of them."""

    def parse_one_or_more(value: Any) -> list[T]:
        if value == []:
            raise UnitError(f"must be at least one of {what}; leave the key out where it does not matter")
        return [parse(item) for item in (value if isinstance(value, list) else [value])]

    return parse_one_or_more


def _flow(traffic: list[str]) -> Callable[[Any], list[tuple[str, int]]]:
    """A flow: "bulk.3" is number 3, from 0, of traffic "bulk"; a bare number is that flow of the match's traffic."""

    def parse_flow_numbers(value: Any) -> list[tuple[str, int]]:
        if isinstance(value, int) and not isinstance(value, bool) and traffic:
            number = whole_number_parser(0, MAX_FLOWS)(value)
            return [(name, number) for name in traffic]
        name, dot, number_text = value.rpartition(".") if isinstance(value, str) else ("", "", "")
        if not name or not dot or not (number_text.isascii() and number_text.isdigit()):
            raise UnitError('each flow is its traffic and its number there, from 0, such as "bulk.3"')
        return [(name, whole_number_parser(0, MAX_FLOWS)(int(number_text)))]

    return parse_flow_numbers


def _protocol(value: Any) -> int:
    if isinstance(value, str):
        return PROTOCOLS[choice_parser(*PROTOCOLS)(value.lower())]
    return whole_number_parser(0, 255)(value)


def _sizes(value: Any) -> list[int]:
    if not isinstance(value, list) or len(value) != 2:
        raise UnitError('must be the smallest and the largest size, such as ["0B", "200B"]')
    low, high = parse_size(value[0]), parse_size(value[1])
    if low > high:
        raise UnitError("the smallest size is above the largest")
    if high > 2**32 - 1:
        raise UnitError("no packet is that large")
    return [low, high]
