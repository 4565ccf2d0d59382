"""Files of rates: a time in seconds and a rate in Mbit/s per line, as in published LTE, 5G and Starlink traces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from penstock.scenario.resolve.columns import parse_decimal, read_rows
from penstock.units import UnitError

__all__ = ["MAX_ROWS", "RateSteps", "read_rate_file"]

MAX_ROWS = 20_000
"""Maximum number of rows of a file; each is a change of the link."""


@dataclass(frozen=True)
class RateSteps:
    """The rates of a file, for the engine.

    Attributes:
        changes: changes of the rate, in order of time.
        outages: the intervals in which the rate is 0.

    """

    changes: list[dict[str, Any]]
    outages: list[dict[str, Any]]


def read_rate_file(file: Any) -> RateSteps:
    """The rates in a file. Each rate applies from its time to the time of the next, the last one to the end of the run.

    Raises `UnitError` for a file in another format.
    """
    steps = [_step(number, columns) for number, columns in read_rows(file)]
    if not steps:
        raise UnitError("must be a file with seconds and Mbit/s in each line, such as 0.1,12.5")
    if len(steps) > MAX_ROWS:
        raise UnitError(f"has {len(steps)} rates; at most {MAX_ROWS} are possible: average some of them")
    if any(at >= following for (at, _), (following, _) in pairwise(steps)):
        raise UnitError("must be a file whose times rise from line to line")
    if steps[-1][1] == 0:
        raise UnitError(
            "ends with a rate of 0, which would last until the end of the run: append a rate, or remove the line"
        )
    changes = [{"when": {"at_ns": at}, "rate": rate} for at, rate in steps if rate > 0]
    outages = [{"at_ns": at, "for_ns": following - at} for (at, rate), (following, _) in pairwise(steps) if rate == 0]
    return RateSteps(changes, outages)


def _step(number: int, columns: list[str]) -> tuple[int, int]:
    """Time in nanoseconds and rate in bit/s of a line."""
    try:
        if len(columns) != 2:
            raise UnitError("expected two columns")
        at, rate = (parse_decimal(column) for column in columns)
    except UnitError:
        raise UnitError(f"line {number} is not a time in seconds and a rate in Mbit/s, such as 0.1,12.5") from None
    bits = round(rate * 10**6)
    if at < 0 or bits < 0 or bits > 10**13 or at > 10**9:
        raise UnitError(f"line {number}: the time must be from 0 to 1e9 s, and the rate from 0 to 1e7 Mbit/s")
    if bits == 0 and rate > 0:
        raise UnitError(f"line {number}: {columns[1]} Mbit/s is less than 1 bit/s")
    return round(at * 10**9), bits
