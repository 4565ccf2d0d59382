"""Numbers over independent runs, paired by seed: arithmetic run by run, and conditions that yield a verdict.

The 95 % interval of a quantity (`penstock.results.estimate`) decides a condition on it: confirmed if the whole interval
satisfies it, contradicted if no part of the interval does, inconclusive if the interval contains the bound.

>>> goodput = {"red": RunSample([8.1, 8.3, 8.2, 8.2, 8.1]), "droptail": RunSample([8.4, 8.5, 8.4, 8.6, 8.5])}
>>> (goodput["red"] / goodput["droptail"] <= 1.03).decide().verdict
'confirmed'
>>> (goodput["red"] > goodput["droptail"]).decide().verdict
'contradicted'
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penstock.results.condition import Condition, ConditionPart, Finding, Verdict
from penstock.results.estimate import ALPHA, Estimate, summarize

__all__ = ["FEWEST_RUNS", "RunSample", "per_run"]

# Minimum number of runs of a random quantity for a decision.
FEWEST_RUNS = 5

# Numbers that differ from a bound by less than this fraction of it count as equal to it: rounding in the arithmetic can
# make a rank correlation of -0.8 come out as -0.7999999999999998.
ROUNDING = 1e-12

_WORST_FIRST: tuple[Verdict, ...] = ("contradicted", "inconclusive", "confirmed")


class RunSample:
    """One number for each run, in the order of the seeds; or one exact number for all runs.

    `+ - * / **` and `abs` work run by run, with other samples of the same seeds and with plain numbers; `<`, `<=`,
    `>` and `>=` give a `Condition`. A run without the number has NaN and is left out of the summary.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Sequence[float] | np.ndarray | float) -> None:
        self.random = not isinstance(values, (int, float))
        self.values = np.atleast_1d(np.asarray(values, dtype=float))
        self._summaries: dict[float, Estimate | None] = {}
        # The value that stands for no difference, such as 1 of a ratio; None if it is unknown.
        self.neutral: float | None = None
        # The sample before arithmetic with plain numbers (`a` in `1.1 * a`), and this arithmetic as a function.
        self.base = self
        self.of_base: Callable[[float], float] = float

    def about(self, neutral: float | None) -> RunSample:
        """The same numbers, with the value that stands for no difference."""
        sample = RunSample(self.values)
        sample.random, sample.neutral, sample.base, sample.of_base = self.random, neutral, self.base, self.of_base
        return sample

    @property
    def summary(self) -> Estimate | None:
        """Mean, standard deviation and interval; of zero width for an exact number; None if no run has the number."""
        return self.summary_at_alpha(ALPHA)

    def summary_at_alpha(self, alpha: float) -> Estimate | None:
        """The summary with an interval that misses the mean with probability `alpha`."""
        if alpha not in self._summaries:
            finite = self.values[np.isfinite(self.values)]
            self._summaries[alpha] = summarize(finite, alpha) if len(finite) else None
        estimate = self._summaries[alpha]
        if estimate is None or self.random:
            return estimate
        return replace(estimate, sd=0.0, ci95=(estimate.mean, estimate.mean))

    @property
    def mean(self) -> float:
        """The mean; NaN if no run has the number."""
        estimate = self.summary
        return math.nan if estimate is None else estimate.mean

    def __repr__(self) -> str:
        return f"Sample({_text(self.summary)})"

    def _with(self, other: RunSample | float, act: Callable[[Any, Any], Any]) -> RunSample:
        second = other if isinstance(other, RunSample) else RunSample(float(other))
        if self.random and second.random and len(self.values) != len(second.values):
            raise ValueError(f"samples of {len(self.values)} and of {len(second.values)} runs are not paired")
        with np.errstate(all="ignore"):
            result = RunSample(act(self.values, second.values))
        result.random = self.random or second.random
        if not isinstance(other, RunSample):
            result.base = self.base
            result.of_base = lambda number: float(act(self.of_base(number), other))
        return result

    def __add__(self, other: RunSample | float) -> RunSample:
        return self._with(other, operator.add)

    def __sub__(self, other: RunSample | float) -> RunSample:
        return self._with(other, operator.sub)

    def __mul__(self, other: RunSample | float) -> RunSample:
        return self._with(other, operator.mul)

    def __truediv__(self, other: RunSample | float) -> RunSample:
        return self._with(other, operator.truediv)

    def __pow__(self, other: float) -> RunSample:
        return self._with(other, operator.pow)

    def __radd__(self, other: float) -> RunSample:
        return self + other

    def __rsub__(self, other: float) -> RunSample:
        return (self - other) * -1.0

    def __rmul__(self, other: float) -> RunSample:
        return self * other

    def __rtruediv__(self, other: float) -> RunSample:
        return RunSample(float(other))._with(self, operator.truediv)

    def __abs__(self) -> RunSample:
        return self._with(0.0, lambda mine, _: np.abs(mine))

    def __le__(self, bound: RunSample | float) -> Condition:
        return _bounded(self, bound, "<=")

    def __lt__(self, bound: RunSample | float) -> Condition:
        return _bounded(self, bound, "<")

    def __ge__(self, bound: RunSample | float) -> Condition:
        return _bounded(self, bound, ">=")

    def __gt__(self, bound: RunSample | float) -> Condition:
        return _bounded(self, bound, ">")

    def between(self, low: float, high: float) -> Condition:
        """At least `low` and at most `high`."""

        def at_level(alpha: float) -> Finding:
            estimate = self.summary_at_alpha(alpha)
            ends = _interval(self, estimate)
            if estimate is None or ends is None:
                return _undecided(estimate)
            sides = {_side(ends, low, ">="), _side(ends, high, "<=")}
            verdict = next(each for each in _WORST_FIRST if each in sides)
            within = self.neutral is None or low <= self.neutral <= high
            miss, missed = max((low - estimate.mean, low), (estimate.mean - high, high))
            part = ConditionPart(verdict, None if within else _ordered(self, low), _percent(max(miss, 0.0), missed))
            return Finding(verdict, estimate, f"{_text(estimate)}, required {_number(low)} to {_number(high)}", (part,))

        gap = min(self.mean - low, high - self.mean)
        return Condition(at_level, gap / (abs(low if self.mean - low < high - self.mean else high) or 1.0))

    def matches_printed(
        self, printed: float, *, low: float | None = None, high: float | None = None, share: float = 0.0
    ) -> Condition:
        """A number printed in a text or table: confirmed if the interval, widened by the tolerance, contains it.

        The tolerance is a `share` of the printed number, or the range from `low` to `high` that is accepted instead.
        If the value that means no difference is known, the interval must also lie on the printed side of it.
        """
        below = abs(printed) * share if low is None else printed - low
        above = abs(printed) * share if high is None else high - printed

        def at_level(alpha: float) -> Finding:
            estimate = self.summary_at_alpha(alpha)
            ends = _interval(self, estimate)
            if estimate is None or ends is None:
                return _undecided(estimate)
            # A mean up to `above` over or `below` under the printed number still confirms it.
            fits = ends[0] - above <= printed <= ends[1] + below
            verdict: Verdict = "confirmed" if fits else "contradicted"
            if fits and self.neutral is not None and printed != self.neutral:
                verdict = _side(ends, self.neutral, ">" if printed > self.neutral else "<")
            miss, tolerance = abs(estimate.mean - printed), above if estimate.mean > printed else below
            part = ConditionPart(
                verdict, _ordered(self, printed), _percent(miss, printed), miss / tolerance if tolerance else None
            )
            accepted = f"{_number(printed)} ({_number(printed - below)} to {_number(printed + above)})"
            return Finding(verdict, estimate, f"{_text(estimate)}, printed {accepted}", (part,))

        return Condition(at_level, -abs(self.mean - printed) / (abs(printed) or 1.0))


