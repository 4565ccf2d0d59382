"""Conditioners in scenarios: `edge` in TOML and in Python, its display, and every error with its line."""

from __future__ import annotations

import json
from typing import Any

import penstock as ps
import pytest
from penstock.aqms.catalog import conditioners
from penstock.cli.app import app
from penstock.results.metrics import find_metric as metric_named
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document
from typer.testing import CliRunner

HEAD = """duration = "10s"
[links.access]
from = "S"
to = "R"
rate = "10Mbit"
delay = "5ms"
watch = true
queue = { scheme = "droptail", limit = "50p" }
edge = [
  EDGE
]
[traffic.cbr]
kind = "cbr"
from = "S"
to = "R"
rate = "1Mbit"
packet = "972B"
"""


# One each 8 ms from 0 s to 10 s.
PACKETS = 1251


def scenario(*edge: str) -> str:
    """A link with these conditioners, one a line from line 10 on."""
    return HEAD.replace("EDGE", ",\n  ".join(edge))


def canonical(*edge: str) -> list[dict[str, Any]]:
    """The canonical form."""
    resolved = Document.parse(scenario(*edge)).resolve()
    return next(link["edge"] for link in resolved.canonical["links"] if link["name"] == "access")


def measured(*edge: str) -> dict[str, Any]:
    """The metrics of the link."""
    return dict(ps.run(ps.Scenario.loads(scenario(*edge))).links["access"])


def test_the_line_of_the_contract() -> None:
    (tsw,) = canonical('{ kind = "tsw", rate = "2.5Mbit", window = "1s", in = "AF11", out = "AF12" }')
    assert tsw == {
        "kind": "tsw",
        "params": {"rate": 2_500_000, "window": {"ns": 1_000_000_000}, "in": "AF11", "out": "AF12"},
    }


@pytest.mark.parametrize("conditioner", conditioners(), ids=lambda conditioner: conditioner.name)
def test_every_conditioner_can_stand_in_a_file(conditioner: Any) -> None:
    needed = {
        "rate": '"500kbit"', "peak": '"1Mbit"', "cir": '"500kbit"', "pir": '"700kbit"', "mir": '"1Mbit"',
        "cir_th": '"10kB"', "mir_th": '"30kB"', "classes": '[{ name = "all", action = "EF" }]',
    }  # fmt: skip
    keys = "".join(f", {param.name} = {needed[param.name]}" for param in conditioner.params if param.required)
    link = measured(f'{{ kind = "{conditioner.name}"{keys} }}')
    assert link["arrivals"] + link["policed"] <= PACKETS


def test_policed_packets_are_counted_apart() -> None:
    link = measured('{ kind = "policer", rate = "500kbit", burst = "2kB" }')
    assert link["drops"] == 0
    assert link["policed"] + link["arrivals"] == PACKETS
    assert 623 <= link["policed"] <= 626


def test_classes_choose_by_what_they_match() -> None:
    drop = 'classes = [{ name = "gone", match = { traffic = "cbr" }, action = "drop" }]'
    assert measured(f'{{ kind = "classify", {drop} }}')["policed"] == PACKETS
    keep = drop.replace('"drop"', '"AF11"')
    assert measured(f'{{ kind = "classify", {keep} }}')["policed"] == 0


def test_a_shaper_has_a_limit() -> None:
    (shaper,) = canonical('{ kind = "shaper", rate = "500kbit", limit = "20p" }')
    assert shaper["limit"] == {"packets": 20}
    link = measured('{ kind = "shaper", rate = "500kbit", limit = "20p" }')
    assert link["arrivals"] + link["policed"] == PACKETS - 20


def test_check_shows_every_value() -> None:
    text = resolved_text(Document.parse(scenario('{ kind = "tb", rate = "500kbit" }')).resolve())
    assert "token-bucket" in text
    assert "AF12" in text


@pytest.mark.parametrize(
    ("edge", "words"),
    [
        ('{ kind = "tws", rate = "1Mbit" }', [":10: links.access.edge[0].kind", 'did you mean "tsw"?']),
        ('{ rate = "1Mbit" }', ["links.access.edge[0].kind", "is missing"]),
        ('{ kind = "tsw" }', ["links.access.edge[0].rate", "is missing"]),
        ('{ kind = "tsw", rate = "5" }', ['10: links.access.edge[0].rate = "5"']),
        ('{ kind = "tsw", rate = "1Mbit", out = "AF1" }', [":10: links.access.edge[0].out", 'did you mean "AF']),
        ('{ kind = "tsw", rate = "1Mbit", limit = "5p" }', [":10: links.access.edge[0].limit", "unknown key"]),
        ('{ kind = "tsw", cir = "1Mbit", rate = "1Mbit" }', ["links.access.edge[0].cir", 'did you mean "rate"?']),
        ('{ kind = "classify" }', ["links.access.edge[0].classes", "is missing"]),
        (
            '{ kind = "classify", classes = [{ name = "a", match = { traffic = "x" }, action = "EF" }] }',
            [":10: links.access.edge[0].classes[0].match.traffic"],
        ),
        ('"tsw"', ["links.access.edge[0]", "must be a table"]),
    ],
)
def test_errors_have_path_and_line(edge: str, words: list[str]) -> None:
    with pytest.raises(ps.ScenarioError) as caught:
        ps.Scenario.loads(scenario(edge))
    for word in words:
        assert word in str(caught.value)


