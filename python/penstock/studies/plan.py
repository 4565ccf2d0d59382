"""The plan of a comparison: every scheme at every point of the sweep, resolved before anything is run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.errors import ErrorDetail, PenstockError, ScenarioError, nearest
from penstock.results.display import setting
from penstock.scenario.budget import Limits, check_budget
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.scenario import Document, ScenarioLike, as_document, with_value
from penstock.studies.candidate import Candidate, SchemeLike

__all__ = ["Case", "Plan", "check_places", "placed"]


@dataclass(frozen=True)
class Case:
    """One scheme at one point of the sweep."""

    candidate: Candidate
    vary: Mapping[str, Any]
    resolved: Resolved
    document: Document


@dataclass(frozen=True)
class Plan:
    """The runs of a comparison before they are made.

    Attributes:
        base: the scenario.
        at: links whose queue is replaced.
        cases: each scheme at each point of the sweep, schemes within points.
        schemes: the candidates.
        points: the combinations of swept values.
        notes: settings of the scenario's own queue that a scheme of the same name does not take over.
        origins: where the keys of the scenario are written.

    """

    base: Resolved
    at: tuple[str, ...]
    cases: tuple[Case, ...]
    schemes: tuple[Candidate, ...]
    points: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    origins: Mapping[str, str]

    def cost(self, runs: int, jobs: int) -> str:
        """The number of runs and threads, in a line."""
        points = f"{len(self.points)} points x " if len(self.points) > 1 else ""
        schemes = f"{len(self.schemes)} scheme{'s' if len(self.schemes) > 1 else ''}"
        seed = self.base.shown["seed"]
        return (
            f"{len(self.cases) * runs} runs of {self.base.shown['duration']}: {schemes} x {points}{runs} runs "
            f"(seeds {seed} to {seed + runs - 1}), {jobs} thread{'s' if jobs > 1 else ''}"
        )

    def check_budget(self, runs: int, jobs: int, limits: Limits) -> list[str]:
        """Compare the events and the memory of all runs with their limits; see `penstock.scenario.budget`."""
        cases = [case.resolved for case in self.cases]
        return check_budget(cases, limits, self.origins, runs=runs, threads=jobs)

    @classmethod
    def make(
        cls,
        scenario: ScenarioLike,
        schemes: SchemeLike | Iterable[SchemeLike],
        vary: Mapping[str, Sequence[Any]] | None = None,
        at: str | Sequence[str] | None = None,
    ) -> Plan:
        """Resolve every case. Raises `ScenarioError` with the errors of all of them."""
        base = as_document(scenario)
        candidates = Candidate.all_of(schemes)
        resolved = base.resolve()
        places = ((at,) if isinstance(at, str) else tuple(at)) if at else resolved.watched
        check_places(base, places)
        points = [dict(zip(vary or {}, values, strict=True)) for values in itertools.product(*(vary or {}).values())]
        errors: list[ErrorDetail] = []
        cases = []
        for point in points:
            try:
                document = _varied(base, point)
            except ScenarioError as error:
                errors += error.errors
                continue
            for candidate in candidates:
                case = placed(document, candidate, places)
                found = resolve(case.tree, case.origins)
                errors += found.errors
                cases.append(Case(candidate, point, found, case))
        if errors:
            raise ScenarioError(dict.fromkeys(errors))
        notes = _left_out(base, candidates, places)
        return cls(resolved, places, tuple(cases), candidates, tuple(points), notes, base.origins)

    @classmethod
    def own(cls, scenario: ScenarioLike) -> Plan:
        """The scenario as it is: the only candidate is the queue of its first watched link."""
        base = as_document(scenario)
        resolved = base.resolve()
        if not resolved.watched:
            raise PenstockError("no link is watched: set watch = true in the table of the bottleneck")
        place = resolved.watched[0]
        table = resolved.shown["links"][place.removesuffix(".reverse")]
        queue = table.get("reverse", {}).get("queue") if place.endswith(".reverse") else table.get("queue")
        candidate = Candidate(queue["scheme"] if isinstance(queue, Mapping) else "droptail")
        case = Case(candidate, {}, resolved, base)
        return cls(resolved, resolved.watched, (case,), (candidate,), ({},), (), base.origins)


def check_places(base: Document, places: Sequence[str]) -> None:
    """Raise an error unless there are places and each is a link of the scenario."""
    if not places:
        raise PenstockError("no link is watched: name the bottleneck with --at LINK, or set watch = true in its table")
    links = base.tree["links"]
    for place in places:
        if place.removesuffix(".reverse") not in links:
            known = ", ".join(links)
            raise ScenarioError(
                [ErrorDetail("", f'no link "{place}"{nearest(place, links)}; there are: {known}', None, "--at")]
            )


def _varied(base: Document, point: Mapping[str, Any]) -> Document:
    document = base
    for path, value in point.items():
        document = document.set(path, value, "--vary")
    return document


def _queue_at(document: Document, place: str) -> Mapping[str, Any]:
    """The table of the scenario's own queue at a place; empty if it has none."""
    table: Any = document.tree["links"][place.removesuffix(".reverse")]
    if place.endswith(".reverse") and table.get("reverse", {}).get("queue") != "same":
        table = table.get("reverse", {})
    queue = table.get("queue")
    return queue if isinstance(queue, Mapping) else {}


def _left_out(document: Document, candidates: Sequence[Candidate], places: Sequence[str]) -> tuple[str, ...]:
    """A note for each candidate that has the scheme of the scenario's own queue but not that queue's settings."""
    notes = {}
    for candidate in candidates:
        for place in places:
            queue = _queue_at(document, place)
            left = [key for key in queue if key not in ("scheme", "limit", "share") and key not in candidate.params]
            if queue.get("scheme") == candidate.name and left and not candidate.params:
                settings = ",".join(f"{key}={setting(queue[key])}" for key in left)
                notes[candidate.name] = (
                    f"{candidate.name} runs with its own defaults, not with the settings of links.{place}.queue; "
                    f"for these: --scheme {candidate.name}:{settings}"
                )
    return tuple(notes.values())


def placed(document: Document, candidate: Candidate, places: Sequence[str]) -> Document:
    """The scenario with the candidate's queue at these places, which are watched."""
    for place in places:
        name = place.removesuffix(".reverse")
        path = f"links.{name}.reverse" if place.endswith(".reverse") else f"links.{name}"
        queue = candidate.table(_queue_at(document, place))
        tree = with_value(document.tree, f"{path}.queue", queue, candidate.origin)
        tree = with_value(tree, f"{path}.watch", True, candidate.origin)
        inside = f"{path}.queue."
        origins = {key: origin for key, origin in document.origins.items() if not key.startswith(inside)}
        origins |= {f"{path}.queue": candidate.origin, f"{path}.watch": candidate.origin}
        origins |= {f"{inside}{key}": origin for key, origin in candidate.origins.items() if key}
        document = Document(tree, origins)
    return document
