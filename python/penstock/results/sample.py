"""Numbers over independent runs, paired by seed: arithmetic run by run, and conditions that yield a verdict.

The 95 % interval of a quantity (`penstock.results.summary`) decides a condition on it: it holds over the whole
interval, its opposite does, or the interval spans the bound.

>>> goodput = {"red": Sample([8.1, 8.3, 8.2, 8.2, 8.1]), "droptail": Sample([8.4, 8.5, 8.4, 8.6, 8.5])}
>>> (goodput["red"] / goodput["droptail"] <= 1.03).decide().verdict
'confirmed'
>>> (goodput["red"] > goodput["droptail"]).decide().verdict
'contradicted'
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from penstock.results.summary import Summary, summarize

__all__ = ["Condition", "Finding", "Sample", "Verdict", "all_of", "any_of", "most_of", "per_run"]

Verdict = Literal["confirmed", "contradicted", "inconclusive", "not comparable"]

# Minimum number of runs of a random quantity for a decision.
FEWEST_RUNS = 5

# Numbers that differ from a bound by less than this fraction of it count as equal to it: rounding in the arithmetic can
# make a rank correlation of -0.8 come out as -0.7999999999999998.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Finding:
    """A verdict, the number that decided it with its interval, and the reason in a line."""

    verdict: Verdict
    measured: Summary | None
    why: str


@dataclass(frozen=True, eq=False)
class Condition:
    """A statement about runs, to be decided by their numbers.

    Attributes:
        decide: gives the finding.
        margin: distance from being refuted, in units of its bound; the smallest decides among several.

    """

    decide: Callable[[], Finding]
    margin: float = math.inf

    def at(self, where: str) -> Condition:
        """The same condition, labelled with the place where it applies: `at("N = 16")`."""

        def decide() -> Finding:
            found = self.decide()
            return replace(found, why=f"{where}: {found.why}")

        return replace(self, decide=decide)

    def __bool__(self) -> bool:
        raise TypeError("a condition has no truth value before it is decided; combine several with all_of or any_of")


class Sample:
    """One number for each run, in the order of the seeds; or one exact number for all runs.

    `+ - * / **` and `abs` work run by run, with other samples of the same seeds and with plain numbers; `<`, `<=`,
    `>` and `>=` give a `Condition`. A run without the number has NaN and is left out of the summary.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Sequence[float] | np.ndarray | float) -> None:
        self.random = not isinstance(values, (int, float))
        self.values = np.atleast_1d(np.asarray(values, dtype=float))

    @property
    def summary(self) -> Summary | None:
        """Mean, standard deviation and interval; of zero width for an exact number; None if no run has the number."""
        finite = self.values[np.isfinite(self.values)]
        if not len(finite):
            return None
        found = summarize(list(finite))
        return found if self.random else replace(found, sd=0.0, ci95=(found.mean, found.mean))

    @property
    def mean(self) -> float:
        """The mean; NaN if no run has the number."""
        found = self.summary
        return math.nan if found is None else found.mean

    def __repr__(self) -> str:
        return f"Sample({_shown(self.summary)})"

    def _with(self, other: Sample | float, act: Callable[[Any, Any], Any]) -> Sample:
        second = other if isinstance(other, Sample) else Sample(float(other))
        if self.random and second.random and len(self.values) != len(second.values):
            raise ValueError(f"samples of {len(self.values)} and of {len(second.values)} runs are not paired")
        with np.errstate(all="ignore"):
            made = Sample(act(self.values, second.values))
        made.random = self.random or second.random
        return made

    def __add__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.add)

    def __sub__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.sub)

    def __mul__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.mul)

    def __truediv__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.truediv)

    def __pow__(self, other: float) -> Sample:
        return self._with(other, operator.pow)

    def __radd__(self, other: float) -> Sample:
        return self + other

    def __rsub__(self, other: float) -> Sample:
        return (self - other) * -1.0

    def __rmul__(self, other: float) -> Sample:
        return self * other

    def __rtruediv__(self, other: float) -> Sample:
        return Sample(float(other))._with(self, operator.truediv)

    def __abs__(self) -> Sample:
        return self._with(0.0, lambda mine, _: np.abs(mine))

    def __le__(self, bound: Sample | float) -> Condition:
        return _bounded(self, bound, "<=")

    def __lt__(self, bound: Sample | float) -> Condition:
        return _bounded(self, bound, "<")

    def __ge__(self, bound: Sample | float) -> Condition:
        return _bounded(self, bound, ">=")

    def __gt__(self, bound: Sample | float) -> Condition:
        return _bounded(self, bound, ">")

    def between(self, low: float, high: float) -> Condition:
        """At least `low` and at most `high`."""
        return all_of(self >= low, self <= high)

    def reads(
        self, printed: float, *, low: float | None = None, high: float | None = None, share: float = 0.0
    ) -> Condition:
        """A number read from text or table: confirmed when the interval, widened by the tolerance, contains it.

        The tolerance is a `share` of the printed number, or the range from `low` to `high` that is accepted instead.
        """
        below = abs(printed) * share if low is None else printed - low
        above = abs(printed) * share if high is None else high - printed

        def decide() -> Finding:
            found = self.summary
            if found is None or found.ci95 is None or (self.random and found.runs < FEWEST_RUNS):
                return _undecided(found)
            # A measurement at most `above` over the printed number, or `below` under it, still confirms it.
            fits = found.ci95[0] - above <= printed <= found.ci95[1] + below
            asked = f"{_number(printed)} ({_number(printed - below)} to {_number(printed + above)})"
            return Finding("confirmed" if fits else "contradicted", found, f"{_shown(found)}, printed {asked}")

        return Condition(decide, -abs(self.mean - printed) / (abs(printed) or 1.0))


