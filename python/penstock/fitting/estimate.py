"""A value estimated from a capture with its interval, or the reason why it is unknowable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Estimate", "unknowable"]


@dataclass(frozen=True)
class Estimate:
    """A value estimated from a capture.

    Attributes:
        value: the estimate in `unit`; None if it is unknowable from this capture.
        unit: `"bit/s"`, `"s"`, `"B"`, or `""` for words and counts.
        low: lower end of the interval, `high` the upper end; None if the value is exact or a word.
        why: reason why the value is unknowable, or its source.

    """

    value: float | int | str | bool | None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    why: str = ""

    def covers(self, value: float) -> bool:
        """Whether the interval contains a value; False without an interval."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values."""
        interval = None if self.low is None else [self.low, self.high]
        return {"value": self.value, "unit": self.unit, "interval": interval, "why": self.why}


def unknowable(why: str, unit: str = "") -> Estimate:
    """An estimate without a value, and the reason."""
    return Estimate(None, unit, why=why)