def test_the_registry_speaks_where_the_scenario_is_broken_elsewhere() -> None:
    broken = scenario('{ kind = "trtcm", rate = "2Mbit", peak = "1Mbit" }').replace('packet = "972B"', "packet = 972")
    with pytest.raises(ps.ScenarioError) as caught:
        ps.Scenario.loads(broken)
    assert "traffic.cbr.packet" in str(caught.value)
    assert "links.access.edge[0]." in str(caught.value)


def test_edge_inside_the_queue_is_told_where_it_belongs() -> None:
    inside = scenario().replace('limit = "50p"', 'limit = "50p", edge = []')
    with pytest.raises(ps.ScenarioError, match="belongs to the link"):
        ps.Scenario.loads(inside)


def test_the_other_direction_has_its_own() -> None:
    text = scenario().replace("edge = [", 'reverse = { edge = [{ kind = "policer", rate = "1Mbit" }] }\nedge = [')
    links = Document.parse(text).resolve().canonical["links"]
    assert [[stage["kind"] for stage in link["edge"]] for link in links] == [[], ["policer"]]
    wrong = text.replace('"policer", rate = "1Mbit"', '"policer", rate = "1Mbit", exceed = "dorp"')
    with pytest.raises(ps.ScenarioError, match=r"links\.access\.reverse\.edge\[0\]\.exceed"):
        ps.Scenario.loads(wrong)


def test_a_scenario_with_an_edge_survives_the_way_through_toml_and_python() -> None:
    loaded = ps.Scenario.loads(
        scenario('{ kind = "policer", rate = "500kbit" }', '{ kind = "shaper", rate = "1Mbit" }')
    )
    assert ps.Scenario.loads(loaded.to_toml()).key() == loaded.key()
    changed = loaded.replace("links.access.edge", [{"kind": "policer", "rate": "1kbit"}])
    assert ps.run(changed).links["access"]["policed"] > 1200


def test_list_and_explain_know_conditioners() -> None:
    runner = CliRunner()
    listed = json.loads(runner.invoke(app, ["explain", "conditioners", "--json", "-"]).stdout)
    assert [entry["name"] for entry in listed][:2] == ["tsw", "token-bucket"]
    text = runner.invoke(app, ["explain", "conditioners"]).stdout
    assert "  srtcm " in text
    result = runner.invoke(app, ["explain", "srtcm"])
    assert result.exit_code == 0
    assert "RFC 2697" in result.stdout


def test_what_became_of_each_codepoint_is_told_and_adds_up() -> None:
    meter = '{ kind = "token-bucket", rate = "0.5Mbit", burst = "2000B", in = "AF11", out = "AF12" }'
    out = '{ name = "out", match = { dscp = "AF12" }, queue = { scheme = "bernoulli", p = 1 } }'
    queue = f'scheme = "pq", limit = "50p", classes = [{out}, {{ name = "rest" }}]'
    text = scenario(meter).replace('scheme = "droptail", limit = "50p"', queue)
    link = ps.run(ps.Scenario.loads(text)).links["access"]
    for metric in ("arrivals", "departures", "drops", "marks"):
        assert link[f"dscp_af11_{metric}"] + link[f"dscp_af12_{metric}"] == link[metric]
    assert link["dscp_af11_drops"] == 0
    assert link["dscp_af12_loss_rate"] == 1
    # In profile and out of it take turns: among those out of profile the losses are one burst, which never ends.
    assert len(link["burst_loss_pmf"]) == 1
    assert len(link["dscp_af12_burst_loss_pmf"]) == 0
    entry = metric_named("dscp_af12_loss_rate")
    assert (entry.title, entry.quantity, entry.key) == ("Loss rate, AF12", "share", False)


def test_without_codepoints_none_is_told() -> None:
    link = measured('{ kind = "policer", rate = "0.5Mbit", burst = "2000B" }')
    assert not [name for name in link if name.startswith("dscp_")]
