"""An estimate: a value with its interval, or the reason why it is unknowable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Estimate", "unknowable"]


@dataclass(frozen=True)
class Estimate:
    """A value that a capture tells.

    Attributes:
        value: in `unit`; None if it is unknowable from this capture.
        unit: `"bit/s"`, `"s"`, `"B"`, `"packets"`, or `""` for words and counts.
        low: lower end of the interval, `high` the upper end; None for a value that is exact or a word.
        why: why the value is unknowable, or what it rests on.

    """

    value: float | int | str | bool | None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    why: str = ""

    def covers(self, value: float, slack: float = 0.0) -> bool:
        """Whether the interval contains a value, up to a relative slack; False without an interval."""
        if self.low is None or self.high is None:
            return False
        return self.low <= (1 + slack) * value and self.high >= (1 - slack) * value

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values."""
        interval = None if self.low is None else [self.low, self.high]
        return {"value": self.value, "unit": self.unit, "interval": interval, "why": self.why}


def unknowable(why: str, unit: str = "") -> Estimate:
    """No value, and the reason."""
    return Estimate(None, unit, why=why)
