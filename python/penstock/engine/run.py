"""One run of a scenario and its results."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock import _native
from penstock.errors import Fault, RunError, ScenarioError
from penstock.laws import python_law
from penstock.results.distribution import is_distribution
from penstock.scenario.resolve import Resolved
from penstock.scenario.scenario import Document, Scenario

__all__ = ["Metrics", "Run", "cores", "run", "run_batch"]

# Up to this many flows each has its own entry in the results without being asked for.
MOST_FLOWS = 1000


class Metrics(Mapping[str, Any]):
    """The metrics of one place, by name as keys and as attributes; distributions and flows are NumPy arrays.

    `flows`, where it is there, is a mapping from metric to an array with one entry a flow.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        if name == "flows":
            return {key: np.array([flow.get(key) for flow in value]) for key in (value[0] if value else ())}
        return np.asarray(value) if isinstance(value, list) else value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no metric {name}; there are: {', '.join(self._values)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join(f"{name:28} {_short(value)}" for name, value in self._values.items())

    def _repr_html_(self) -> str:
        return _html_table([(name, _short(value)) for name, value in self._values.items()])


@dataclass(frozen=True)
class Run:
    """The result of one run.

    Attributes:
        scenario: the resolved scenario.
        seed: of this run.
        links: metrics of each watched link direction.
        traffic: metrics of each group of flows.
        fairness: Jain's index over all flows.
        events: events of the simulation.
        cpu_s: processor time.
        series: queue and law over time, where asked for.

    """

    scenario: Mapping[str, Any]
    seed: int
    links: Mapping[str, Metrics]
    traffic: Mapping[str, Metrics]
    fairness: Metrics
    events: int
    cpu_s: float
    series: Mapping[str, Any]
    raw: Mapping[str, Any]

    @classmethod
    def from_json(cls, text: str, scenario: Mapping[str, Any]) -> Run:
        """From the engine's answer."""
        raw = json.loads(text)
        return cls(
            scenario=scenario,
            seed=raw["seed"],
            links={name: Metrics(values) for name, values in raw["links"].items()},
            traffic={name: Metrics(values) for name, values in raw["traffic"].items()},
            fairness=Metrics(raw.get("fairness", {})),
            events=raw.get("events", 0),
            cpu_s=raw.get("cpu_s", 0.0),
            series=raw.get("series", {}),
            raw=raw,
        )

    def to_dict(self) -> dict[str, Any]:
        """As `penstock run --json` writes it."""
        laws = python_law.sources(python_law.schemes_in(self.scenario))
        return {"penstock": _native.version, "scenario": self.scenario, **({"laws": laws} if laws else {}), **self.raw}

    def numbers(self) -> Iterator[tuple[str, str, str, float | list[float] | None]]:
        """Each metric as ("links" or "traffic", place, metric, value); the value of a distribution is a list."""
        for part in ("links", "traffic"):
            for place, values in self.raw[part].items():
                for name, value in values.items():
                    if is_distribution(name) or isinstance(value, (int, float)) or value is None:
                        yield part, place, name, value

    def __repr__(self) -> str:
        parts = [f"Run of {self.scenario.get('name') or 'a scenario'}, seed {self.seed}"]
        for places in (self.links, self.traffic):
            parts += [f"\n{name}\n{metrics!r}" for name, metrics in places.items()]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        heads = [f"<h4>{html.escape(str(self.scenario.get('name', '')))}, seed {self.seed}</h4>"]
        for places in (self.links, self.traffic):
            heads += [f"<b>{html.escape(name)}</b>{metrics._repr_html_()}" for name, metrics in places.items()]
        return "".join(heads)


def run(
    scenario: Scenario | Document, seed: int | None = None, *, flows: bool | None = None, series: bool = False
) -> Run:
    """Run a scenario once.

    `seed` stands for the scenario's own; `flows` says whether each flow has its own results (by default with up to 1000
    flows); `series` keeps queue and law over time. Raises `ScenarioError` with every fault.
    """
    document = scenario.document() if isinstance(scenario, Scenario) else scenario
    resolved = document.resolve()
    wanted = resolved.shown["seed"] if seed is None else seed
    each = count_flows(resolved) <= MOST_FLOWS if flows is None else flows
    text = run_batch([resolved.for_engine(flows=each, series=series)], [wanted], jobs=1)[0]
    return Run.from_json(text, {**resolved.shown, "seed": wanted})


def run_batch(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    *,
    jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[str]:
    """Run canonical scenarios on all cores (or `jobs`) and return their results as JSON texts, in order.

    A run with a law in Python keeps the interpreter, so several of them are done in processes.
    """
    laws = python_law.used(scenarios)
    jobs = min(jobs or cores(), max(len(seeds), 1))
    with explained():
        if laws and jobs > 1:
            from penstock.engine.processes import run_in_processes

            return run_in_processes(scenarios, seeds, jobs, progress, laws)
        return _native.run_many(list(scenarios), list(seeds), jobs, progress, laws)


@contextmanager
def explained() -> Iterator[None]:
    """What the engine refuses becomes `ScenarioError`, a defect `RunError`, what a law in Python raises `LawError`."""
    try:
        with python_law.raising():
            yield
    except ValueError as error:
        try:
            found = json.loads(str(error))
        except json.JSONDecodeError:
            raise RunError(str(error)) from None
        if all(not fault["path"] for fault in found):
            raise RunError("; ".join(fault["message"] for fault in found)) from None
        raise ScenarioError([Fault(fault["path"], fault["message"]) for fault in found]) from None


def count_flows(resolved: Resolved) -> int:
    """Number of flows of a scenario."""
    return sum(entry["count"] for entry in resolved.canonical["traffic"])


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value)} values]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _html_table(rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"
