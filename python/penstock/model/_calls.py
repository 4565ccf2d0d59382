"""Argument checks of the functions of `penstock.model`, and their calls of the native module."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock import _native
from penstock.errors import PenstockError, did_you_mean

__all__ = [
    "NOT_NEGATIVE",
    "PER_ACK",
    "POSITIVE",
    "POSITIVE_PROBABILITY",
    "PROBABILITY",
    "ArgumentRange",
    "ModelError",
    "Numbers",
    "call_native",
    "check_numbers",
    "check_scalar",
    "check_whole_number",
    "check_word",
]

Numbers = float | Sequence[float] | npt.NDArray[Any]
"""The allowed values of an argument."""


class ModelError(PenstockError, ValueError):
    """An argument of a model outside its range."""


@dataclass(frozen=True)
class ArgumentRange:
    """The range of an argument: `low` .. `high`, excluding `low` if `above`."""

    low: float
    high: float = math.inf
    above: bool = False
    whole: bool = False

    def __str__(self) -> str:
        """The range as text: `0..1`, `above 0` or `a whole number 1..1000`."""
        kind = "a whole number " if self.whole else ""
        if math.isinf(self.high):
            return f"{kind}{'above' if self.above else 'at least'} {self.low:g}"
        return f"{kind}{self.low:g}..{self.high:g}" + (f", not {self.low:g}" if self.above else "")

    def allows(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """For each of these numbers, whether it is in the range."""
        low = values > self.low if self.above else values >= self.low
        within = low & (values <= self.high)
        return within & (values == np.floor(values)) if self.whole else within


PROBABILITY = ArgumentRange(0, 1)
POSITIVE_PROBABILITY = ArgumentRange(0, 1, above=True)
POSITIVE = ArgumentRange(0, above=True)
NOT_NEGATIVE = ArgumentRange(0)
PER_ACK = ArgumentRange(1, 1000)


def check_numbers(name: str, values: Numbers, allowed: ArgumentRange) -> npt.NDArray[np.float64]:
    """The numbers of an argument; a `ModelError` names the first that is not allowed."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{name} = {values!r}: must be a number or an array of numbers, {allowed}") from None
    wrong = ~allowed.allows(numbers)
    if wrong.any():
        raise ModelError(f"{name} = {numbers[wrong].flat[0]:g}: must be {allowed}")
    return numbers


def check_scalar(name: str, value: float, allowed: ArgumentRange) -> float:
    """The single number of an argument."""
    numbers = check_numbers(name, value, allowed)
    if numbers.ndim:
        raise ModelError(f"{name}: must be one number, {allowed}, not an array")
    return float(numbers)


def check_whole_number(name: str, value: int, low: int, high: int) -> int:
    """The single whole number of an argument."""
    return int(check_scalar(name, value, ArgumentRange(low, high, whole=True)))


def check_word(name: str, value: str, allowed: Iterable[str]) -> str:
    """The argument, which must be one of the allowed words; a `ModelError` lists them."""
    words = list(allowed)
    if value not in words:
        hint = did_you_mean(str(value), words)
        raise ModelError(f"{name} = {value!r}: must be one of {', '.join(words)}{hint}")
    return value


def call_native(form: str, *arguments: npt.NDArray[np.float64] | float) -> npt.NDArray[np.float64] | float:
    """The native function `form` of these arguments, broadcast; a plain number if all arguments are numbers."""
    arrays = [np.asarray(argument, dtype=np.float64) for argument in arguments]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays if array.ndim)
        raise ModelError(f"the arguments have shapes that do not fit together: {shapes}") from None
    if 0 in shape:
        return np.empty(shape)
    rows = [
        [float(array.flat[0])] if array.size == 1 else np.broadcast_to(array, shape).ravel().tolist()
        for array in arrays
    ]
    values = _native.model(form, rows)
    return np.array(values).reshape(shape) if shape else values[0]
