"""Sets of seeds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

__all__ = ["SeedSet"]


class SeedSet:
    """A set of seeds, kept as ranges of consecutive seeds: a study has few ranges, whatever its number of seeds.

    >>> seeds = SeedSet([3, 1, 2, 9])
    >>> list(seeds.ranges()), 9 in seeds, 4 in seeds
    ([range(1, 4), range(9, 10)], True, False)
    """

    __slots__ = ("_firsts", "_stops")

    def __init__(self, seeds: Iterable[int] = ()) -> None:
        # Ascending, without common or adjacent seeds.
        self._firsts: list[int] = []
        self._stops: list[int] = []
        self.add(seeds)

    def __contains__(self, seed: int) -> bool:
        place = bisect_right(self._firsts, seed) - 1
        return place >= 0 and seed < self._stops[place]

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def __len__(self) -> int:
        return sum(map(len, self.ranges()))

    def ranges(self) -> Iterator[range]:
        """The ranges, ascending."""
        return map(range, self._firsts, self._stops)

    def add(self, seeds: Iterable[int]) -> None:
        """Add seeds."""
        for interval in _ranges(seeds):
            self._add(interval.start, interval.stop)

    def missing(self, seeds: Iterable[int]) -> tuple[int, ...]:
        """The seeds of a range that are not in the set."""
        return tuple(seed for seed in seeds if seed not in self) if self._firsts else tuple(seeds)

    def _add(self, first: int, stop: int) -> None:
        # The ranges from `low` up to `high` overlap or touch the new range.
        low = bisect_right(self._firsts, first)
        if low and self._stops[low - 1] >= first:
            low -= 1
        high = bisect_right(self._firsts, stop)
        if low < high:
            first, stop = min(first, self._firsts[low]), max(stop, self._stops[high - 1])
        self._firsts[low:high], self._stops[low:high] = [first], [stop]


def _ranges(seeds: Iterable[int]) -> Iterator[range]:
    """Seeds as ranges of consecutive ones, in their order."""
    if isinstance(seeds, range) and seeds.step == 1:
        if seeds:
            yield seeds
        return
    first = stop = 0
    for seed in seeds:
        if seed != stop:
            if first < stop:
                yield range(first, stop)
            first = seed
        stop = seed + 1
    if first < stop:
        yield range(first, stop)