def _bounded(sample: Sample, bound: Sample | float, sign: str) -> Condition:
    if isinstance(bound, Sample):
        # For two samples, their difference run by run decides.
        inner = _bounded(sample - bound, 0.0, sign)
        scale = abs(bound.mean) or 1.0

        def decide_pair() -> Finding:
            found = inner.decide()
            pair = f"{_number(sample.mean)} {sign} {_number(bound.mean)}"
            return replace(found, why=f"{pair}? difference {_shown(found.measured)}")

        return Condition(decide_pair, inner.margin / scale)
    upward = sign.startswith(">")

    def decide() -> Finding:
        found = sample.summary
        if found is None or found.ci95 is None or (sample.random and found.runs < FEWEST_RUNS):
            return _undecided(found)
        ends = [_holds(end, bound, sign) for end in found.ci95]
        verdict: Verdict = "confirmed" if all(ends) else "inconclusive" if any(ends) else "contradicted"
        return Finding(verdict, found, f"{_shown(found)}, asked {sign} {_number(bound)}")

    gap = sample.mean - bound if upward else bound - sample.mean
    return Condition(decide, gap / (abs(bound) or 1.0))


def _holds(value: float, bound: float, sign: str) -> bool:
    """Whether a number is on the right side of a bound; within `ROUNDING` of it, it counts as equal."""
    if abs(value - bound) <= ROUNDING * abs(bound):
        return sign.endswith("=")
    return value > bound if sign.startswith(">") else value < bound


def _undecided(found: Summary | None) -> Finding:
    if found is None:
        return Finding("inconclusive", None, "no run has this number")
    return Finding("inconclusive", found, f"{_shown(found)}, {found.runs} runs decide nothing")


def all_of(*conditions: Condition | Iterable[Condition]) -> Condition:
    """All conditions hold: contradicted if one of them is, confirmed if all are."""
    return _joined(list(_flat(conditions)), need=None)


def any_of(*conditions: Condition | Iterable[Condition]) -> Condition:
    """At least one condition holds."""
    return _joined(list(_flat(conditions)), need=1)


def most_of(share: float, *conditions: Condition | Iterable[Condition]) -> Condition:
    """At least this fraction of the conditions holds, from 0 to 1."""
    parts = list(_flat(conditions))
    return _joined(parts, need=math.ceil(share * len(parts) - 1e-9))


def _flat(conditions: Iterable[Condition | Iterable[Condition]]) -> Iterable[Condition]:
    for item in conditions:
        if isinstance(item, Condition):
            yield item
        else:
            yield from _flat(item)


def _joined(parts: list[Condition], need: int | None) -> Condition:
    if not parts:
        raise ValueError("there are no conditions to decide")
    least = len(parts) if need is None else need

    def decide() -> Finding:
        findings = [(part.margin if part.margin == part.margin else -math.inf, part.decide()) for part in parts]
        verdicts = [found.verdict for _, found in findings]
        held, refuted = verdicts.count("confirmed"), verdicts.count("contradicted")
        verdict: Verdict = (
            "confirmed" if held >= least else "contradicted" if len(parts) - refuted < least else "inconclusive"
        )
        # Of the conditions with this verdict, the one with the smallest margin represents all.
        same = [item for item in findings if item[1].verdict == verdict] or findings
        _, spoken = min(same, key=lambda item: item[0])
        count = "" if len(parts) == 1 else f"{held} of {len(parts)} hold" + (f", {least} asked" if need else "") + "; "
        return Finding(verdict, spoken.measured, f"{count}{spoken.why}")

    return Condition(decide, min(part.margin for part in parts))


def per_run(function: Callable[..., float], *samples: Sample | Sequence[Sample]) -> Sample:
    """Apply a function to the numbers of each run: `per_run(slope, [q(n) for n in flows])`.

    A sequence of samples is passed as an array of one run's numbers.
    """
    flat = [s for item in samples for s in ([item] if isinstance(item, Sample) else item)]
    runs = max(len(s.values) for s in flat)

    def of(sample: Sample, run: int) -> float:
        return float(sample.values[run if sample.random else 0])

    values = [
        function(*(of(s, run) if isinstance(s, Sample) else np.array([of(one, run) for one in s]) for s in samples))
        for run in range(runs)
    ]
    made = Sample(values)
    made.random = any(s.random for s in flat)
    return made


def _number(value: float) -> str:
    return f"{value:.4g}"


def _shown(found: Summary | None) -> str:
    if found is None:
        return "nothing"
    if found.ci95 is None or found.ci95[0] == found.ci95[1]:
        return _number(found.mean)
    return f"{_number(found.mean)} [{_number(found.ci95[0])}, {_number(found.ci95[1])}]"
