"""The settings of an AQM or of a TCP flow in canonical form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from penstock.aqms.catalog import Param, catalog_revision
from penstock.errors import did_you_mean, toml_type_name
from penstock.scenario.resolve.codepoints import parse_codepoint
from penstock.scenario.resolve.part_cache import PartCache, content_bytes
from penstock.scenario.resolve.reader import Table, list_parser
from penstock.units import (
    Length,
    UnitError,
    format_length,
    format_number,
    format_rate,
    format_size,
    format_time,
    parse_length,
    parse_probability,
    parse_rate,
    parse_signed_size,
    parse_size,
    parse_time,
)

T = TypeVar("T")

NO_RULE = (
    '; "auto" is for one RED: published rules, such as that of Floyd, Gummadi and Shenker (2001), do not say '
    "how far apart the thresholds of several levels are"
)
"""Why the thresholds of WRED and its variants are not automatic."""


@dataclass(frozen=True)
class LengthContext:
    """The quantities that relate units of queue length: the link's rate, its buffer, the flows' round trip."""

    rate: int | None = None
    limit: Length | None = None
    rtt_ns: Callable[[], int | None] = lambda: None

    def read(self, memory: PartCache[T], table: Table, read: Callable[[Table, LengthContext], T]) -> T:
        """The result of `read` for a table in this context, from the cache if it was read before."""
        content = content_bytes(table.values)
        # The round trip is computed only for a text in BDP.
        trip = self.rtt_ns() if content is None or b"BDP" in content else None
        fixed = LengthContext(self.rate, self.limit, lambda: trip)

        def read_part(part: Table) -> T:
            # Errors depend on when the round trip is requested, so the table itself is read in this context.
            return read(part, self if part is table else fixed)

        return memory.read(table, read_part, self.rate, self.limit, trip, catalog_revision())

    def absolute(self, length: Length) -> Length:
        """The length in packets or bytes."""
        if length.unit in ("packets", "bytes"):
            return length
        if length.unit == "buffer":
            if self.limit is None:
                raise UnitError("a share of the buffer needs a limit that is not inf")
            limit = self.absolute(self.limit)
            return Length(limit.unit, limit.amount * length.amount)
        if self.rate is None:
            raise UnitError("a time or BDP needs a fixed rate of the link")
        if length.unit == "ns":
            return Length("bytes", self.rate * length.amount / 8e9)
        rtt = self.rtt_ns()
        if rtt is None:
            raise UnitError("BDP needs a round-trip time: no flow crosses this link and it has no key rtt")
        return Length("bytes", length.amount * self.rate * rtt / 8e9)


def resolve_setting(param: Param, value: Any, around: LengthContext) -> tuple[Any, Any]:
    """A setting as (canonical, readable). This checks kind and unit; the registry checks the range."""
    words = param.choices or param.words
    if isinstance(value, str) and value in words:
        return value, value
    if value is False and "off" in words:
        return "off", "off"
    if value is True and "on" in words:
        return "on", "on"
    match param.kind:
        case "flag":
            if not isinstance(value, bool):
                raise UnitError(f"must be true or false, without quotes, not {toml_type_name(value)}")
            return value, value
        case "choice":
            close = did_you_mean(value, words) if isinstance(value, str) else ""
            raise UnitError(f"must be one of {', '.join(words)}{close}")
        case "time":
            nanos = _or_words(parse_time, value, words)
            return {"ns": nanos}, format_time(nanos)
        case "size":
            is_signed = param.range is not None and param.range[0] < 0
            size = _or_words(parse_signed_size if is_signed else parse_size, value, words)
            return {"bytes": size}, format_size(size)
        case "rate":
            rate = _or_words(_rate, value, words)
            return rate, format_rate(rate)
        case "length" | "length_or_time":
            return _length(param, value, words, around)
        case "numbers":
            if not isinstance(value, (list, tuple)):
                why = NO_RULE if value == "auto" and param.name in ("min_th", "max_th") else ""
                raise UnitError(f"must be a list of numbers such as [5, 15], not {toml_type_name(value)}{why}")
            if not value:
                raise UnitError("must have at least one number")
            numbers = [_number(param, item) for item in value]
            return numbers, numbers
        case "codepoints":
            points = list_parser(parse_codepoint, "code points")(_as_list(value))
            return points, points
        case "writes":
            writes = list_parser(_write, 'writes such as [["0s", "100kB"], ["1s", "50kB"]]')(_as_list(value))
            if any(at > following for (at, _), (following, _) in pairwise(writes)):
                raise UnitError("must be in the order of time")
            return [number for write in writes for number in write], [
                [format_time(at), format_size(size)] for at, size in writes
            ]
        case _:
            number = _or_words(lambda item: _number(param, item), value, words)
            return number, number


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _write(value: Any) -> tuple[int, int]:
    """Time and size of a write."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise UnitError('must be a time and a size such as ["1s", "50kB"]')
    size = parse_size(value[1])
    if size < 1:
        raise UnitError("must have at least 1B")
    return parse_time(value[0]), size


