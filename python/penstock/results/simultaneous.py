"""Simultaneous intervals: a family of means whose intervals cover all of them together with probability 95 %.

A statement about many cells ("red leads at every load") is wrong as soon as one of its intervals misses. Max-t
(Westfall and Young; Romano and Wolf) bounds the largest of all studentized errors. All numbers of one seed are one
replicate: the errors of whole replicates get random signs, which keeps the dependence of cells that share a seed. Cells
whose errors are strongly correlated need hardly wider intervals than a single cell. Any correlation is allowed; the
distribution of the errors should be symmetric, like the distribution of differences of similar numbers. For skewed
numbers Student's t itself covers less often.

The result is the level of each single interval by Student's t, `adjusted_alpha`. It lies between the level of one
interval alone and Bonferroni's, which bound it for normal numbers of any dependence. With too few runs, random signs
cannot resolve errors as rare as Bonferroni's level allows; then Bonferroni's level is used.

References:
    P. H. Westfall, S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993, section 2.5 (minimum p-value).
    J. P. Romano, M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", J. American
    Statistical Association 100(469), 2005.
    S. Arlot, G. Blanchard, E. Roquain, "Some nonasymptotic results on resampling in high dimension, I: Confidence
    regions", Annals of Statistics 38(1), 2010 (random signs).

"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from penstock.results.estimate import ALPHA

__all__ = ["MOST_CELLS", "adjusted_alpha"]

Array = npt.NDArray[np.float64]

DRAWS = 10_000
"""Draws of signs: the standard error of the probability 5 % is 0.2 %."""

SEED = 1
"""Seed of the draws, so that the same runs give the same intervals."""

BLOCK = 2_000_000
"""Numbers of a block of draws, which bounds memory."""

MOST_CELLS, MOST_NUMBERS = 20_000, 1_000_000
"""Maximum numbers of cells, and of cells times runs, of a family that is resampled, which takes seconds; larger
families get Bonferroni's level."""


def adjusted_alpha(data: Array, alpha: float = ALPHA) -> float:
    """The miss probability of each interval at which all intervals together miss with probability `alpha`.

    `data` has a row for each run and a column for each cell, with NaN where a run lacks the number. Columns without an
    interval (fewer than two numbers), or with equal numbers only, do not count.

    >>> runs = np.random.default_rng(1).standard_normal((30, 1))
    >>> adjusted_alpha(runs)
    0.05
    >>> adjusted_alpha(np.hstack([runs, 3 - 2 * runs]))
    0.05
    >>> 0.025 <= adjusted_alpha(np.hstack([runs, runs[::-1]])) < 0.03
    True
    """
    present = np.isfinite(data)
    counts = present.sum(axis=0)
    lowest = np.where(present, data, math.inf).min(axis=0, initial=math.inf)
    highest = np.where(present, data, -math.inf).max(axis=0, initial=-math.inf)
    random = (counts > 1) & (lowest < highest)
    cells = int(random.sum())
    if cells < 2:
        return alpha
    bonferroni = alpha / cells
    rarest = 2.0 ** (1 - float(counts[random].min()))  # the probability that the errors of all runs get the same sign
    if rarest > bonferroni or cells > MOST_CELLS or cells * len(data) > MOST_NUMBERS:
        return bonferroni
    rank = math.floor(alpha * (DRAWS + 1))
    smallest = np.ones(DRAWS)
    for runs in np.unique(counts[random]):
        largest = _largest_t(data[:, random & (counts == runs)], int(runs))
        rare = np.argpartition(largest, -rank)[-rank:]  # no other draw can be among the `rank` smallest p-values
        smallest[rare] = np.minimum(smallest[rare], _p_values(largest[rare], int(runs)))
    quantile = float(np.partition(smallest, rank - 1)[rank - 1])
    # Three digits, more than the draws decide: the order of a sum, which differs between machines, does not matter.
    return min(max(float(f"{quantile:.3g}"), bonferroni), alpha)


def _largest_t(data: Array, runs: int) -> Array:
    """The largest magnitude of Student's t of the columns, each with `runs` numbers, for each draw of signs."""
    errors = np.nan_to_num(data - np.nanmean(data, axis=0))
    errors /= np.sqrt((errors**2).sum(axis=0))
    largest = [np.abs(signs @ errors).max(axis=1) for signs in _signs(len(data), BLOCK // max(data.shape))]
    square = np.concatenate(largest) ** 2
    # The sum of squares of a column is 1 with any signs: Student's t grows with the magnitude of the sum of errors.
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(square / np.maximum(1 - square / runs, 0) * (runs - 1) / runs), dtype=float)


def _signs(runs: int, block: int) -> Iterator[Array]:
    """The signs of the runs in each draw, in blocks of draws."""
    stream = np.random.Generator(np.random.PCG64(SEED))
    for start in range(0, DRAWS, block):
        yield np.where(stream.random((min(block, DRAWS - start), runs)) < 0.5, -1.0, 1.0)


def _p_values(t: Array, runs: int) -> Array:
    """The probability that the magnitude of Student's t with `runs` - 1 degrees of freedom exceeds `t`."""
    from scipy.special import stdtr  # scipy.stats takes a second to import

    return np.asarray(2 * stdtr(runs - 1, -t), dtype=float)
