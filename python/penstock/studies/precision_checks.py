"""The looks of a comparison that runs until a precision is reached: planned in advance, and corrected for.

An interval that is computed again and again while runs are added, until it is narrow enough, covers the mean less often
than its nominal level: it tends to stop where the runs happen to be alike. Repeated confidence intervals (Jennison and
Turnbull) avoid this. The numbers of runs at which intervals are computed, the looks, are fixed before the first run,
and the intervals of all looks together cover the mean with probability 95 %. So the last interval does, too, whatever
rule ends the runs. With K looks, each interval has the level 1 - 0.05/K (Bonferroni): this holds for any dependence
between the looks.

References:
    C. Jennison, B. W. Turnbull, "Repeated confidence intervals for group sequential clinical trials", Controlled
    Clinical Trials 5(1), 1984; "Group Sequential Methods with Applications to Clinical Trials", 2000, chapter 9.

"""

from __future__ import annotations

from dataclasses import dataclass

from penstock.results.estimate import ALPHA

__all__ = ["PrecisionChecks"]


@dataclass(frozen=True)
class PrecisionChecks:
    """The numbers of runs after which the precision is checked, ascending.

    >>> PrecisionChecks.plan(30, 1000)
    PrecisionChecks(runs=(30, 60, 120, 240, 480, 1000))

    """

    runs: tuple[int, ...]

    @classmethod
    def plan(cls, first: int, last: int) -> PrecisionChecks:
        """The first look is after `first` runs, at least 2 so that there is an interval.

        Each further look after twice the runs.

        The last look is after `last` runs, 1.5 to 3 times those of the look before; with `first` at or above `last` it
        is the only one.
        """
        runs = [max(first, min(2, last))]
        while 3 * runs[-1] <= last:
            runs.append(2 * runs[-1])
        return cls((*runs, last) if last > runs[-1] else tuple(runs))

    @property
    def alpha(self) -> float:
        """The probability that the interval of one look misses the mean; over all looks the sum is 5 %."""
        return ALPHA / len(self.runs)

    def __str__(self) -> str:
        *others, last = map(str, self.runs)
        return f"{', '.join(others)} and {last}" if others else last
