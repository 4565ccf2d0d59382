"""The reference pages that are written by hand, against the code that they describe."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.scenario import workloads
from penstock.scenario.resolve import sources
from penstock.studies import study_file
from penstock.studies.study_file import StudyFile

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
PYTHON = (REFERENCE / "python.md").read_text(encoding="utf-8")
STUDY = (REFERENCE / "study-file.md").read_text(encoding="utf-8")
SCENARIO = (REFERENCE / "scenario-file.md").read_text(encoding="utf-8")


def test_every_public_name_has_a_page() -> None:
    api = importlib.import_module("api")
    modules = {name for name in dir(ps) if inspect.ismodule(getattr(ps, name))}
    public = {f"penstock.{name}" for name in dir(ps) if name not in modules | {"__version__", "SCHEMES"}}
    listed = api.listed(PYTHON)
    assert public <= set(listed)
    assert len(listed) == len(set(listed))


def test_pages_describe_objects_that_exist_in_files_of_their_own() -> None:
    api = importlib.import_module("api")
    listed = api.listed(PYTHON)
    for name in listed:
        assert inspect.getdoc(api.value_of(name)), name
    for name, members in api.MEMBERS.items():
        assert name in listed
        for member in members.split(", "):
            assert inspect.getdoc(getattr(api.value_of(name), member)), f"{name}.{member}"
    files = [file.lower() for file in api.file_names(listed).values()]
    assert len(files) == len(set(files)) == len(listed)


def rows(heading: str, page: str = STUDY) -> dict[str, str]:
    """Keys and the second column of the first table below a heading; a row may have several keys."""
    section = page[page.index(f"\n## {heading}\n") + 4 :].partition("\n## ")[0]
    head = section[section.index("\n| ") + 1 :].partition("\n\n")[0]
    table_rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (.*?) \|", head, re.M)
    return {key: text for keys, text in table_rows for key in re.findall(r"`(\w+)`", keys)}


def study(**keys: Any) -> StudyFile:
    base = {
        "duration": "1s",
        "links": {"l": {"from": "A", "to": "B", "rate": "1Mbit", "delay": "1ms"}},
        "traffic": {"t": {"kind": "cbr", "from": "A", "to": "B", "rate": "1Mbit", "packet": "100B"}},
    }
    return StudyFile.from_tree({"base": base, **keys}, {})


def test_the_study_file_has_its_keys_and_defaults() -> None:
    documented = rows("Top level")
    assert tuple(sorted(documented)) == tuple(sorted(study_file.KEYS))
    plain = study()
    assert documented["seeds"] == str(plain.study.seeds)
    assert re.findall(r'"(\w+)"', documented["metrics"]) == list(plain.metrics)
    with pytest.raises(ps.ScenarioError, match=r"base.* is missing"):
        StudyFile.from_tree({}, {})


def test_an_axis_of_a_study_has_its_keys() -> None:
    documented = set(rows("`[axes]`"))
    with pytest.raises(ps.ScenarioError) as caught:
        study(axes={"rate": {"path": "links.l.rate", "values": ["1Mbit"], "vaules": []}})
    (message,) = [error.message for error in caught.value.errors]
    assert "values" in message
    both = study(axes={"rate": {"paths": ["links.l.rate", "traffic.t.rate"], "values": ["1Mbit", "2Mbit"]}})
    single = study(axes={"rate": {"path": "links.l.rate", "values": ["1Mbit", "2Mbit"]}})
    assert both.cells() == single.cells() == 2
    assert documented == {"path", "paths", "values"}


@pytest.mark.parametrize("condition", re.findall(r'^where = "(.*)"$', STUDY, re.M))
def test_the_conditions_of_the_page_leave_some_cells_out(condition: str) -> None:
    axes = {
        "flows": {"path": "traffic.t.count", "values": [5, 25, 100]},
        "buffer": {"path": "links.l.queue.limit", "values": ["20p", "35p"]},
    }
    file = study(axes=axes, schemes=["red", "codel", "pie"], where=condition)
    assert 0 < file.cells() < 18


def test_the_scenario_file_has_the_keys_of_links_and_all_kinds() -> None:
    assert set(rows("`[links.NAME]`", SCENARIO)) == set(ps.Link.field_names_by_key())
    top = {"name", "duration", "warmup", "sampling", "seed"}
    assert set(rows("Top level", SCENARIO)) == top
    assert {field.name for field in dataclasses.fields(ps.Scenario)} - top == {"links", "traffic", "workloads", "real"}
    assert re.findall(r'"([\w-]+)"', rows("`[traffic.NAME]`", SCENARIO)["kind"]) == list(sources.KINDS)
    kinds = re.search(r"^\| `kind` \| required \| (.*) \|$", SCENARIO, re.M)
    assert kinds
    assert re.findall(r'"([\w-]+)"', kinds[1]) == list(workloads.KINDS)


def test_the_defaults_of_the_scenario_file_are_those_of_its_example() -> None:
    section = SCENARIO[SCENARIO.index("\n## Defaults\n") :]
    (example,) = re.findall(r"^```toml\n(.*?)^```$", section.partition("\n| key")[0], re.M | re.S)
    resolved = ps.Scenario.loads(example).resolve().readable
    table = dict(re.findall(r"^\| (.*?) \| (.*?) \|$", section.partition("\n\nThe bandwidth")[0], re.M))
    (traffic,) = resolved["traffic"].values()
    assert table["`profile`, `flavour` of TCP"] == f'`"{traffic["profile"]}"`, `"{traffic["flavour"]}"`'
    assert table["`packet`, `headers` of TCP"].startswith("1460 B and 40 B")
    assert (traffic["packet"], traffic["headers"]) == ("1460B", "40B")
    assert table["`window` of TCP"].startswith(f"{traffic['window']:,} packets".replace(",", " "))
    assert table["`ecn` of TCP"] == ("on" if traffic["ecn"] else "off")
    (link,) = resolved["links"].values()
    assert link["watch"] is True
    assert link["queue"] == {"scheme": "droptail", "limit": "125kB"}  # 50 Mbit/s times 20 ms
