"""The plan of a comparison: every scheme at every point of the sweep, resolved before anything is run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock.errors import (
    ErrorDetail,
    OptionOrigin,
    PenstockError,
    ScenarioError,
    append_errors_to,
    did_you_mean,
    format_value,
)
from penstock.results.display import count_phrase, setting_text
from penstock.scenario.budget import BudgetLimits, check_budget
from penstock.scenario.document import Document, ScenarioLike, as_document, tree_with_value
from penstock.scenario.loaded_link import queue_table
from penstock.scenario.resolve import Resolved, resolve
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.pilots import with_warmups
from penstock.units import parse_time

__all__ = [
    "ComparisonPlan",
    "PlannedCase",
    "check_places",
    "own_queue",
    "with_candidate_queue",
    "with_default_watches",
    "with_fixed_queue_sizes",
    "with_fixed_sizes",
]


@dataclass(frozen=True)
class PlannedCase:
    """One scheme at one point of the sweep."""

    candidate: Candidate
    vary: Mapping[str, Any]
    resolved: Resolved
    document: Document

    @property
    def label(self) -> str:
        """The scheme with the swept values, for messages."""
        return ", ".join([self.candidate.label, *(f"{path} = {value}" for path, value in self.vary.items())])


@dataclass(frozen=True)
class ComparisonPlan:
    """The runs of a comparison before they are executed.

    Attributes:
        base: the scenario.
        document: the scenario as written, with its watched links.
        replaced_links: links whose queue is replaced.
        cases: each scheme at each point of the sweep, schemes within points.
        schemes: the candidates.
        points: the combinations of swept values.
        notes: settings of the scenario's own queue that a scheme of the same name does not take over.
        origins: where the keys of the scenario are written.

    """

    base: Resolved
    document: Document
    replaced_links: tuple[str, ...]
    cases: tuple[PlannedCase, ...]
    schemes: tuple[Candidate, ...]
    points: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    origins: Mapping[str, str]

    def cost(self, runs: int, jobs: int) -> str:
        """The number of runs and threads, in a line."""
        points = f"{len(self.points)} points x " if len(self.points) > 1 else ""
        size = f"{count_phrase(len(self.schemes), 'scheme')} x {points}{count_phrase(runs, 'run')}"
        seed = self.base.readable["seed"]
        seeds = f"seed {seed}" if runs == 1 else f"seeds {seed} to {seed + runs - 1}"
        all_runs = count_phrase(len(self.cases) * runs, "run")
        return f"{all_runs} of {self.base.readable['duration']}: {size} ({seeds}), {count_phrase(jobs, 'thread')}"

    def check_budget(self, runs: int, jobs: int, limits: BudgetLimits) -> list[str]:
        """Compare the events and the memory of all runs with their limits; see `penstock.scenario.budget`."""
        cases = [case.resolved for case in self.cases]
        return check_budget(cases, limits, self.origins, runs=runs, threads=jobs)

    @classmethod
    def resolve_cases(
        cls,
        scenario: ScenarioLike,
        schemes: SchemeLike | Iterable[SchemeLike],
        vary: Mapping[str, Sequence[Any]] | None = None,
        at: str | Sequence[str] | None = None,
    ) -> ComparisonPlan:
        """Resolve every case. Raises `ScenarioError` with the errors of all of them."""
        errors: list[ErrorDetail] = []
        candidates: tuple[Candidate, ...] = ()
        with append_errors_to(errors):
            candidates = Candidate.from_schemes(schemes)
        base = as_document(scenario)
        resolved = resolve(base.tree, base.origins)
        if resolved.errors:
            raise ScenarioError([*errors, *resolved.errors])
        base = with_default_watches(base, resolved)
        places = ((at,) if isinstance(at, str) else tuple(dict.fromkeys(at))) if at else resolved.watched
        with append_errors_to(errors):
            check_places(base, places)
        errors += _repeated_values(vary or {})
        points = [dict(zip(vary or {}, values, strict=True)) for values in itertools.product(*(vary or {}).values())]
        cases: list[PlannedCase] = []
        can_place = not errors
        for point in points:
            with append_errors_to(errors):
                document = _varied(base, point)
                if can_place:
                    cases += (_case(document, candidate, point, places) for candidate in candidates)
                else:
                    errors += resolve(document.tree, document.origins).errors
        errors += (error for case in cases for error in case.resolved.errors)
        if errors:
            raise ScenarioError(dict.fromkeys(errors))
        notes = _left_out(base, candidates, places)
        return cls(resolved, base, places, tuple(cases), candidates, tuple(points), notes, base.origins)

    @property
    def has_automatic_warmup(self) -> bool:
        """Whether a warm-up is "auto"."""
        return any(case.resolved.head.has_automatic_warmup for case in self.cases)

    def with_warmups(self, jobs: int | None = None) -> ComparisonPlan:
        """The plan with each warm-up that is "auto" replaced: at each point, by the longest transient of the schemes.

        `jobs` is the number of threads; by default all cores. The base scenario keeps "auto" if the points have several
        warm-ups. Raises `ScenarioError` for each queue that does not settle in a pilot run.
        """
        if not self.has_automatic_warmup:
            return self
        width = len(self.schemes)
        cells = [(number // width, case.label, case.document) for number, case in enumerate(self.cases)]
        cases = tuple(
            replace(case, document=document, resolved=document.resolve())
            for case, document in zip(self.cases, with_warmups(cells, jobs), strict=True)
        )
        warmups = {case.resolved.readable["warmup"] for case in cases}
        if len(warmups) > 1 or not self.base.head.has_automatic_warmup:
            return replace(self, cases=cases)
        base = resolve({**self.base.readable, "warmup": warmups.pop()})
        return replace(self, cases=cases, base=self.base if base.errors else base)

    def warmup_note(self) -> str:
        """The warm-ups of the cases, in a line."""
        warmups = sorted({case.resolved.readable["warmup"] for case in self.cases}, key=parse_time)
        return f"warm-up, determined by pilot runs: {' to '.join(dict.fromkeys((warmups[0], warmups[-1])))}"


def _case(document: Document, candidate: Candidate, point: Mapping[str, Any], places: Sequence[str]) -> PlannedCase:
    case = with_candidate_queue(document, candidate, places)
    return PlannedCase(candidate, point, resolve(case.tree, case.origins), case)


def _repeated_values(vary: Mapping[str, Sequence[Any]]) -> list[ErrorDetail]:
    """An error for each value that is given twice in a sweep."""
    return [
        ErrorDetail(path, "is given twice", format_value(value), OptionOrigin("--vary", "vary"))
        for path, values in vary.items()
        for number, value in enumerate(values)
        if value in list(values)[:number]
    ]


def check_places(base: Document, places: Sequence[str]) -> None:
    """Raise an error unless there are places and each is a link of the scenario."""
    if not places:
        raise PenstockError(
            "no link is watched: name the bottleneck with --at LINK (at in Python), or set watch = true in its table"
        )
    links = base.tree["links"]
    for place in places:
        if place.removesuffix(".reverse") not in links:
            names = ", ".join(links)
            raise ScenarioError(
                [
                    ErrorDetail(
                        "",
                        f'no link "{place}"{did_you_mean(place, links)}; available: {names}',
                        None,
                        OptionOrigin("--at", "at"),
                    )
                ]
            )


def with_default_watches(document: Document, resolved: Resolved) -> Document:
    """The scenario with the key `watch` for each link that is watched by default, according to `resolved`.

    So replacing a queue elsewhere does not change which links are watched.
    """
    tree = document.tree
    for name, link in resolved.readable["links"].items():
        for path, table in ((f"links.{name}", link), (f"links.{name}.reverse", link.get("reverse", {}))):
            if table.get("watch"):
                tree = tree_with_value(tree, f"{path}.watch", True, path)
    return Document(tree, document.origins)


def _varied(base: Document, point: Mapping[str, Any]) -> Document:
    document = base
    for path, value in point.items():
        document = document.set(path, value, OptionOrigin("--vary", "vary"))
    return document


def _queue_at(document: Document, place: str) -> Mapping[str, Any]:
    """The table of the scenario's own queue at a place; empty if it has none."""
    table: Any = document.tree["links"][place.removesuffix(".reverse")]
    if place.endswith(".reverse") and table.get("reverse", {}).get("queue") != "same":
        table = table.get("reverse", {})
    queue = table.get("queue")
    return queue if isinstance(queue, Mapping) else {}


