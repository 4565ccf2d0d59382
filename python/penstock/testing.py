"""Checks that every AQM must pass: `ps.testing.conformance(MyAqm)` is a complete test."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from penstock.aqms import python_aqm
from penstock.aqms.queue import Queue
from penstock.engine.run import run
from penstock.errors import ScenarioError
from penstock.results.run import Run
from penstock.scenario._generated import Tcp
from penstock.scenario.elements import Poisson
from penstock.scenario.scenario import Scenario, dumbbell

__all__ = ["conformance"]


def conformance(cls: type[python_aqm.Aqm], **settings: Any) -> None:
    """Check an AQM with these settings, by default its defaults; raises `AssertionError` for the first violation.

    The same seed gives the same verdicts; packets are marked only if a parameter `ecn` is true; gauges are finite;
    watching the AQM changes nothing; the parameters can be written to a file and read back; unknown parameters are
    refused.
    """
    assert python_aqm.declared_class(cls.scheme) is cls, f'{cls.__name__} is not declared with @ps.aqm("name")'
    _params_survive_a_file(cls, settings)
    _unknown_parameters_are_refused(cls, settings)
    for limit in ("35p", "30kB", "inf"):
        scenario = _exercise(cls(limit=limit, **settings))
        first = run(scenario, seed=1, series=True)
        where = f"AQM {cls.scheme} with limit {limit}"
        assert _books(first) == _books(run(scenario, seed=1, series=True)), f"{where}: same seed, other verdicts"
        assert _books(first) == _books(run(scenario, seed=1)), f"{where}: watching it changes its verdicts"
        for name, value in _gauges(first):
            assert value is None or math.isfinite(value), f"{where}: gauge {name} is {value}"
        _marks_only_if_told(scenario, first, cls, where)


def _exercise(queue: Queue) -> Scenario:
    """Reno with and without ECN, and datagrams that come and go: a queue from empty to full and back."""
    return dumbbell(
        rate="2Mbit",
        rtt="40ms",
        duration="12s",
        queue=queue,
        traffic={
            "plain": Tcp(count=3, flavour="newreno", profile="ns2", start={"uniform": ["0s", "1s"]}),
            "burst": Poisson(rate="3Mbit", packet="500B", start="4s", stop="6s"),
            "able": Tcp(count=3, flavour="newreno", profile="ns2", ecn=True, start={"uniform": ["0s", "1s"]}),
        },
    )


def _books(result: Run) -> dict[str, Any]:
    """All numbers of a run, except those that may differ."""
    return {key: value for key, value in result.raw.items() if key not in ("cpu_s", "series")}


def _gauges(result: Run) -> Iterator[tuple[str, float | None]]:
    def named_values(name: str, value: Any) -> Iterator[tuple[str, float | None]]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from named_values(f"{name}.{key}" if name else key, inner)
        elif isinstance(value, list):
            for inner in value:
                yield from named_values(name, inner)
        elif isinstance(value, (int, float)) or value is None:
            yield name, value

    return named_values("", dict(result.series))


def _marks_only_if_told(scenario: Scenario, first: Run, cls: type[python_aqm.Aqm], where: str) -> None:
    queue = scenario.links["bottleneck"].queue
    can_mark = getattr(queue, "ecn", False)
    if not can_mark:
        assert not first.links["bottleneck"]["marks"], f"{where}: marks packets without a parameter ecn that is true"
    elif any(item.name == "ecn" for item in dataclasses.fields(cls)):
        without = run(scenario.replace("links.bottleneck.queue.ecn", False), seed=1)
        assert not without.links["bottleneck"]["marks"], f"{where}: marks packets with ecn = false"


def _params_survive_a_file(cls: type[python_aqm.Aqm], settings: dict[str, Any]) -> None:
    scenario = _exercise(cls(limit="35p", **settings))
    assert Scenario.loads(scenario.to_toml()) == scenario, f"AQM {cls.scheme}: parameters do not survive a file"


def _unknown_parameters_are_refused(cls: type[python_aqm.Aqm], settings: dict[str, Any]) -> None:
    tree = _exercise(cls(limit="35p", **settings)).tree()
    tree["links"]["bottleneck"]["queue"]["no_such_parameter"] = 1
    try:
        Scenario.from_tree(tree)
        errors = Scenario.loads(_toml(tree)).check()
    except ScenarioError as error:
        errors = error.errors
    assert errors, f"AQM {cls.scheme}: takes a parameter that it does not have"


def _toml(tree: dict[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(tree)
