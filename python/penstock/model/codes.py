"""Losses that remain after an erasure code repairs batches of losses: the compound-Poisson model of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penstock import _native
from penstock.model._calls import (
    NOT_NEGATIVE,
    PROBABILITY,
    ArgumentRange,
    ModelError,
    Numbers,
    check_numbers,
    check_scalar,
    check_whole_number,
)

FloatOrArray = npt.NDArray[np.float64] | float

_MEAN = ArgumentRange(0, 700)
_MOST = 10_000
_LARGEST_BATCH = 100


@dataclass(frozen=True)
class LossBatches:
    """Batches of consecutive losses that begin at random: `sizes` are the shares of 1, 2, ... losses.

    The thesis has (0.9, 0.1) for RED and (0.6, 0.4) for drop-tail. The mean number of losses in a block of k data and h
    redundancy packets is x = p (k + h), at most 700; a block of more than h losses is not repaired at all.

    >>> round(LossBatches((0.9, 0.1)).residual_loss(0.00613, k=16, h=1), 5)
    0.00157

    References: thesis, section 5.5, equations 5.2 and 5.3.
    """

    sizes: Sequence[float]

    def _sizes(self) -> list[float]:
        sizes = check_numbers("sizes", self.sizes, NOT_NEGATIVE)
        if sizes.ndim != 1 or not 0 < sizes.size <= _LARGEST_BATCH:
            raise ModelError(f"sizes: must be 1..{_LARGEST_BATCH} shares in a row")
        if not 0.999 <= sizes.sum() <= 1.001:
            raise ModelError(f"sizes: must sum to 1, not {sizes.sum():g}")
        return [float(share) for share in sizes]

    def mean(self) -> float:
        """Mean number of losses in a batch."""
        sizes = self._sizes()
        return sum((n + 1) * share for n, share in enumerate(sizes)) / sum(sizes)

    def distribution(self, x: float, most: int) -> npt.NDArray[np.float64]:
        """Probabilities of 0..`most` losses in a block with `x` losses on average."""
        return np.array(
            _native.batch_distribution(
                self._sizes(), check_scalar("x", x, _MEAN), check_whole_number("most", most, 0, _MOST)
            )
        )

    def unrepaired(self, x: Numbers, h: int) -> FloatOrArray:
        """Probability that a block with `h` redundancy packets is not repaired."""
        means = check_numbers("x", x, _MEAN)
        probabilities = _native.batch_unrepaired(
            self._sizes(), means.ravel().tolist(), check_whole_number("h", h, 0, _MOST)
        )
        return np.array(probabilities).reshape(means.shape) if means.ndim else probabilities[0]

    def residual_loss(self, p: Numbers, k: int, h: int) -> FloatOrArray:
        """Fraction of packets lost after repair, at the loss rate `p` before repair."""
        rates = check_numbers("p", p, PROBABILITY)
        data, redundancy = check_whole_number("k", k, 1, _MOST), check_whole_number("h", h, 0, _MOST)
        check_numbers("p (k + h)", rates * (data + redundancy), _MEAN)
        probabilities = _native.batch_residual_loss(self._sizes(), rates.ravel().tolist(), data, redundancy)
        return np.array(probabilities).reshape(rates.shape) if rates.ndim else probabilities[0]


def code_threshold(first: LossBatches, second: LossBatches, h: int) -> float | None:
    """x_h, the mean number of losses in a block up to which blocks with the batches `first` are repaired more often.

    None if no threshold lies in 0.001..700.

    >>> round(code_threshold(LossBatches((0.9, 0.1)), LossBatches((0.6, 0.4)), 1), 4)
    1.6311

    References: thesis, section 5.5; p* = x_h / (k + h) is the loss rate up to which RED is better than drop-tail.
    """
    return _native.batch_threshold(first._sizes(), second._sizes(), check_whole_number("h", h, 0, 600))
