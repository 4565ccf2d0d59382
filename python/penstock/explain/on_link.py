"""`penstock explain SCHEME --scenario FILE`: the link of a scenario, its time constants, and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.errors import PenstockError
from penstock.explain.warnings import Warned, of_scenario
from penstock.results.display import scheme_argument
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.resolve import Resolved
from penstock.scenario.scenario import Document
from penstock.studies.candidate import Candidate
from penstock.studies.plan import check_places, placed
from penstock.units import format_rate, format_time

__all__ = ["OnLink"]


@dataclass(frozen=True)
class OnLink:
    """A scheme on a link of a scenario.

    Attributes:
        scheme: with its parameters, in the notation of `--scheme`; those of the scenario's own queue if it is the same
            scheme and none are given.
        link: the link.
        resolved: the scenario with the scheme on that link.

    """

    scheme: str
    link: LoadedLink
    resolved: Resolved

    @classmethod
    def of(cls, scheme: str, document: Document, at: str | None) -> OnLink:
        """The scheme on a link, by default the first watched one. Raises `ScenarioError`."""
        candidate = Candidate.parse(scheme, f"explain {scheme}")
        before = document.resolve()
        if at is None and not before.watched:
            raise PenstockError("no link is watched: name one with --at LINK, or set watch = true in its table")
        place = at or before.watched[0]
        check_places(document, [place])
        own = document.tree["links"][place.removesuffix(".reverse")].get("queue")
        if not candidate.params and isinstance(own, Mapping) and own.get("scheme") == candidate.name:
            given = {name: value for name, value in own.items() if name not in ("scheme", "limit", "share")}
            candidate = Candidate(candidate.name, given)
        resolved = placed(document, candidate, (place,)).resolve()
        return cls(scheme_argument(candidate.name, candidate.params), LoadedLink.of(resolved, place), resolved)

    @property
    def options(self) -> dict[str, str]:
        """The options of `explain` that describe this link."""
        link = self.link
        return {
            "link": f"{link.rate:.0f}bit",
            "rtt": f"{1e9 * link.rtt:.0f}ns",
            "flows": f"{link.flows}",
            "limit": f"{max(1, round(link.buffer))}p",
        }

    @property
    def warnings(self) -> list[Warned]:
        """Settings that do not suit the link."""
        return of_scenario(self.resolved, [self.link.place])

    def text(self) -> str:
        """The link in numbers, and the warnings."""
        return "\n".join(self._lines()) + "\n\n"

    def _lines(self) -> Iterator[str]:
        link = self.link
        title = f"On {link.place}"
        yield title
        yield "-" * len(title)
        yield (
            f"{format_rate(link.rate)}, round trip {format_time(1e9 * link.rtt)}, {link.flows} TCP flows, packets of "
            f"{link.packet:.4g} B"
        )
        for name, value in self.numbers().items():
            yield f"{name:<38} {value}"
        for warned in self.warnings:
            yield f"warning: {warned.text}"

    def numbers(self) -> dict[str, str]:
        """Sizes and time constants."""
        link = self.link
        root = link.bdp / math.sqrt(link.flows)
        drain = _ms(link.buffer * link.packet_s)
        found = {
            "bandwidth-delay product": f"{link.bdp:.4g} packets",
            "buffer": f"{link.buffer:.4g} packets, {link.buffer / link.bdp:.3g} BDP, drains in {drain}",
            "BDP over the root of the flows": f"{root:.4g} packets: less leaves the link idle",
            "time of a packet": _ms(link.packet_s),
        }
        weight = self._weight()
        if weight is not None:
            constant = -link.packet_s / math.log1p(-weight)
            found["time constant of the average"] = (
                f"{_ms(constant)}, {constant / link.rtt:.3g} round trips (w_q = {weight:.3g})"
            )
        return found

    def _weight(self) -> float | None:
        """RED's weight, that of the link's rate where it is automatic; None without an average."""
        table: Mapping[str, Any] = self.resolved.shown["links"][self.link.place.removesuffix(".reverse")]["queue"]
        value = table.get("w_q")
        if value == "auto":
            return -math.expm1(-self.link.packet_s)
        return float(value) if isinstance(value, (int, float)) and 0 < value < 1 else None


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
