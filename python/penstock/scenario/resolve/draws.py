"""Values that may be drawn: from a distribution, from a list, or spread evenly over the copies of a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

from penstock.errors import did_you_mean
from penstock.scenario.resolve.distributions import distribution_points
from penstock.units import UnitError

KINDS: Final = ("uniform", "exp", "pareto", "list", "cdf", "file", "linear")


@dataclass(frozen=True)
class DrawableValue:
    """A value in canonical units: `fixed`, a `rule` to draw from, or the `ends` of a range over the copies."""

    readable: Any
    fixed_value: int | None = None
    distribution: Mapping[str, Any] | None = None
    linear_ends: tuple[int, int] | None = None

    def canonical(self, copy: int, count: int) -> int | Mapping[str, Any]:
        """The value for the engine, for copy `copy` of `count`."""
        if self.distribution is not None:
            return self.distribution
        return self.value_if_fixed(copy, count) or 0

    def mean(self, copy: int = 0, count: int = 1) -> float:
        """The mean of the value, for copy `copy` of `count`."""
        return (
            mean_value(self.distribution)
            if self.distribution is not None
            else float(self.value_if_fixed(copy, count) or 0)
        )

    def value_if_fixed(self, copy: int, count: int) -> int | None:
        """The value of this copy if it is not drawn in the run, else None."""
        if self.linear_ends is None:
            return self.fixed_value
        first, last = self.linear_ends
        return round(first + Fraction((last - first) * copy, max(count - 1, 1)))


def mean_value(value: Any, most: float | None = None) -> float:
    """The mean of a canonical value, fixed or drawn; for a Pareto distribution, with its values limited to `most`.

    Most gaps with a heavy tail are far shorter than their mean, so a run of length `most` has more gaps than the mean
    suggests.
    """
    match value:
        case {"uniform": [low, high]}:
            return float(low + high) / 2
        case {"exp": average}:
            return float(average)
        case {"pareto": average, "shape": shape}:
            if most is None or most <= 0:
                return float(average)
            scale = average * (shape - 1) / shape
            return float(average - scale / (shape - 1) * (scale / most) ** (shape - 1)) if most > scale else float(most)
        case {"list": values}:
            return float(sum(values)) / len(values)
        case {"cdf": points}:
            between = sum((a + b) / 2 * (q - p) for (a, p), (b, q) in pairwise(points))
            return float(points[0][0] * points[0][1] + between)
    return float(value or 0)


def drawable_parser(
    parse: Callable[[Any], int], show: Callable[[float], Any], *, copies: bool = False
) -> Callable[[Any], DrawableValue]:
    """A parser of a fixed value or of a table such as `{ uniform = ["20ms", "100ms"] }`.

    `copies`: whether `linear` is allowed.
    """
    allowed = [kind for kind in KINDS if copies or kind != "linear"]

    def parse_draw(value: Any) -> DrawableValue:
        if not isinstance(value, Mapping):
            fixed = parse(value)
            return DrawableValue(show(fixed), fixed_value=fixed)
        kinds = [key for key in value if key in KINDS]
        for key in value:
            if key not in KINDS and key not in ("shape", "unit"):
                raise UnitError(
                    f'unknown way to draw "{key}"{did_you_mean(key, allowed)}; available: {", ".join(allowed)}'
                )
        if len(kinds) != 1:
            raise UnitError(f"give exactly one of {', '.join(allowed)}")
        kind = kinds[0]
        if kind not in allowed:
            raise UnitError("linear spreads the copies of a counted link; it is not possible here")
        if "shape" in value and kind != "pareto":
            raise UnitError("shape requires pareto")
        if "unit" in value and kind != "file":
            raise UnitError("unit requires file")
        return _drawn(kind, value, parse, show)

    return parse_draw


def _drawn(
    kind: str, value: Mapping[str, Any], parse: Callable[[Any], int], show: Callable[[float], Any]
) -> DrawableValue:
    if kind in ("uniform", "linear"):
        pair = value[kind]
        if not isinstance(pair, list) or len(pair) != 2:
            raise UnitError(f"{kind} needs a list of two values, its ends")
        first, last = parse(pair[0]), parse(pair[1])
        readable = {kind: [show(first), show(last)]}
        if kind == "linear":
            return DrawableValue(readable, linear_ends=(first, last))
        if first > last:
            raise UnitError("uniform needs its lower end first")
        return DrawableValue(readable, distribution={"uniform": [first, last]})
    if kind == "exp":
        mean = parse(value[kind])
        return DrawableValue({"exp": show(mean)}, distribution={"exp": mean})
    if kind == "pareto":
        mean, shape = parse(value[kind]), value.get("shape")
        if isinstance(shape, bool) or not isinstance(shape, (int, float)) or not 1 < shape <= 1000:
            raise UnitError(
                "pareto needs a shape above 1 (so that it has a mean) and at most 1000, such as shape = 1.2"
            )
        return DrawableValue({"pareto": show(mean), "shape": shape}, distribution={"pareto": mean, "shape": shape})
    if kind in ("cdf", "file"):
        pairs = distribution_points(kind, value[kind], parse, value.get("unit"))
        named = isinstance(value[kind], str) and kind == "cdf"
        readable_points = value[kind] if named else [[show(amount), share] for amount, share in pairs]
        return DrawableValue({"cdf": readable_points}, distribution={"cdf": [list(point) for point in pairs]})
    items = value[kind]
    if not isinstance(items, list) or not items:
        raise UnitError("list needs a list of at least one value")
    values = [parse(item) for item in items]
    return DrawableValue({"list": [show(item) for item in values]}, distribution={"list": values})
