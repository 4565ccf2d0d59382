"""Errors in scenarios and requests: each names its place, key and value, the allowed values and the nearest name."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self, TypeVar

__all__ = [
    "ErrorCollector",
    "ErrorDetail",
    "MissingPackageError",
    "OptionOrigin",
    "PenstockError",
    "PenstockWarning",
    "RequirementError",
    "RunError",
    "ScenarioError",
    "UnknownNameError",
    "append_errors_to",
    "did_you_mean",
    "map_collecting_errors",
    "nearest_name",
]

Item = TypeVar("Item")
Result = TypeVar("Result")


class PenstockError(Exception):
    """An error shown to the user as a message without a traceback; `exit_code` is the exit code of the command."""

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        # Most errors are not constructed from their message alone.
        return _restored, (type(self), self.args), self.__dict__


class PenstockWarning(UserWarning):
    """A warning about an incomplete result, e.g. because of a damaged store; verbs print it to standard error."""


def _restored(kind: type[PenstockError], args: tuple[object, ...]) -> PenstockError:
    error = kind.__new__(kind)
    error.args = args
    return error


class RunError(PenstockError):
    """A run that failed: a defect of penstock."""

    exit_code = 1


class RequirementError(PenstockError):
    """The environment lacks something; the message names the remedy."""

    exit_code = 4


class UnknownNameError(PenstockError, KeyError):
    """A name that does not exist in a result; the message suggests the nearest existing name.

    `other_names` are further names that the message may suggest, but does not list.
    """

    def __init__(self, kind: str, name: object, known_names: Iterable[object], other_names: Iterable[str] = ()) -> None:
        names = [str(name) for name in known_names]
        listed = ", ".join(names[:60]) + (", ..." if len(names) > 60 else "")
        hint = f"available: {listed}" if names else "none available"
        self._message = f'no {kind} "{name}"{did_you_mean(str(name), [*names, *other_names])}; {hint}'.replace(
            "?; available", "? Available"
        )
        super().__init__(self._message)

    def __str__(self) -> str:
        return self._message


class MissingPackageError(RequirementError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, package: str, use: str) -> None:
        super().__init__(f"{package} is not installed; {use} needs it: pip install {package}")


class OptionOrigin(str):
    """The origin of a value that is an option of the command line and an argument in Python.

    As a text it is the option, such as `--scheme red`; `argument` is `schemes="red"`.
    """

    argument: str

    def __new__(cls, option: str, argument: str) -> Self:
        """`option` and `argument` as they appear in messages."""
        origin = super().__new__(cls, option)
        origin.argument = argument
        return origin

    @classmethod
    def with_value(cls, option: str, argument: str, value: str, *, shown: str | None = None) -> Self:
        """An origin with the given value, which appears on the command line as `shown`."""
        return cls(f"{option} {value if shown is None else shown}", f"{argument}={format_value(value)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.argument)


@dataclass(frozen=True)
class ErrorDetail:
    """One error of a scenario.

    `path` is the key as in `--set` (`links.bottleneck.queue.min_th`), `value` its value as written, `origin` its source
    (`link.toml:12`, `--set`).
    """

    path: str
    message: str
    value: str | None = None
    origin: str | None = None

    def __str__(self) -> str:
        """The form is `link.toml:12: links.bottleneck.queue.min_th = 20: must be below max_th (15)`.

        An origin that is an `OptionOrigin` is named as the argument in Python.
        """
        return self._text(self.origin.argument if isinstance(self.origin, OptionOrigin) else self.origin)

    def on_command_line(self) -> str:
        """The same with options instead of arguments."""
        return self._text(self.origin)

    def _text(self, origin: str | None) -> str:
        key = f"{self.path} = {self.value}" if self.path and self.value is not None else self.path
        return ": ".join(part for part in (origin, key, self.message) if part)


class ScenarioError(PenstockError):
    """A scenario that cannot be run; `errors` lists all of its errors."""

    def __init__(self, errors: Iterable[ErrorDetail]) -> None:
        self.errors: tuple[ErrorDetail, ...] = tuple(errors)
        super().__init__("\n".join(str(error) for error in self.errors))


def map_collecting_errors(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of a function for all items. Raises `ScenarioError` with the errors of all items, each once."""
    results: list[Result] = []
    errors: list[ErrorDetail] = []
    for item in items:
        with append_errors_to(errors):
            results.append(function(item))
    if errors:
        raise ScenarioError(dict.fromkeys(errors))
    return results


@contextmanager
def append_errors_to(errors: list[ErrorDetail]) -> Iterator[None]:
    """Append the errors of a `ScenarioError` in the block to `errors`, instead of raising it."""
    try:
        yield
    except ScenarioError as error:
        errors += error.errors


@dataclass
class ErrorCollector:
    """Collects the errors of one scenario; `origins` has the source of each key."""

    origins: Mapping[str, str] = field(default_factory=dict)
    details: list[ErrorDetail] = field(default_factory=list)
    _reported: set[ErrorDetail] = field(default_factory=set, repr=False)

    def add(self, path: str, message: str, value: object = ...) -> None:
        """Add an error once, with the value if it is given."""
        text = None if value is ... else format_value(value)
        error = ErrorDetail(path, message, text, self.origin(path))
        if error not in self._reported:
            self._reported.add(error)
            self.details.append(error)

    def origin(self, path: str) -> str | None:
        """The source of the key, or of the nearest table around it."""
        while path:
            if path in self.origins:
                return self.origins[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.origins.get("")


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`; did you mean "max_p"?` for the known name nearest to `word`, or nothing."""
    name = nearest_name(word, names)
    return f'; did you mean "{name}"?' if name is not None else ""


def nearest_name(word: str, names: Iterable[str]) -> str | None:
    """The known name nearest to `word`, if one is near."""
    return _nearest_name(word, tuple(names))


@lru_cache(maxsize=256)
def _nearest_name(word: str, names: tuple[str, ...]) -> str | None:
    """Cached for `nearest_name`: an unknown key is often in many tables of a file, and a search takes a millisecond."""
    plain = {name.lower().replace("-", "_"): name for name in names}
    plain_word = word.lower().replace("-", "_")
    close = difflib.get_close_matches(plain_word, plain, n=5, cutoff=0.6)
    # Swapped letters are the most likely typing error.
    close.sort(key=lambda name: sorted(name) != sorted(plain_word))
    return plain[close[0]] if close else None


def format_value(value: object) -> str:
    """A value as in a file, shortened in its middle: the end of a path is the name of the file."""
    if isinstance(value, bytes):
        text = value.decode(errors="replace")
    elif isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key} = {format_value(inner)}" for key, inner in value.items()) + "}"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(format_value(inner) for inner in value) + "]"
    elif isinstance(value, (str, bool, int, float)) or value is None:
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = repr(value)
    return text if len(text) <= 80 else f"{text[:52]}...{text[-25:]}"


def toml_type_name(value: object) -> str:
    """The type of a value in the terms of the file: "a string", "a table"."""
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case bytes():
            return "a date"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a table"
        case _:
            return type(value).__name__
