"""A resolved scenario: its forms for the engine and for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from penstock import _native
from penstock.errors import ErrorDetail, ScenarioError
from penstock.scenario.resolve.head import AUTO, ScenarioHead
from penstock.scenario.resolve.packet_sizes import FULL_PACKET
from penstock.scenario.resolve.real_settings import RealLinkSettings
from penstock.scenario.resolve.resolved_tables import (
    ResolvedLinkTable,
    ResolvedTrafficTable,
    compact,
    readable_json_table,
)

__all__ = ["Resolved"]


@dataclass(frozen=True, eq=False)
class Resolved:
    """The result of resolving a scenario. Scenarios share parts of it: change nothing in place.

    Attributes:
        head: the keys beside links and traffic.
        links: the forms of the tables of links.
        traffic: the forms of the tables of traffic.
        errors: the errors of the scenario.
        watched: names of the link tables whose queues are measured.
        round_trip: the largest propagation round trip, in ns, of the flows that cross a link direction; None if none
        do.
        route: the link directions from one node to another, along the given nodes or the shortest path.
        largest_packet_on: the largest full data packet that crosses a link direction, in bytes with headers
            (`LargestPackets`).

    """

    head: ScenarioHead
    links: tuple[ResolvedLinkTable, ...]
    traffic: tuple[ResolvedTrafficTable, ...]
    errors: tuple[ErrorDetail, ...] = ()
    watched: tuple[str, ...] = ()
    round_trip: Callable[[str], int | None] = lambda link: None
    route: Callable[[str, str, Sequence[str] | None], list[str]] = lambda source, target, path: []
    largest_packet_on: Callable[[str], float] = lambda link: float(FULL_PACKET)

    @cached_property
    def canonical(self) -> dict[str, Any]:
        """The form for the engine."""
        links = [entry for form in self.links for entry in form.canonical]
        return {**self.head.canonical, "links": links, "traffic": [form.canonical for form in self.traffic]}

    @cached_property
    def readable(self) -> dict[str, Any]:
        """The form for people: canonical text, with every default."""
        tables = {"links": self.links, "traffic": self.traffic}
        readable = self.head.readable | {
            key: {form.name: form.readable for form in forms} for key, forms in tables.items()
        }
        return readable | {"real": self.head.readable_real} if self.head.readable_real else readable

    @property
    def real(self) -> RealLinkSettings:
        """Settings of real links, which change nothing in a simulation."""
        return self.head.real

    def for_engine(self, *, flows: bool, series: bool, computed_links: bool = True, series_points: int = 1000) -> str:
        """The canonical form as JSON; `series_points` is the maximum number of intervals of a series.

        Raises `ScenarioError` for a warm-up that has not been determined.
        """
        if self.head.has_automatic_warmup:
            raise ScenarioError(
                [ErrorDetail("warmup", '"auto" is not determined here; give a time, such as "5s"', AUTO)]
            )
        options = {"computed_links": computed_links, "flows": flows, "series": series, "series_points": series_points}
        return f'{self._engine_text()[:-1]},"options":{compact(options)}}}'

    def _engine_text(self) -> str:
        """The canonical form as JSON, composed of texts that scenarios share."""
        links = ",".join(form.text[1:-1] for form in self.links if form.canonical)
        traffic = ",".join(form.text for form in self.traffic)
        return f'{self.head.text[:-1]},"links":[{links}],"traffic":[{traffic}]}}'

    def content(self) -> str:
        """The form for people as JSON with sorted keys, composed of texts that scenarios share."""
        before, between, after = self.head.content
        links, traffic = (
            f'"links": {readable_json_table(self.links)}',
            f'"traffic": {readable_json_table(self.traffic)}',
        )
        return f"{{{', '.join(filter(None, (before, links, between, traffic, after)))}}}"

    def is_valid(self) -> bool:
        """Whether the engine finds no error, apart from AQMs in Python; parts that scenarios share are read once."""
        try:
            links, traffic = [form.native for form in self.links], [form.native for form in self.traffic]
        except ValueError:
            return False
        return _native.is_valid(*self.head.times_ns, links, traffic)