def resolve_limit(value: Any, around: LengthContext) -> tuple[Any, Any]:
    """A queue's limit as (canonical, readable)."""
    if value == "inf":
        return "inf", "inf"
    try:
        length = parse_length(value)
        if length.unit == "buffer":
            raise UnitError("the limit is the buffer; it cannot be a share of itself")
    except UnitError as error:
        raise UnitError(f'{error}, or "inf"') from None
    length = around.absolute(length)
    amount = round(length.amount)
    if length.unit == "packets" and amount != length.amount:
        raise UnitError("a limit in packets is a whole number")
    if amount < 1:
        raise UnitError("a limit must be at least 1 packet or byte")
    return {length.unit: amount}, format_length(Length(length.unit, amount))


def _length(param: Param, value: Any, words: tuple[str, ...], around: LengthContext) -> tuple[Any, Any]:
    length = _or_words(parse_length, value, words)
    if length.unit == "ns" and param.kind == "length_or_time":
        return {"ns": length.amount}, format_time(length.amount)
    absolute = around.absolute(length)
    return {absolute.unit: absolute.amount}, format_length(absolute)


def _rate(value: Any) -> int:
    """A rate; a bare number is in bit/s."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return parse_rate(f"{value}bit/s" if is_number else value)


def _number(param: Param, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise UnitError(f"must be a number, not {toml_type_name(value)}")
    if isinstance(value, str):
        if param.unit or not any(sign in value for sign in "%/"):
            raise UnitError(f"must be a number, without quotes{f' (in {param.unit})' if param.unit else ''}")
        return parse_probability(value)
    if value != value or value in (float("inf"), float("-inf")):
        raise UnitError("must be a finite number")
    if abs(value) > 1e15:
        raise UnitError("too large; the maximum is 1e15")
    return value


def _or_words(parse: Callable[[Any], Any], value: Any, words: tuple[str, ...]) -> Any:
    """Parse a value; if that fails, the error also names the allowed words."""
    try:
        return parse(value)
    except UnitError as error:
        if not words:
            raise
        close = did_you_mean(value, words) if isinstance(value, str) else ""
        raise UnitError(f"{error}, or {' or '.join(chr(34) + word + chr(34) for word in words)}{close}") from None


def readable_default(param: Param) -> Any:
    """A parameter's default as written in a file; None if there is none."""
    default = param.default
    if isinstance(default, Mapping):
        return format_time(default["ns"])
    if isinstance(default, bool) or not isinstance(default, (int, float)):
        return default
    match param.kind:
        case "size":
            return format_size(default)
        case "time":
            return format_time(default * 1e9)
        case "length" | "length_or_time":
            return f"{format_number(default)}p"
        case _:
            return int(default) if default == int(default) else default
