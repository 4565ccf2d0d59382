"""Text files of columns: numbers separated by commas, blanks or tabs, with `#` comments and an optional header."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from penstock.scenario.resolve.files import read_file_text
from penstock.units import UnitError

__all__ = ["parse_decimal", "read_rows"]


def read_rows(file: Any) -> Iterator[tuple[int, list[str]]]:
    """The number and the columns of each line of a file.

    The columns of a line with a comma are separated by commas, those of any other line by blanks. The first line is a
    header if none of its columns begins like a number.
    """
    is_first = True
    for number, line in enumerate(read_file_text(file).splitlines(), start=1):
        written = line.partition("#")[0].strip()
        if not written:
            continue
        columns = [part.strip() for part in written.split(",")] if "," in written else written.split()
        is_header = is_first and not any(column[:1] in set("0123456789+-.") for column in columns if column)
        is_first = False
        if not is_header:
            yield number, columns


def parse_decimal(text: str) -> Decimal:
    """An exact decimal number. Raises `UnitError` for any other text."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UnitError(f"{text} is not a number") from None
    if not value.is_finite() or abs(value.adjusted()) > 30:
        raise UnitError(f"{text} is not a number in the permitted range")
    return value
