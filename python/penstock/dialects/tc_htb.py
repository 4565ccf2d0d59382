"""Classes of htb, tc-htb(8)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from penstock.dialects.conversion import DialectError
from penstock.dialects.tc_framing import framing_of_rate
from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_options import effective_options, parse_quantity
from penstock.dialects.tc_table_classes import CLASSES
from penstock.dialects.tc_units import RATES, SIZES, parse_whole_of_word
from penstock.units import format_rate, parse_size

__all__ = ["HTB_BURST", "HtbClass", "class_ancestry", "oversubscription_note", "reachable_rate"]

HTB_BURST = "1600B"
"""Default burst that tc computes: 1600 B plus the bytes of one tick of its clock (mostly none)."""

HTB_TICKS = (math.inf, 1000, 300, 250, 100)
"""Ticks per second of tc's clock: with a high-resolution timer, and on kernels without one."""


class HtbClass:
    """The options of a class of htb, whose line may leave out the device."""

    def __init__(self, line: TcObject, device: str = "") -> None:
        self.lost_settings: list[str] = []
        self.parent = line.parent
        own = effective_options(CLASSES["htb"], line, self.lost_settings)
        if "rate" not in own:
            raise DialectError("a class of htb needs a rate")
        self.rate = parse_quantity(own["rate"], RATES, "rate")
        self.ceil = parse_quantity(own["ceil"], RATES, "rate") if "ceil" in own else self.rate
        self.burst = f"{round(parse_quantity(own['burst'], SIZES, 'size'))}B" if "burst" in own else None
        self.framing = framing_of_rate(own, line, device)
        self.prio = parse_whole_of_word("prio", own.get("prio", "0"))

    def lost_options(self, place: str, root: float, ranked: bool) -> list[str]:
        """Messages on the options of a class that have no counterpart here."""
        losses = (
            []
            if self.ceil >= root
            else [f"ceil {format_rate(round(self.ceil))} of {place}: here it may use the whole link"]
        )
        return losses + (self._unsaid_options(place) if ranked else self.lost_options_except_ceil(place))

    def lost_options_except_ceil(self, place: str) -> list[str]:
        """Messages on the options of this class that cannot be expressed, without `ceil`.

        They are lost because the rate of the class becomes the link's rate or a weight.
        """
        has_burst = self.burst is not None and not _is_computed(parse_size(self.burst), self.rate)
        return [f"burst {self.burst} of {place}"] * has_burst + self._unsaid_options(place)

    def _unsaid_options(self, place: str) -> list[str]:
        return [f"{item} of {place}" for item in self.lost_settings if not self._is_default(item)]

    def _is_default(self, item: str) -> bool:
        """Whether this is the bucket or quantum that tc computes and prints if none is given, tc-htb(8)."""
        word, value = item.split(":")[0].split(" ")[:2]
        if word == "cburst":
            return _is_computed(parse_quantity(value, SIZES, "size"), self.ceil)
        if word == "quantum":
            return parse_quantity(value, SIZES, "size") == min(max(self.rate / 8 / R2Q, QUANTA[0]), QUANTA[1])
        return False


def class_ancestry(place: str, classes: Mapping[str, HtbClass]) -> list[str]:
    """The class and all classes above it, the root class last. Raises `DialectError` for a class below itself."""
    above = [place]
    while (parent := classes[above[-1]].parent) in classes:
        if parent in above:
            raise DialectError(f"class {parent} is its own ancestor")
        above.append(parent)
    return above


def reachable_rate(place: str, classes: Mapping[str, HtbClass]) -> float:
    """The rate of a class that sends alone, tc-htb(8): its own rate, or up to its ceil if a class above lends to it.

    A class at the root cannot borrow (measured with Linux 6.18).
    """
    *below, top = class_ancestry(place, classes)
    rate = classes[top].rate
    for name in reversed(below):
        rate = max(classes[name].rate, min(classes[name].ceil, rate))
    return rate


def oversubscription_note(leaves: Mapping[str, HtbClass], root: float) -> list[str]:
    """A note if the rates of the classes exceed the link's: htb serves each at its own (measured with Linux 6.18)."""
    total = sum(one.rate for one in leaves.values())
    if total <= root * (1 + 1e-9):
        return []
    sum_text = format_rate(round(total))
    return [f"the rates of the classes add up to {sum_text}: htb sends each at its rate, also above the link's"]


R2Q = 10
QUANTA = (1000, 200_000)
"""Divisor of htb for quanta, and the range in bytes to which it limits them."""


def _is_computed(burst: float, rate: float) -> bool:
    """Whether tc computes this burst for a rate in bit/s; it prints some sizes to 16 B."""
    return any(abs(burst - parse_size(HTB_BURST) - rate / 8 / ticks) < 16 for ticks in HTB_TICKS)