def _bounded(sample: RunSample, bound: RunSample | float, sign: str) -> Condition:
    return (
        _against_sample(sample, bound, sign) if isinstance(bound, RunSample) else _against_number(sample, bound, sign)
    )


def _against_sample(sample: RunSample, bound: RunSample, sign: str) -> Condition:
    """The condition that compares two samples, decided by their differences run by run."""
    inner = _against_number(sample - bound, 0.0, sign)
    upward, scale = sign.startswith(">"), abs(bound.mean)
    ordered = _bases_ordered(sample, bound, sign.removesuffix("="))

    def restated(finding: Finding) -> Finding:
        """The finding on the difference as a finding on the two samples, with both means."""
        if finding.measured is None:
            return finding
        pair = f"{_number(sample.mean)} {sign} {_number(bound.mean)}"
        miss = max(bound.mean - sample.mean if upward else sample.mean - bound.mean, 0.0)
        part = ConditionPart(finding.verdict, ordered, _percent(miss, scale))
        return replace(finding, why=f"{pair}? difference {_text(finding.measured)}", parts=(part,))

    condition = replace(inner.with_finding_change(restated), margin=inner.margin / (scale or 1.0))
    is_tie = sample.random and bound.random and not (sample - bound).values.any()
    return condition.with_finding_change(_tie) if is_tie and not sign.endswith("=") else condition


