"""Reads a table of a scenario: each key with its parser; collects every error, and suggests names for unknown keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any, Final, TypeVar

from penstock.errors import ErrorCollector, did_you_mean, toml_type_name
from penstock.units import UnitError, parse_size

T = TypeVar("T")

REQUIRED: Final = object()
MAX_UNKNOWN: Final = 20
"""Maximum number of unknown keys of one table that are reported one by one."""

NAME: Final = re.compile(r"[A-Za-z0-9_{}:-][A-Za-z0-9_{}:-]*", re.ASCII)
NODE: Final = re.compile(r"[A-Za-z0-9_{}:.-]+", re.ASCII)


class Table:
    """One table of the scenario, at `path`."""

    def __init__(self, errors: ErrorCollector, path: str, values: Mapping[str, Any]) -> None:
        self.errors = errors
        self.path = path
        self.values = values

    def key_path(self, key: str) -> str:
        """The full path of a key of this table."""
        return f"{self.path}.{key}" if self.path else key

    def add_error(self, key: str, message: str) -> None:
        """Record an error of a key, with the key's value unless that is a table of tables."""
        value = self.values.get(key)
        if key in self.values and not (
            isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values())
        ):
            self.errors.add(self.key_path(key), message, value)
        else:
            self.errors.add(self.key_path(key), message)

    def parse_key(self, key: str, parse: Callable[[Any], T], default: Any = None, *, advice: str = "") -> T | Any:
        """The parsed value of a key; `default` if it is absent, None after an error."""
        if key not in self.values:
            if default is REQUIRED:
                self.add_error(key, f"is missing{'; ' + advice if advice else ''}")
                return None
            return default
        try:
            return parse(self.values[key])
        except UnitError as error:
            self.add_error(key, str(error))
            return None

    def inner_table(self, key: str) -> Table | None:
        """The table under a key; None if the key is absent or no table."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.add_error(key, f"must be a table, not {toml_type_name(value)}")
            return None
        return Table(self.errors, self.key_path(key), value)

    def inner_tables(self, key: str, example: str) -> list[Table] | None:
        """The tables of the list under a key; None if there is no list. Other items are recorded as errors."""
        entries = self.values.get(key)
        if entries is None:
            return None
        if not isinstance(entries, list):
            self.add_error(key, f"must be a list such as [{example}], not {toml_type_name(entries)}")
            return None
        tables = []
        for i, values in enumerate(entries):
            path = f"{self.key_path(key)}[{i}]"
            if isinstance(values, Mapping):
                tables.append(Table(self.errors, path, values))
            else:
                self.errors.add(path, f"must be a table such as {example}, not {toml_type_name(values)}")
        return tables

    def check_keys(self, keys: Iterable[str], hints: Callable[[], Mapping[str, str]] = dict) -> None:
        """Record every key that is not one of `keys` as an error, with a hint for foreign keys."""
        allowed = list(keys)
        if self.values.keys() <= set(allowed):
            return
        hint_by_key = hints()
        unknown = [key for key in self.values if key not in allowed]
        if len(unknown) > MAX_UNKNOWN:
            self.errors.add(self.path, f"has {len(unknown)} unknown keys, the first of them below")
        for key in unknown[:MAX_UNKNOWN]:
            if key in hint_by_key:
                self.add_error(key, hint_by_key[key])
            else:
                self.add_error(key, f"unknown key{did_you_mean(key, allowed)}; known here: {', '.join(allowed)}")


def parse_string(value: Any) -> str:
    """A quoted string."""
    if not isinstance(value, str):
        raise UnitError(f"expected a quoted string, not {toml_type_name(value)}")
    return value


def parse_boolean(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise UnitError(f"must be true or false, without quotes, not {toml_type_name(value)}")
    return value


def whole_number_parser(low: int, high: int) -> Callable[[Any], int]:
    """A whole number from `low` to `high`."""

    def parse_whole_number(value: Any) -> int:
        # Whole numbers of other types than int, such as numpy.int64, are numbers.Integral.
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise UnitError(f"must be a whole number from {low} to {high}")
        number = int(value)
        if not low <= number <= high:
            raise UnitError(f"must lie between {low} and {high}")
        return number

    return parse_whole_number


def named_tables(errors: ErrorCollector, part: str, tables: Any, each: str) -> Iterator[tuple[str, Table]]:
    """The tables in a part of a scenario by their names; any other value is recorded as an error.

    `each` describes one table in messages.
    """
    if not isinstance(tables, Mapping):
        errors.add(part, f"must be a table of {part}, not {toml_type_name(tables)}", tables)
        return
    for name, values in tables.items():
        path = f"{part}.{name}"
        if not NAME.fullmatch(name) or "{i}" in name:
            errors.add(path, f"the name of {each} consists of letters, digits and _ - :")
        elif not isinstance(values, Mapping):
            errors.add(path, f"must be a table, [{path}], not {toml_type_name(values)}", values)
        else:
            yield name, Table(errors, path, values)


def parse_payload(value: Any) -> int:
    """The payload of a packet in bytes."""
    size = parse_size(value)
    if not 1 <= size <= 65_535:
        raise UnitError("a packet's payload lies between 1B and 65535B")
    return size


def choice_parser(*words: str) -> Callable[[Any], str]:
    """One of these words."""

    def parse_choice(value: Any) -> str:
        if not isinstance(value, str):
            raise UnitError(f"must be one of {', '.join(words)}, in quotes")
        if value not in words:
            raise UnitError(f"must be one of {', '.join(words)}{did_you_mean(value, words)}")
        return value

    return parse_choice


def parse_node(value: Any) -> str:
    """The name of a node."""
    name = parse_string(value)
    if not NODE.fullmatch(name):
        raise UnitError("a node's name consists of letters, digits and _ - . : (and {i} in copies)")
    return name


def list_parser(parse: Callable[[Any], T], what: str, *, least: int = 1) -> Callable[[Any], list[T]]:
    """A list of at least `least` items that `parse` accepts."""

    def parse_list(value: Any) -> list[T]:
        if not isinstance(value, list):
            raise UnitError(f"must be a list of {what}")
        if len(value) < least:
            raise UnitError(f"must be a list of at least {least} {what}")
        return [parse(item) for item in value]

    return parse_list
