"""A resolved scenario: its forms for the engine and for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock import _native
from penstock.errors import ErrorDetail
from penstock.scenario.resolve.forms import LinkForm, TrafficForm, compact, sorted_table, sorted_text
from penstock.scenario.resolve.real import RealLimits

__all__ = ["Resolved"]


@dataclass(frozen=True)
class Resolved:
    """The result of resolving a scenario. Scenarios share parts of it: change nothing in place.

    Attributes:
        canonical: the form for the engine.
        shown: the form for people: canonical text, with every default.
        errors: the errors of the scenario.
        watched: names of the link tables whose queues are measured.
        round_trip: the largest propagation round trip, in ns, of the flows that cross a link direction; None if none
        do.
        route: the link directions from one node to another, along the given nodes or the shortest path.
        real: settings of real links, which change nothing in a simulation.
        links: the forms of the tables of links.
        traffic: the forms of the tables of traffic.

    """

    canonical: dict[str, Any]
    shown: dict[str, Any]
    errors: tuple[ErrorDetail, ...]
    watched: tuple[str, ...] = ()
    round_trip: Callable[[str], int | None] = field(default=lambda link: None, compare=False)
    route: Callable[[str, str, Sequence[str] | None], list[str]] = field(
        default=lambda source, target, path: [], compare=False
    )
    real: RealLimits = field(default_factory=RealLimits)
    links: tuple[LinkForm, ...] = field(default=(), compare=False, repr=False)
    traffic: tuple[TrafficForm, ...] = field(default=(), compare=False, repr=False)

    def for_engine(self, *, flows: bool, series: bool, computed_links: bool = True, series_points: int = 1000) -> str:
        """The canonical form as JSON; `series_points` is the maximum number of intervals of a series."""
        options = {"computed_links": computed_links, "flows": flows, "series": series, "series_points": series_points}
        return f'{self._engine_text()[:-1]},"options":{compact(options)}}}'

    def _engine_text(self) -> str:
        """The canonical form as JSON, of texts that scenarios share."""
        head = {key: value for key, value in self.canonical.items() if key not in ("links", "traffic")}
        links = ",".join(form.text[1:-1] for form in self.links if form.canonical)
        traffic = ",".join(form.text for form in self.traffic)
        return f'{compact(head)[:-1]},"links":[{links}],"traffic":[{traffic}]}}'

    def content(self) -> str:
        """The form for people as JSON with sorted keys, of texts that scenarios share."""
        before: dict[str, Any] = {}
        between: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for key, value in self.shown.items():
            if key not in ("links", "traffic"):
                (before if key < "links" else between if key < "traffic" else after)[key] = value
        parts = (
            sorted_text(before)[1:-1],
            f'"links": {sorted_table(self.links)}',
            sorted_text(between)[1:-1],
            f'"traffic": {sorted_table(self.traffic)}',
            sorted_text(after)[1:-1],
        )
        return f"{{{', '.join(filter(None, parts))}}}"

    def is_valid(self) -> bool:
        """Whether the engine finds no error, laws in Python aside; parts that scenarios share are read once."""
        try:
            links, traffic = [form.native for form in self.links], [form.native for form in self.traffic]
        except ValueError:
            return False
        times = self.canonical["duration_ns"], self.canonical["warmup_ns"], self.canonical["sampling_ns"]
        return _native.is_valid(*times, links, traffic)
