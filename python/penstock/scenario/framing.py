"""The framing of a link layer: the bytes that an IP packet takes on the wire, and its names in tc-cake(8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.errors import did_you_mean
from penstock.units import UnitError

__all__ = ["FRAMINGS", "NO_FRAMING", "Framing", "parse_framing"]

LEAST_OVERHEAD, LARGEST_OVERHEAD = -64, 256
LARGEST_MPU = 256
CELLS = ("none", "atm", "ptm")


@dataclass(frozen=True)
class Framing:
    """The bytes of a frame, as in tc-cake(8).

    Attributes:
        overhead: bytes added to the IP packet, -64 to 256.
        mpu: minimum of the sum in bytes, 0 to 256 (minimum packet unit).
        cells: "atm" (cells of 53 bytes with 48 of payload), "ptm" (one more byte per 64 or part of them) or "none".

    """

    overhead: int = 0
    mpu: int = 0
    cells: str = "none"

    @classmethod
    def validated(cls, overhead: int, mpu: int, cells: str) -> Framing:
        """The framing with these values. Raises `UnitError` for a value out of range."""
        if cells not in CELLS:
            raise UnitError(f'cells must be "atm", "ptm" or "none", not {cells!r}')
        for name, value, least, largest in (
            ("overhead", overhead, LEAST_OVERHEAD, LARGEST_OVERHEAD),
            ("mpu", mpu, 0, LARGEST_MPU),
        ):
            if not least <= value <= largest:
                raise UnitError(f'{name} must be from {least} to {largest} bytes, such as "{max(least, 44)}B"')
        return cls(overhead, mpu, cells)

    def wire_size(self, size: int) -> int:
        """Bytes on the wire of an IP packet of `size` bytes.

        >>> FRAMINGS["pppoe-llcsnap"].wire_size(1500), FRAMINGS["docsis"].wire_size(40)
        (1749, 64)
        """
        frame = max(size + self.overhead, self.mpu, 0)
        match self.cells:
            case "atm":
                return -(-frame // 48) * 53
            case "ptm":
                return frame - (-frame // 64)
        return frame

    def canonical(self) -> dict[str, Any]:
        """The form for the engine."""
        return {"overhead": self.overhead, "mpu": self.mpu, "cells": self.cells}

    def readable(self) -> str | dict[str, str]:
        """The name of the framing, or a table if it has none."""
        for name, framing in FRAMINGS.items():
            if framing == self:
                return name
        given = {"overhead": f"{self.overhead}B"} if self.overhead else {}
        return (
            given
            | ({"mpu": f"{self.mpu}B"} if self.mpu else {})
            | ({"cells": self.cells} if self.cells != "none" else {})
        )


NO_FRAMING = Framing()

FRAMINGS: Mapping[str, Framing] = {
    "none": NO_FRAMING,
    "conservative": Framing(48, 0, "atm"),
    "pppoa-vcmux": Framing(10, 0, "atm"),
    "pppoa-llc": Framing(14, 0, "atm"),
    "pppoe-vcmux": Framing(32, 0, "atm"),
    "pppoe-llcsnap": Framing(40, 0, "atm"),
    "bridged-vcmux": Framing(24, 0, "atm"),
    "bridged-llcsnap": Framing(32, 0, "atm"),
    "ipoa-vcmux": Framing(8, 0, "atm"),
    "ipoa-llcsnap": Framing(16, 0, "atm"),
    "pppoe-ptm": Framing(30, 0, "ptm"),
    "bridged-ptm": Framing(22, 0, "ptm"),
    "docsis": Framing(18, 64),
    "ethernet": Framing(38, 84),
}
"""The framings that tc-cake(8) names, OVERHEAD COMPENSATION PARAMETERS."""


def parse_framing(value: Any) -> Framing:
    """A framing from its name or a table of `overhead`, `mpu` and `cells`. Raises `UnitError`.

    >>> parse_framing({"overhead": "44B"})
    Framing(overhead=44, mpu=0, cells='none')
    """
    if isinstance(value, str):
        if value not in FRAMINGS:
            raise UnitError(f"unknown framing{did_you_mean(value, FRAMINGS)}; available: {', '.join(FRAMINGS)}")
        return FRAMINGS[value]
    if not isinstance(value, Mapping) or not value:
        raise UnitError('must be a name such as "docsis", or a table such as { overhead = "44B", cells = "atm" }')
    keys = ("overhead", "mpu", "cells")
    for key in value:
        if key not in keys:
            raise UnitError(f'unknown key "{key}"{did_you_mean(key, keys)}; available: {", ".join(keys)}')
    return Framing.validated(
        _bytes("overhead", value.get("overhead", 0)), _bytes("mpu", value.get("mpu", 0)), value.get("cells", "none")
    )


def _bytes(key: str, value: Any) -> int:
    """A number of bytes, such as "-14B"."""
    number = re.fullmatch(r"(-?\d+) ?B", value) if isinstance(value, str) else None
    amount = int(number[1]) if number else value
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise UnitError(f'{key} must be a whole number of bytes, such as "44B"')
    return amount
