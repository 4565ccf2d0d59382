"""`penstock explain` for a link with flows: sizes, time constants, operating point, settings and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.errors import PenstockError
from penstock.explain.settings_on_link import format_seconds, settings_on_link
from penstock.explain.warnings import (
    LinkWarning,
    average_seconds,
    lost_setting_warnings,
    queue_warnings,
    rate_mismatch_warnings,
)
from penstock.results.display import scheme_argument
from penstock.scenario.document import Document
from penstock.scenario.loaded_link import LoadedLink, queue_table
from penstock.studies.candidate import Candidate
from penstock.studies.plan import check_places, with_candidate_queue
from penstock.units import format_rate, format_time

if TYPE_CHECKING:
    from penstock.explain.explanation import Explanation

__all__ = ["SchemeOnLink"]


@dataclass(frozen=True)
class SchemeOnLink:
    """A scheme on a link with TCP flows, for its numbers, settings and warnings.

    Attributes:
        scheme: with its parameters, in the notation of `--scheme`.
        link: the link.
        table: the scheme's settings as `check` shows them.
        expected_warnings: warnings about a rate and settings, in a text of another dialect, that are ignored here.

    """

    scheme: str
    link: LoadedLink
    table: Mapping[str, Any]
    expected_warnings: tuple[LinkWarning, ...] = ()

    @classmethod
    def from_document(cls, scheme: str, document: Document, at: str | None) -> SchemeOnLink:
        """The scheme on a link of a scenario, by default the first watched one. Raises `ScenarioError`.

        Without parameters it has the parameters of the scenario's own queue, if that queue has the same scheme.
        """
        candidate = Candidate.parse(scheme, f"explain {scheme}")
        before = document.resolve()
        if at is None and not before.watched:
            raise PenstockError("no link is watched: name one with --at LINK, or set watch = true in its table")
        place = at or before.watched[0]
        check_places(document, [place])
        own = document.tree["links"][place.removesuffix(".reverse")].get("queue")
        if not candidate.params and isinstance(own, Mapping) and own.get("scheme") == candidate.name:
            settings = {name: value for name, value in own.items() if name not in ("scheme", "limit", "share")}
            candidate = Candidate(candidate.name, settings)
        resolved = with_candidate_queue(document, candidate, (place,)).resolve()
        table = queue_table(resolved, place)
        ignored = (
            *rate_mismatch_warnings(candidate.link_rate, resolved, [place]),
            *lost_setting_warnings(candidate.lost_settings, [place]),
        )
        return cls(
            scheme_argument(candidate.name, candidate.params), LoadedLink.from_scenario(resolved, place), table, ignored
        )

    @classmethod
    def from_explanation(cls, explanation: Explanation) -> SchemeOnLink | None:
        """The scheme on the link of the options; None without a number of flows."""
        if explanation.flows is None:
            return None
        scheme = scheme_argument(explanation.candidate.name, explanation.candidate.params)
        return cls(scheme, explanation.loaded_link, explanation.queue.readable)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `explanation.prepare` that describe this link."""
        link = self.link
        return {
            "link": f"{link.rate_bps:.0f}bit",
            "rtt": f"{1e9 * link.rtt_s:.0f}ns",
            "flows": f"{link.flows}",
            "limit": f"{max(1, round(link.buffer_pkts))}p",
            "packet": link.packet_bytes,
        }

    @property
    def warnings(self) -> list[LinkWarning]:
        """Warnings about settings that do not suit the link, and about keys of other dialects that are ignored."""
        return [*self.expected_warnings, *(queue_warnings(self.link, self.table) if self.link.has_tcp_flows else ())]

    def text(self, explanation: Explanation) -> str:
        """The link in numbers, the settings there, and the warnings."""
        return "\n".join(self._lines(explanation)) + "\n\n"

    def as_json(self, explanation: Explanation) -> dict[str, Any]:
        """The numbers, settings and warnings as plain values."""
        return {
            "numbers": self.numbers(explanation),
            "settings": {name: {"value": value, "here": here} for name, (value, here) in self.settings().items()},
            "warnings": [warned.to_dict() for warned in self.warnings],
        }

    def settings(self) -> dict[str, tuple[str, str]]:
        """By name, the settings that have a value on this link: each as written, and on the link."""
        return settings_on_link(self.link, self.table)

    def _lines(self, explanation: Explanation) -> Iterator[str]:
        link = self.link
        title = f"On {link.place}"
        yield title
        yield "-" * len(title)
        yield (
            f"{format_rate(link.rate_bps)}, round trip {format_time(1e9 * link.rtt_s)}, {link.flows} TCP flow"
            f"{'s' if link.flows > 1 else ''}, packets of "
            f"{link.packet_bytes:.4g} B"
        )
        for name, value in self.numbers(explanation).items():
            yield f"{name:<38} {value}"
        if settings := self.settings():
            yield ""
            yield "The settings there:"
            for name, (value, here) in settings.items():
                yield f"{name:<14} {value:<20} {here}"
        yield ""
        for warned in self.warnings:
            yield f"warning: {warned.text}"

    def numbers(self, explanation: Explanation) -> dict[str, str]:
        """Sizes, time constants, operating point and margins as texts, by their names."""
        link = self.link
        root = link.bdp / math.sqrt(link.flows)
        drain = format_seconds(link.buffer_pkts * link.packet_s)
        lines = {
            "bandwidth-delay product": f"{link.bdp:.4g} packets, {link.bdp * link.packet_bytes / 1e3:.4g} kB",
            "buffer": f"{link.buffer_pkts:.4g} packets, {link.buffer_pkts / link.bdp:.3g} BDP, drains in {drain}",
            "BDP / sqrt(flows)": f"{root:.4g} packets: with less than about half, the link is idle at times",
            "time of a packet": format_seconds(link.packet_s),
        }
        average = average_seconds(link, self.table)
        if average is not None:
            weight, constant = average
            lines["time constant of the average"] = (
                f"{format_seconds(constant)}, {constant / link.rtt_s:.3g} round trips (w_q = {weight:.3g})"
            )
        return lines | self._operating(explanation) | self._loop(explanation)

    def _operating(self, explanation: Explanation) -> dict[str, str]:
        """The point where the control function and the queue law meet."""
        operating = None if self.table["limit"] == "inf" else explanation.operating_curve()
        if operating is None:
            return {}
        point = operating.point(self.link.flows)
        if point.queue is None:
            return {"the queue settles at": f"no point: {point.why}"}
        delay = format_seconds(point.queue * self.link.packet_s)
        return {"the queue settles at": f"{point.queue:.4g} packets, {delay}, p = {point.probability:.3g}: {point.why}"}

    def _loop(self, explanation: Explanation) -> dict[str, str]:
        """The loop about the equilibrium of the fluid model, and the time constant of the senders there."""
        loop = explanation.fluid_loop()
        if loop is None:
            return {}
        (damping,) = loop.predictions([self.link.flows])
        if damping.queue is None:
            return {"loop (fluid model)": damping.summary}
        trip = self.link.rtt_s + damping.queue * self.link.packet_s
        senders = trip**2 * self.link.capacity / (2 * self.link.flows)
        gain = "" if damping.gain is None or not damping.is_damped else f", gain margin {damping.gain:.3g}"
        lines = {
            "round trip with that queue": format_seconds(trip),
            "time constant of the TCP windows": f"{format_seconds(senders)}, R^2 C / (2 N)",
            "loop (fluid model)": f"{damping.summary}{gain}",
        }
        if damping.omega:
            lines["time constant of the loop"] = f"{format_seconds(1 / damping.omega)}, 1 / crossover frequency"
        return lines