def _resolved_queue(document: Document, place: str) -> Mapping[str, Any]:
    """The queue of a place when it is watched, its own or the default; empty if the scenario has errors."""
    resolved = resolve(tree_with_value(document.tree, f"{_path(place)}.watch", True, place))
    return {} if resolved.errors else queue_table(resolved, place) or {}


def with_fixed_queue_sizes(document: Document, places: Sequence[str]) -> Document:
    """The scenario in which no size of the queues at these places depends on rate or round trip.

    Sizes in BDP or as a time at the link's rate are replaced by what they are here, and a default queue by itself. So a
    queue keeps its sizes if rate and round trip are scaled, as the buffer of a device does.
    """
    for place in places:
        here = _resolved_queue(document, place)
        written = _queue_at(document, place) or here
        if queue := {key: _fixed_size(value, here.get(key)) for key, value in written.items()}:
            tree = tree_with_value(document.tree, f"{_path(place)}.queue", queue, place)
            document = Document(tree, document.origins)
    return document


def with_fixed_sizes(candidate: Candidate, document: Document, place: str) -> Candidate:
    """The candidate in which no given size depends on rate or round trip: each is what it is at this place."""
    here = _resolved_queue(with_candidate_queue(document, candidate, [place]), place)
    return replace(candidate, params={key: _fixed_size(each, here.get(key)) for key, each in candidate.params.items()})


