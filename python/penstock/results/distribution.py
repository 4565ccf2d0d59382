"""Distributions over several runs, as one number for each value or bin: `length_pmf[3]`, `length_pmf[6..7]`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

__all__ = [
    "MAX_BINS",
    "DistributionBin",
    "bin_width",
    "binned_shares",
    "first_distribution_value",
    "is_distribution",
    "parse_bin",
]

MAX_BINS = 1024
"""Maximum number of entries of one distribution; longer ones are summed into bins of equal width."""


@dataclass(frozen=True)
class DistributionBin:
    """The values from `low` to `high`, both included, of the distribution `name`."""

    name: str
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.name}[{self.low}]" if self.low == self.high else f"{self.name}[{self.low}..{self.high}]"


def is_distribution(name: str) -> bool:
    """Whether a metric is a distribution: an array over consecutive integers."""
    return name.endswith("_pmf")


def first_distribution_value(name: str) -> int:
    """The value of the first entry: a queue may be empty, a burst of losses has at least one."""
    return 1 if "loss" in name else 0


def bin_width(values: int) -> int:
    """Number of values per bin: the smallest with which a distribution of this length fits into `MAX_BINS` bins."""
    return max(1, -(-values // MAX_BINS))


def binned_shares(name: str, shares: Sequence[float], width: int, bins: int) -> list[tuple[DistributionBin, float]]:
    """The fraction in each of `bins` bins; values beyond the end of `shares` did not occur."""
    start = first_distribution_value(name)
    return [
        (DistributionBin(name, start + at, start + at + width - 1), math.fsum(shares[at : at + width]))
        for at in range(0, bins * width, width)
    ]


@cache
def parse_bin(metric: str) -> DistributionBin | None:
    """The bin of a metric such as `length_pmf[3]`; None for any other metric."""
    match = re.fullmatch(r"(\w+_pmf)\[(\d+)(?:\.\.(\d+))?\]", metric)
    return DistributionBin(match[1], int(match[2]), int(match[3] or match[2])) if match else None
