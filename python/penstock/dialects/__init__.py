"""Conversion of queue settings from and to the notation of routers, kernels and other simulators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, escape_line_breaks, is_device_name
from penstock.dialects.pasted_text import strip_terminal_marks
from penstock.dialects.ranges import check_ranges
from penstock.errors import PenstockError, UnknownNameError

__all__ = ["DIALECTS", "OTHERS", "Conversion", "ConversionContext", "DialectError", "is_device_name", "read", "write"]

DIALECTS = ("tc", "cisco", "junos", "sonic", "arista", "dummynet", "ns2", "ns3", "penstock")
"""Each dialect is a module of this folder with `read(text, facts)` and `write(scheme, parameters, facts)`."""


OTHERS = DIALECTS[:-1]
"""The dialects other than penstock's own."""

_WRITTEN_OUT = {
    **dict.fromkeys(("red", "choke"), ("min_th", "max_th", "max_p", "gentle")),
    "nonlinear": ("fill_level", "drop_probability", "interpolate"),
}
"""By scheme, parameters that are written even if they are not given, since their defaults differ; and `ecn`."""


def read(text: str, dialect: str, facts: ConversionContext | None = None) -> Conversion:
    """The settings in a text. Raises `DialectError` for a text that is not of the dialect.

    The same error is raised for settings outside the ranges of the scheme, which penstock would refuse.
    """
    facts = facts or ConversionContext()
    with _dialect_errors(dialect):
        found: Conversion = _module(dialect).read(strip_terminal_marks(text), facts)
        check_ranges(found.scheme, found.parameters, found.rate or facts.rate, found.link)
    return _in_lines(found)


def write(
    scheme: str, parameters: Mapping[str, Any], dialect: str, facts: ConversionContext | None = None
) -> Conversion:
    """Settings in a dialect. Raises `DialectError` if it has no such scheme, or for settings outside their ranges.

    Defaults differ between dialects, so penstock's defaults of parameters that other dialects also have are written
    explicitly.
    """
    facts = facts or ConversionContext()
    written = dict(parameters)
    if dialect != "penstock":
        known = {param.name: param.default for param in find_scheme(scheme).params}
        names = (*_WRITTEN_OUT.get(scheme, ()), "ecn")
        written = {**{name: known[name] for name in names if name in known}, **written}
    with _dialect_errors(dialect):
        check_ranges(scheme, written, facts.rate)
        found: Conversion = _module(dialect).write(scheme, written, facts)
    if not found.lost_settings:
        _check_written(found.text, scheme, dialect, facts)
    if dialect != "penstock" and "limit" not in parameters and scheme not in ("cake", "wred", "pq", "wfq"):
        found.notes.append(f"no limit is given: the default of {dialect} applies")
    return _in_lines(found)


def _check_written(text: str, scheme: str, dialect: str, facts: ConversionContext) -> None:
    """Raise `DialectError` if rounding to the numbers of a dialect has produced invalid settings."""
    if not text.strip():
        raise DialectError(f"{dialect} cannot express {scheme} without a limit")
    try:
        read(text, dialect, facts)
    except PenstockError as error:
        raise DialectError(f"{dialect} has no such queue: {escape_line_breaks(text)}: {error}") from None


@contextmanager
def _dialect_errors(dialect: str) -> Iterator[None]:
    """A malformed number, or one too large to compute with, is an error in the text; each error is one line."""
    try:
        yield
    except DialectError as error:
        raise DialectError(escape_line_breaks(str(error))) from None
    except (ValueError, ArithmeticError) as error:
        raise DialectError(f"not settings of {dialect}: {error}") from None


def _in_lines(found: Conversion) -> Conversion:
    """A copy with each note and each loss on one line, since lines to paste are printed between them."""
    found.notes, found.lost_settings = (
        [*map(escape_line_breaks, texts)] for texts in (found.notes, found.lost_settings)
    )
    return found


def _module(dialect: str) -> Any:
    if dialect not in DIALECTS:
        raise UnknownNameError("dialect", dialect, DIALECTS)
    return import_module(f"penstock.dialects.{dialect}")
