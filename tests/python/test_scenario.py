"""Scenarios: TOML and Python say the same, paths change them, copies and draws come out in canonical form."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penstock.aqms.catalog import find_scheme, tcp_keys
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.scheme_text import parse_value

SCENARIOS = sorted((Path(__file__).resolve().parents[2] / "scenarios").glob("*.toml"))
THESIS = next(path for path in SCENARIOS if path.name == "thesis_link.toml")


def small(**changes: Any) -> ps.Scenario:
    """A dumbbell that runs in no time."""
    settings: dict[str, Any] = {
        "rate": "10Mbit",
        "rtt": "80ms",
        "duration": "4s",
        "queue": ps.Red(limit="100p"),
        "traffic": {"bulk": ps.Tcp(count=3, flavour="newreno", window=100, start={"uniform": ["0s", "1s"]})},
    }
    return ps.dumbbell(**(settings | changes))


def link(resolved: Resolved, name: str) -> dict[str, Any]:
    """A canonical link direction by name."""
    link_entry: dict[str, Any] = next(entry for entry in resolved.canonical["links"] if entry["name"] == name)
    return link_entry


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_files_survive_a_round_trip(path: Path) -> None:
    scenario = ps.Scenario.load(path)
    again = ps.Scenario.loads(scenario.to_toml())
    assert again == scenario
    assert again.resolve().readable == Document.read(path).resolve().readable
    assert again.key() == scenario.key()


def test_python_and_toml_say_the_same() -> None:
    scenario = small()
    assert ps.Scenario.loads(scenario.to_toml()) == scenario
    assert scenario.links["bottleneck"].queue == ps.Red(limit="100p")
    assert scenario.check() == ()


def test_what_check_prints_means_the_same_scenario() -> None:
    from penstock.scenario.check import resolved_text

    before = Document.read(THESIS).resolve()
    after = Document.parse(resolved_text(before)).resolve()
    assert after.readable == before.readable
    assert [entry["queue"] is None for entry in after.canonical["links"]] == [
        entry["queue"] is None for entry in before.canonical["links"]
    ]


@pytest.mark.parametrize("flavour", tcp_keys().flavours)
def test_what_check_prints_runs_the_same_for_every_congestion_control(flavour: str) -> None:
    traffic = {"flow": ps.Tcp(flavour=flavour), "other": ps.Tcp(ecn=True)}  # type: ignore[arg-type]
    link = ps.dumbbell(rate="10Mbit", rtt="20ms", queue="codel:ecn=true", traffic=traffic, duration="3s")
    printed = ps.Scenario.loads(resolved_text(link.resolve()))
    assert ps.run(printed).links["bottleneck"].departures > 100
    assert {**ps.run(printed).raw, "cpu_s": 0} == {**ps.run(link).raw, "cpu_s": 0}


def test_the_thesis_link_is_that_of_the_thesis() -> None:
    resolved = Document.read(THESIS).resolve()
    bottleneck = link(resolved, "bottleneck")
    assert (bottleneck["rate"], bottleneck["delay"]) == (1_500_000, 20_000_000)
    assert bottleneck["queue"]["limit"] == {"packets": 35}
    assert link(resolved, "bottleneck.reverse")["queue"] == bottleneck["queue"]
    extra = next(group for group in resolved.canonical["traffic"] if group["name"] == "extra")
    assert extra["start"] == {"first_ns": 3_500_000_000, "every_ns": 100_000_000, "jitter_ns": 100_000_000}


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("traffic.bulk.cuont", "count"),
        ("links.bottleneck.queue.max_q", "max_p"),
        ("links.bottleneck.dealy", "delay"),
        ("links.bottleneck.reverse.wacth", "watch"),
        ("duratoin", "duration"),
    ],
)
def test_a_mistyped_path_is_refused(path: str, near: str) -> None:
    with pytest.raises(ps.ScenarioError, match=rf'{path} = 1: .*did you mean "{near}"'):
        small().replace(path, 1)


def test_a_mistyped_key_in_a_replaced_table_is_refused() -> None:
    with pytest.raises(ps.ScenarioError, match=r'queue\.maxp = 0.2: .*did you mean "max_p"'):
        small().replace("links.bottleneck.queue", {"scheme": "red", "maxp": 0.2})


def test_a_value_is_replaced_by_its_path() -> None:
    scenario = small()
    changed = scenario.replace("links.bottleneck.queue.max_p", 0.2).replace("traffic.bulk.count", 7)
    assert changed.links["bottleneck"].queue == ps.Red(limit="100p", max_p=0.2)
    assert changed.traffic["bulk"].count == 7
    assert scenario.traffic["bulk"].count == 3
    assert changed.key() != scenario.key()
    other = scenario.replace("links.bottleneck.queue", ps.Psand(limit="50p", target="10p"))
    assert other.links["bottleneck"].queue == ps.Psand(limit="50p", target="10p")


def test_errors_of_python_scenarios_name_the_path() -> None:
    errors = small(queue=ps.Red(limit="100p", min_th=20, max_th=10)).check()
    assert any(error.path.startswith("links.bottleneck.queue.m") for error in errors)
    with pytest.raises(ps.ScenarioError, match=r"links\.bottleneck\.queue"):
        ps.run(small(queue=ps.Red(limit="-5p")))


def test_a_path_that_leads_nowhere_is_told() -> None:
    with pytest.raises(ps.PenstockError, match='did you mean "bottleneck"'):
        small().replace("links.botleneck.rate", "1Mbit")


def test_copies_are_numbered_and_spread() -> None:
    text = """
        duration = "1s"
        [links.core]
        from = "R1"
        to = "D"
        rate = "10Mbit"
        delay = "1ms"
        [links.access]
        count = 3
        from = "S{i}"
        to = "R1"
        rate = "10Mbit"
        delay = { linear = ["1ms", "200ms"] }
        [traffic.all]
        kind = "tcp"
        count = 3
        from = "S{i}"
        to = "D"
    """
    resolved = Document.parse(text).resolve()
    names = ["access.0", "access.1", "access.2"]
    assert [link(resolved, name)["from"] for name in names] == ["S0", "S1", "S2"]
    assert [link(resolved, name)["delay"] for name in names] == [1_000_000, 100_500_000, 200_000_000]
    assert link(resolved, "access.1.reverse")["drawn_as"] == "access.1"
    assert resolved.canonical["traffic"][0]["from"] == ["S0", "S1", "S2"]
    none = Document.parse(text).set("traffic.all.count", 0).resolve()
    assert none.canonical["traffic"][0]["count"] == 0


@pytest.mark.parametrize(
    ("limit", "canonical"),
    [
        (35, {"packets": 35}),
        ("35p", {"packets": 35}),
        ("50kB", {"bytes": 50_000}),
        ("100ms", {"bytes": 125_000}),
        ("1BDP", {"bytes": 100_000}),
        ("inf", "inf"),
    ],
)  # fmt: skip
def test_a_limit_in_every_unit(limit: Any, canonical: Any) -> None:
    resolved = small(queue=ps.DropTail(limit=limit)).resolve()
    assert link(resolved, "bottleneck")["queue"]["limit"] == canonical


def test_thresholds_as_shares_of_the_buffer() -> None:
    queue = link(small(queue=ps.Red(limit="100p", min_th="10%", max_th="50%")).resolve(), "bottleneck")["queue"]
    assert (queue["params"]["min_th"], queue["params"]["max_th"]) == ({"packets": 10}, {"packets": 50})


def test_a_list_may_have_one_number() -> None:
    queue = ps.Nonlinear(limit="50p", fill_level=(0.5,), drop_probability=(0.2,))
    assert ps.run(small(queue=queue)).links["bottleneck"].utilization > 0
    with pytest.raises(ps.ScenarioError, match="must have at least one number"):
        small(queue=ps.Nonlinear(limit="50p", fill_level=())).resolve()


def test_round_trips_count_the_shortest_ways() -> None:
    assert small().resolve().round_trip("bottleneck") == 80_000_000
    assert small().resolve().round_trip("bottleneck.reverse") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.2", 0.2), ("5", 5), ("true", True), ("2Mbit", "2Mbit"), ('"x"', "x"), ("[1, 2]", [1, 2]), ("1/50", "1/50"),
     ("2024-01-01", "2024-01-01"), ("", ""), ("a b", "a b"), ("1\nb = 2", "1\nb = 2")],
)  # fmt: skip
def test_values_on_the_command_line(text: str, value: Any) -> None:
    assert parse_value(text) == value


def test_the_generated_classes_are_current() -> None:
    from penstock.scenario import _gen

    assert _gen.TARGET.read_text(encoding="utf-8") == _gen.generated_source(), "run make gen"


def test_every_scheme_runs_with_its_defaults() -> None:
    from penstock.scenario._generated import SCHEMES

    for name, scheme in SCHEMES.items():
        info = find_scheme(name)
        needed: dict[str, Any] = {param.name: info.example(param) for param in info.params if param.required}
        queue = scheme(limit="50p", **needed)
        run = ps.run(small(queue=queue))
        assert 0 < run.links["bottleneck"].utilization <= 1.0, name


def test_results_are_attributes_keys_and_arrays() -> None:
    run = ps.run(small(), seed=5, series=True)
    bottleneck = run.links["bottleneck"]
    assert run.seed == 5
    assert bottleneck["loss_rate"] == bottleneck.loss_rate
    assert abs(bottleneck.length_pmf.sum() - 1) < 1e-9
    assert run.traffic["bulk"].flows["goodput_bps"].shape == (3,)
    assert "loss_rate" in repr(bottleneck)
    assert repr(run).splitlines()[1].startswith("bottleneck: delay ")
    assert len(repr(run).splitlines()) == 1 + len(run.links) + len(run.traffic)
    assert "<table>" in run._repr_html_()
    assert len(run.series["bottleneck"]["t_ns"]) > 10
    with pytest.raises(AttributeError, match='no metric "los_rate"; did you mean "loss_rate"'):
        _ = bottleneck.los_rate  # type: ignore[attr-defined]


def paths(tree: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All paths of a tree."""
    below = [before] if before else []
    for key, value in tree.items() if isinstance(tree, dict) else ():
        below += paths(value, (*before, key))
    return below


TREE = {
    **small().replace("links.bottleneck.reverse", {"queue": "same"}).tree(),
    "warmup": "1s",
    "sampling": "10ms",
    "seed": 3,
}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=4)
    | st.sampled_from(
        ["1ms", "5p", "1Mbit", "1kB", "50%", "2BDP", "same", "red", "S", "D", "auto", "inf", "tcp", "1e30s"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["uniform", "exp", "list", "linear", "queue", "rate", "x", "first"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(paths(TREE)), ANYTHING)
def test_no_value_anywhere_breaks_the_resolver(path: tuple[Any, ...], value: Any) -> None:
    tree = copy.deepcopy(TREE)
    place: Any = tree
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    resolved = resolve(tree)
    assert all(error.message for error in resolved.errors)
