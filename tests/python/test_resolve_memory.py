"""Resolving remembers parts of scenarios: the result is that of a first time, in every case."""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import penstock as ps
import pytest
from penstock import _native
from penstock.aqms import python_aqm
from penstock.scenario.document import Document, as_document, scenario_key
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.resolve.part_cache import PartCache, content_bytes

SCENARIOS = sorted(Path("scenarios").glob("*.toml"))
OPTIONS = {"computed_links": True, "flows": False, "series": True, "series_points": 7}


def memories() -> Iterator[PartCache[Any]]:
    for name, module in list(sys.modules.items()):
        if name.startswith("penstock.scenario.resolve"):
            yield from (value for value in vars(module).values() if isinstance(value, PartCache))


def forget() -> None:
    for memory in memories():
        memory._parts.clear()
        memory._weight = 0


def fresh(document: Document) -> Resolved:
    forget()
    return resolve(document.tree, document.origins)


def red(**changes: Any) -> Document:
    document = ps.dumbbell(rate="10Mbit", rtt="40ms", queue=ps.Red(limit="100p")).document()
    for path, value in changes.items():
        document = document.set(path.replace("__", "."), value)
    return document


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_texts_of_shared_parts_are_those_of_the_whole(path: Path) -> None:
    document = as_document(path)
    first = fresh(document)
    again = resolve(document.tree, document.origins)
    assert (again.canonical, again.readable, again.watched) == (first.canonical, first.readable, first.watched)
    for resolved in (first, again):
        engine = json.dumps(resolved.canonical | {"options": OPTIONS}, separators=(",", ":"))
        assert resolved.for_engine(flows=False, series=True, series_points=7) == engine
        assert resolved.content() == json.dumps(resolved.readable, sort_keys=True)
    plain = [link["capacity_ms"] for link in first.canonical["links"] if link["capacity_ms"]]
    if not plain and not any("replay" in group for group in first.canonical["traffic"]):
        content = json.dumps([_native.meaning, first.readable], sort_keys=True)
        assert scenario_key(again) == hashlib.sha256(content.encode()).hexdigest()[:32]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_after_others_is_resolved_as_the_first(path: Path) -> None:
    """Whatever was resolved before, with other values at each place: results and errors are those of a fresh memory."""
    document = as_document(path)
    link = next(iter(document.tree["links"]))
    changes: list[tuple[str, Any]] = [
        ("duration", "2000s"),
        (f"links.{link}.rate", "3Mbit"),
        (f"links.{link}.delay", "7ms"),
        (f"links.{link}.delay", 7),
        (f"links.{link}.queue", {"scheme": "red", "limit": "2BDP"}),
        (f"links.{link}.queue", {"scheme": "red", "limit": "50p", "min_th": 60, "max_th": 20}),
        (f"links.{link}.queue", {"scheme": "ref", "limit": "50p"}),
        (f"links.{link}.reverse", {"queue": "same"}),
        (f"links.{link}.from", "nowhere"),
        *((f"traffic.{name}.count", count) for name in document.tree.get("traffic", {}) for count in (3, -1, True)),
    ]
    cells = [document.set(key, value) for key, value in changes]
    expected = [fresh(cell) for cell in cells]
    forget()
    for _ in range(2):
        for cell, first in zip(cells, expected, strict=True):
            resolved = resolve(cell.tree, cell.origins)
            assert resolved.errors == first.errors
            assert (resolved.canonical, resolved.readable, resolved.watched) == (
                first.canonical,
                first.readable,
                first.watched,
            )


def test_a_changed_tree_is_read_again() -> None:
    document = red()
    assert fresh(document).readable["links"]["bottleneck"]["queue"]["limit"] == "100p"
    document.tree["links"]["bottleneck"]["queue"]["limit"] = "70p"
    assert document.resolve().readable["links"]["bottleneck"]["queue"]["limit"] == "70p"


def test_a_run_has_its_own_copy_of_the_scenario() -> None:
    document = red(duration="1s")
    run = ps.run(document)
    run.scenario["links"]["bottleneck"]["queue"]["limit"] = "1p"
    assert document.resolve().readable["links"]["bottleneck"]["queue"]["limit"] == "100p"


def test_a_copy_with_another_value_leaves_the_original() -> None:
    document = as_document("scenarios/standard.toml").set("links.bottleneck.change", [{"at": "1s", "rate": "1Mbit"}])
    before = copy.deepcopy(document.tree)
    changed = document.set("links.bottleneck.change[0].rate", "2Mbit").set("links.bottleneck.queue.share", [[1, 2]])
    assert document.tree == before
    assert changed.tree["links"]["bottleneck"]["change"] == [{"at": "1s", "rate": "2Mbit"}]
    assert changed.tree["links"]["access"] is document.tree["links"]["access"]


def test_numbers_of_numpy_are_not_taken_for_other_values() -> None:
    assert content_bytes([np.float64(0.25)]) == content_bytes([np.float64(0.25).tobytes()])
    path = "links.bottleneck.queue.max_p"
    for value in (np.float64(0.25), 0.25):
        assert red().set(path, value).resolve().readable["links"]["bottleneck"]["queue"]["max_p"] == 0.25
    for wrong in (np.int64(1), np.float64(0.25).tobytes(), True):
        with pytest.raises(ps.ScenarioError, match="must be a number"):
            red().set(path, wrong).resolve()
    for number in (1, 1.0):
        canonical = red().set(path, number).resolve().canonical["links"][0]["queue"]["params"]["max_p"]
        assert type(canonical) is type(number)


def test_a_trace_that_changed_is_read_again(tmp_path: Path) -> None:
    trace = tmp_path / "capacity"
    document = red(links__bottleneck__change=[{"capacity": str(trace)}])
    keys = set()
    for lines in ([1, 2], [1, 3], [1, 2]):
        trace.write_text("\n".join(map(str, lines)))
        resolved = document.resolve()
        assert resolved.canonical["links"][0]["capacity_ms"] == lines
        keys.add(scenario_key(resolved))
    assert len(keys) == 2


def test_an_aqm_that_was_redefined_is_read_again() -> None:
    def declare(default: int) -> None:
        @ps.aqm("remembered-law")
        class Remembered(ps.Aqm):
            """A AQM."""

            k: int = default

    document = red(links__bottleneck__queue={"scheme": "remembered-law", "limit": "20p"})
    try:
        for default in (3, 4):
            declare(default)
            assert document.resolve().readable["links"]["bottleneck"]["queue"]["k"] == default
    finally:
        from penstock.aqms import catalog

        del python_aqm._AQMS["remembered-law"], catalog._ADDED["remembered-law"]


def test_a_limit_in_round_trips_follows_the_flows() -> None:
    document = red(links__bottleneck__queue={"scheme": "red", "limit": "1BDP"})
    for delay, size in (("20ms", 50_000), ("40ms", 100_000), ("20ms", 50_000)):
        resolved = document.set("links.bottleneck.delay", delay).resolve()
        assert resolved.canonical["links"][0]["queue"]["limit"] == {"bytes": size}


def test_a_memory_forgets_what_was_used_longest_ago() -> None:
    memory: PartCache[str] = PartCache(20)
    for number in range(30):
        memory.put(number, str(number))
        memory.get(0)
    assert memory.get(0) == "0"
    assert memory.get(1) is None
    assert memory.get(29) == "29"
    memory.put("heavy", "x", 3)
    assert memory.get("heavy") is None
    memory.put("light", "x", 2)
    assert memory.get(29) == "29"
    assert len(memory._parts) == 19
