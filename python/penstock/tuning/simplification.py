"""Simplification of searched settings: parameters that do not matter are unset, the others are rounded."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from penstock.tuning.bench import MeasuredSetting, Setting, TuningBench
from penstock.tuning.floors import violated_floors
from penstock.tuning.paste import round_to_tc_values
from penstock.tuning.population import NetworkDraw

__all__ = ["round_mantissa", "simplify_settings"]

ROUND_MANTISSAS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Mantissas of round numbers."""

TOLERANCE = 0.02
"""If all aims have bounds, the mean cost of a simpler setting may be higher by this."""


def simplify_settings(
    bench: TuningBench,
    measured: Sequence[MeasuredSetting],
    fixed: Mapping[str, Collection[str]],
    draws: Sequence[NetworkDraw],
) -> list[MeasuredSetting]:
    """Each setting with its parameters unset and rounded as far as its cost allows.

    The settings were measured on `draws`. `fixed` has, by scheme, the parameters that the user has given, which stay.
    """
    unset = _simplified(bench, measured, draws, fixed, lambda setting: _without_each(bench, setting, fixed))
    return _simplified(bench, unset, draws, fixed, lambda setting: [_with_round_numbers(bench, setting, fixed)])


def _simplified(
    bench: TuningBench,
    measured: Sequence[MeasuredSetting],
    draws: Sequence[NetworkDraw],
    fixed: Mapping[str, Collection[str]],
    variants: Callable[[Setting], list[Setting]],
) -> list[MeasuredSetting]:
    """Each setting, or its best variant among those with the fewest parameters that are not materially worse."""
    families = [
        [each for each in variants(original.setting) if _is_allowed(bench, each, fixed)] for original in measured
    ]
    distinct = {setting.label: setting for family in families for setting in family}
    results = {each.setting.label: each for each in bench.measure([*distinct.values()], draws)} if distinct else {}
    chosen = []
    for original, family in zip(measured, families, strict=True):
        max_cost = float(bench.search_costs(original).mean()) + (
            TOLERANCE if all(aim.has_bound for aim in bench.aims) else 0.0
        )
        good = [results[each.label] for each in family if bench.search_costs(results[each.label]).mean() <= max_cost]
        chosen.append(min(good, key=lambda each: (len(each.setting.parameters), each.mean_score), default=original))
    return chosen


def _is_allowed(bench: TuningBench, setting: Setting, fixed: Mapping[str, Collection[str]]) -> bool:
    kept = fixed.get(setting.scheme, ())
    return bench.is_valid(setting) and not violated_floors(setting.scheme, setting.parameters, bench.link, kept)


def _without_each(bench: TuningBench, setting: Setting, fixed: Mapping[str, Collection[str]]) -> list[Setting]:
    """The setting without one of its searched parameters, and with only one of them, for each of them.

    Each is rounded again: an unset parameter may have a default that tc cannot represent.
    """
    kept = fixed.get(setting.scheme, ())
    own = [name for name in setting.parameters if name not in kept]
    sets = {frozenset([name]) for name in own} | {frozenset(own) - {name} for name in own}
    remaining = [
        {name: value for name, value in setting.parameters.items() if name not in omitted}
        for omitted in sorted(sets, key=sorted)
        if omitted
    ]
    return [
        replace(setting, parameters=round_to_tc_values(setting.scheme, rest, kept, bench.link)) for rest in remaining
    ]


def _with_round_numbers(bench: TuningBench, setting: Setting, fixed: Mapping[str, Collection[str]]) -> Setting:
    kept = fixed.get(setting.scheme, ())
    parameters = {name: value if name in kept else round_mantissa(value) for name, value in setting.parameters.items()}
    return replace(setting, parameters=round_to_tc_values(setting.scheme, parameters, kept, bench.link))


def round_mantissa(value: Any) -> Any:
    """The nearest number with a round mantissa, also in lists and before a unit; other values are unchanged.

    >>> round_mantissa(0.0187), round_mantissa("26.3ms"), round_mantissa([6.74, 1.18]), round_mantissa(True)
    (0.02, '25ms', [6.0, 1.2], True)
    """
    if isinstance(value, list):
        return [round_mantissa(each) for each in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return type(value)(_nearest(float(value)))
    if isinstance(value, str) and (form := re.fullmatch(r"([\d.]+)([A-Za-z]+)", value)):
        return f"{_nearest(float(form[1])):g}{form[2]}"
    return value


def _nearest(value: float) -> float:
    if value <= 0:
        return value
    exponent = math.floor(math.log10(value))
    return float(
        f"{min(ROUND_MANTISSAS, key=lambda each: abs(math.log(each * 10**exponent / value))) * 10**exponent:.3g}"
    )