def _tie(finding: Finding) -> Finding:
    """The finding for samples that are equal in every run (say, a parameter has no effect): no strict order."""
    parts = tuple(replace(part, verdict="inconclusive", is_on_claimed_side=None) for part in finding.parts)
    return replace(finding, verdict="inconclusive", parts=parts)


def _bases_ordered(sample: RunSample, bound: RunSample, order: str) -> bool | None:
    """Whether the bases have the order that the condition claims; None if the condition also holds for equal bases.

    For example, `a < 0.5 * b` and `3 * a < 3 * b` claim a < b, `1 - a < 1 - b` claims b < a, and `a < 1.1 * b` claims
    no order.
    """
    first, second = sample.base.mean, bound.base.mean
    with np.errstate(all="ignore"):
        if any(_holds(sample.of_base(equal), bound.of_base(equal), order) for equal in (first, second)):
            return None
        falls = sample.of_base(min(first, second)) > sample.of_base(max(first, second))
    return _holds(second, first, order) if falls else _holds(first, second, order)


def _against_number(sample: RunSample, bound: float, sign: str) -> Condition:
    upward = sign.startswith(">")
    gap = sample.mean - bound if upward else bound - sample.mean

    def at_level(alpha: float) -> Finding:
        estimate = sample.summary_at_alpha(alpha)
        ends = _interval(sample, estimate)
        if estimate is None or ends is None:
            return _undecided(estimate)
        verdict = _side(ends, bound, sign)
        beyond = sample.neutral is not None and (bound >= sample.neutral if upward else bound <= sample.neutral)
        ordered = _ordered(sample, math.inf if upward else -math.inf) if beyond else None
        part = ConditionPart(verdict, ordered, _percent(max(-gap, 0.0), bound))
        return Finding(verdict, estimate, f"{_text(estimate)}, required {sign} {_number(bound)}", (part,))

    return Condition(at_level, gap / (abs(bound) or 1.0))


def _side(interval: tuple[float, float], bound: float, sign: str) -> Verdict:
    """Whether all of an interval is on the right side of a bound."""
    ends = [_holds(end, bound, sign) for end in interval]
    return "confirmed" if all(ends) else "inconclusive" if any(ends) else "contradicted"


def _holds(value: float, bound: float, sign: str) -> bool:
    """Whether a number is on the right side of a bound; within `ROUNDING` of it, it counts as equal."""
    if abs(value - bound) <= ROUNDING * abs(bound):
        return sign.endswith("=")
    return value > bound if sign.startswith(">") else value < bound


def _ordered(sample: RunSample, claimed: float) -> bool | None:
    """Whether the mean lies on the same side of no difference as a claimed value; None if that has no side."""
    neutral = sample.neutral
    return None if neutral is None or claimed == neutral else (sample.mean - neutral) * (claimed - neutral) > 0


def _percent(miss: float, bound: float) -> float | None:
    """A distance in per cent of the bound; None if the bound is 0 and missed."""
    return 100 * miss / abs(bound) if bound else None if miss else 0.0


def _interval(sample: RunSample, estimate: Estimate | None) -> tuple[float, float] | None:
    """The interval, if there are enough runs for a decision."""
    return None if estimate is None or (sample.random and estimate.runs < FEWEST_RUNS) else estimate.ci95


def _undecided(estimate: Estimate | None) -> Finding:
    if estimate is None:
        return Finding("inconclusive", None, "no run has this number")
    return Finding("inconclusive", estimate, f"{_text(estimate)}, {estimate.runs} runs decide nothing")


def per_run(function: Callable[..., float], *samples: RunSample | Sequence[RunSample]) -> RunSample:
    """Apply a function to the numbers of each run: `per_run(slope, [q(n) for n in flows])`.

    A sequence of samples is passed as an array of one run's numbers.
    """
    flat = [s for item in samples for s in ([item] if isinstance(item, RunSample) else item)]
    runs = max(len(s.values) for s in flat)

    def value_in_run(sample: RunSample, run: int) -> float:
        return float(sample.values[run if sample.random else 0])

    values = [
        function(
            *(
                value_in_run(s, run)
                if isinstance(s, RunSample)
                else np.array([value_in_run(member, run) for member in s])
                for s in samples
            )
        )
        for run in range(runs)
    ]
    result = RunSample(values)
    result.random = any(s.random for s in flat)
    return result


def _number(value: float) -> str:
    return f"{value:.4g}"


def _text(estimate: Estimate | None) -> str:
    if estimate is None:
        return "nothing"
    if estimate.ci95 is None or estimate.ci95[0] == estimate.ci95[1]:
        return _number(estimate.mean)
    return f"{_number(estimate.mean)} [{_number(estimate.ci95[0])}, {_number(estimate.ci95[1])}]"
