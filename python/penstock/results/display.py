"""Numbers for display: choice of the unit, and of the number of digits that the interval supports."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from penstock.results.metrics import Quantity

SHORT, LONG = 0.1, 100.0
"""Seconds: if a time is below `SHORT`, it and the times next to it that are below `LONG` are shown in milliseconds."""


@dataclass(frozen=True)
class DisplayUnit:
    """`value * factor` is the number in `unit`."""

    factor: float
    unit: str


def display_unit(quantity: Quantity, values: Iterable[float]) -> DisplayUnit:
    """The unit for a set of values of one metric, from the largest and, for times, the smallest of them.

    Times that range from milliseconds to seconds are in milliseconds.

    >>> [display_unit("time", times).unit for times in ([0.011, 5.0], [0.5, 5.0], [0.011, 500.0])]
    ['ms', 's', 's']
    """
    sizes = [abs(value) for value in values if math.isfinite(value)]
    top = max(sizes, default=0.0)
    match quantity:
        case "time":
            shortest = min((size for size in sizes if size > 0), default=top)
            if shortest < SHORT and 1.0 <= top < LONG:
                return DisplayUnit(1e3, "ms")
            return _step(
                top, ((1.0, DisplayUnit(1.0, "s")), (1e-3, DisplayUnit(1e3, "ms"))), DisplayUnit(1e6, "µs"), zero="ms"
            )
        case "rate":
            steps = (
                (1e9, DisplayUnit(1e-9, "Gbit/s")),
                (1e6, DisplayUnit(1e-6, "Mbit/s")),
                (1e3, DisplayUnit(1e-3, "kbit/s")),
            )
            return _step(top, steps, DisplayUnit(1.0, "bit/s"))
        case "bytes":
            steps = ((1e9, DisplayUnit(1e-9, "GB")), (1e6, DisplayUnit(1e-6, "MB")), (1e4, DisplayUnit(1e-3, "kB")))
            return _step(top, steps, DisplayUnit(1.0, "B"))
        case "share":
            return DisplayUnit(100.0, "%")
        case "packets":
            return DisplayUnit(1.0, "packets")
        case "packets2":
            return DisplayUnit(1.0, "packets²")
        case "count" | "ratio" | "number":
            return DisplayUnit(1.0, "")


def decimal_places(values: Iterable[float], halves: Iterable[float] = ()) -> int:
    """Decimals for numbers side by side: two significant digits of the median half-width.

    Without intervals: four significant digits of the largest number, no decimals for integers.

    >>> decimal_places([12.345, 11.9], [0.217, 0.18])
    2
    >>> decimal_places([0.00477])
    6
    >>> decimal_places([18, 25])
    0
    """
    spread = sorted(h for h in halves if h > 0 and math.isfinite(h))
    if spread:
        median = 1 - math.floor(math.log10(spread[len(spread) // 2]))
        finest = -math.floor(math.log10(spread[0]))
        places = min(max(median, finest), median + 1)
    else:
        finite = [v for v in values if math.isfinite(v)]
        if all(v == round(v) for v in finite):
            return 0
        places = 3 - math.floor(math.log10(max(abs(v) for v in finite)))
    return min(max(places, 0), 6)


def format_number(value: float, places: int) -> str:
    """`value` with `places` decimals, thousands separated, and a true minus sign.

    >>> format_number(18231.4, 0)
    '18\u202f231'
    >>> format_number(-0.001, 2)
    '0.00'
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.{places}f}".replace(",", "\u202f")
    if text.startswith("-"):
        text = "−" + text[1:] if any(c in "123456789" for c in text) else text[1:]
    return text


def with_spaced_unit(value: object) -> str:
    """A value of a scenario with its unit separated: `1.5 Mbit/s`, `20 ms`, `35 packets`.

    >>> [with_spaced_unit(value) for value in ("1.5Mbit", "20ms", "35p", "inf", 35)]
    ['1.5 Mbit/s', '20 ms', '35 packets', 'inf', '35']
    """
    match = re.fullmatch(r"([0-9.]+)([A-Za-zµ%/]+)", str(value))
    if not match:
        return str(value)
    size, unit = match.groups()
    if unit == "p":
        return f"{size} packet{'' if size == '1' else 's'}"
    return f"{size} {unit}/s" if unit.endswith("bit") else f"{size} {unit}"


def round_to_digits(value: float, digits: int) -> float:
    """A number rounded to `digits` significant digits.

    >>> round_to_digits(0.123456, 4)
    0.1235
    """
    return float(f"{value:.{digits}g}")


def setting_text(value: object) -> str:
    """A value in the notation of `--scheme` and `--vary`: `true`, `0.1`, `10Mbit`.

    >>> setting_text(True), setting_text(0.1), setting_text(5), setting_text("10Mbit"), setting_text([1, 2])
    ('true', '0.1', '5', '10Mbit', '[1, 2]')
    """
    return value if isinstance(value, str) else _inline(value)


def _inline(value: object) -> str:
    """A value as inline TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    return json.dumps(value)


def scheme_argument(name: str, params: Mapping[str, Any]) -> str:
    """A scheme with its given parameters, in the notation of `--scheme`: `red:gentle=true`."""
    settings = ",".join(f"{key}={setting_text(value)}" for key, value in params.items())
    return f"{name}:{settings}" if settings else name


def short_text(value: object) -> str:
    """A value of a result in a few characters: six significant digits for a number, the length for a list.

    >>> short_text(0.123456789), short_text([1, 2]), short_text(None), short_text(7)
    ('0.123457', '[2 values]', '–', '7')
    """
    if value is None:
        return "–"
    if isinstance(value, (list, np.ndarray)):
        return f"[{len(value)} values]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number; true and false do not count as numbers."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _step(
    top: float, steps: tuple[tuple[float, DisplayUnit], ...], smallest: DisplayUnit, zero: str = ""
) -> DisplayUnit:
    if top == 0 and zero:
        return next((s for _, s in steps if s.unit == zero), smallest)
    return next((scale for threshold, scale in steps if top >= threshold), smallest)


def count_phrase(number: int, noun: str) -> str:
    """A number of things in words.

    >>> count_phrase(1, "run"), count_phrase(2, "run")
    ('1 run', '2 runs')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def join_with_and(texts: Sequence[str]) -> str:
    """The texts with commas and, before the last one, "and".

    >>> join_with_and(["delay < 20ms"]), join_with_and(["a", "b"]), join_with_and(["a", "b", "c"])
    ('delay < 20ms', 'a and b', 'a, b and c')
    """
    return " and ".join([part for part in (", ".join(texts[:-1]), *texts[-1:]) if part])