def _fixed_size(written: Any, here: Any) -> Any:
    """A value of a queue's table, or `here`, its resolved value, if it is a size that depends on rate or round trip."""
    if isinstance(written, list) and isinstance(here, list):
        return [_fixed_size(*each) for each in zip(written, here, strict=True)]
    is_relative = isinstance(written, str) and written.endswith(("BDP", "s"))
    return here if is_relative and isinstance(here, str) and here.endswith(("B", "p")) else written


def own_queue(document: Document, place: str) -> Mapping[str, Any]:
    """The table of the queue at a place, written in the scenario or by default; with its `scheme`."""
    return {"scheme": "droptail", **(_queue_at(document, place) or _resolved_queue(document, place))}


def _path(place: str) -> str:
    """The path of the table for a place."""
    name = place.removesuffix(".reverse")
    return f"links.{name}.reverse" if place.endswith(".reverse") else f"links.{name}"


def _left_out(document: Document, candidates: Sequence[Candidate], places: Sequence[str]) -> tuple[str, ...]:
    """A note for each candidate that has the scheme of the scenario's own queue but not that queue's settings."""
    notes = {}
    for candidate in candidates:
        for place in places:
            queue = _queue_at(document, place)
            missing = [key for key in queue if key not in ("scheme", "limit", "share") and key not in candidate.params]
            if queue.get("scheme") == candidate.name and missing and not candidate.params:
                settings = ",".join(f"{key}={setting_text(queue[key])}" for key in missing)
                notes[candidate.name] = (
                    f"{candidate.name} runs with its own defaults, not with the settings of links.{place}.queue; for "
                    f"these: --scheme {candidate.name}:{settings}"
                )
    return tuple(notes.values())


def with_candidate_queue(document: Document, candidate: Candidate, places: Sequence[str]) -> Document:
    """The scenario with the candidate's queue at these places, which are watched.

    Unless the candidate gives a limit, it takes the limit of the queue that it replaces.
    """
    for place in places:
        path = _path(place)
        queue = candidate.queue_table(_queue_at(document, place) or _resolved_queue(document, place))
        tree = tree_with_value(document.tree, f"{path}.queue", queue, candidate.origin)
        tree = tree_with_value(tree, f"{path}.watch", True, candidate.origin)
        inside = f"{path}.queue."
        origins = {key: origin for key, origin in document.origins.items() if not key.startswith(inside)}
        origins |= {f"{path}.queue": candidate.origin, f"{path}.watch": candidate.origin}
        origins |= {f"{inside}{key}": origin for key, origin in candidate.origins.items() if key}
        document = Document(tree, origins)
    return document
