"""`penstock tune`: aims, settings, the search against a known optimum, the proof with fresh seeds."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import penstock as ps
import pyarrow as pa
import pytest
from penstock.aqms.catalog import schemes
from penstock.errors import MissingPackageError, PenstockError, ScenarioError
from penstock.scenario.document import Document, read_document
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.aim import Aim, parse_aims
from penstock.tuning.bench import MeasuredSetting, Setting, TuningBench
from penstock.tuning.budget import BudgetClock, SearchPlan
from penstock.tuning.capture import with_capture
from penstock.tuning.floors import violated_floors
from penstock.tuning.population import NetworkDraw, Population
from penstock.tuning.rules import design_rules
from penstock.tuning.scaling import scaled_scenario
from penstock.tuning.search import search
from penstock.tuning.space import search_space
from penstock.tuning.tune import tune

ROOT = Path(__file__).resolve().parents[2]
PLACES = {"links": ["bottleneck"], "traffic": ["calls", "bulk"], "dscp": ["default", "EF"]}
LINK = ps.dumbbell(
    rate="5Mbit", rtt="40ms", duration="4s", queue=ps.Red(limit="100p"), traffic={"bulk": ps.Tcp(count=6)}
)


def document() -> Document:
    return LINK.document()


def tuned() -> LoadedLink:
    return LoadedLink.from_scenario(document().resolve(), "bottleneck")


def bench_for(*aims: str, link: LoadedLink | None = None) -> TuningBench:
    population = Population(document(), ["bottleneck"], 1)
    return TuningBench(population, [link or tuned()], parse_aims(aims, PLACES), threads=2)


@pytest.mark.parametrize(
    ("text", "place", "metric", "side", "bound"),
    [
        ("delay p99 < 20 ms", None, "delay_p99_s", "<", 0.02),
        ("delay_p99_s<=20ms", None, "delay_p99_s", "<", 0.02),
        ("calls.loss < 0.1 %", "calls", "loss_rate", "<", 0.001),
        ("utilization > 95%", None, "utilization", ">", 0.95),
        ("bulk.goodput > 2 Mbit", "bulk", "goodput_bps", ">", 2e6),
        ("length < 12", None, "length_mean_pkts", "<", 12.0),
        ("min delay", None, "delay_mean_s", "min", 0.0),
        ("max fairness", None, "jain", "max", 0.0),
    ],
)
def test_an_aim_is_read(text: str, place: str | None, metric: str, side: str, bound: float) -> None:
    (aim,) = parse_aims([text], PLACES)
    assert (aim.place, aim.metric, aim.side, aim.bound) == (place, metric, side, bound)


def test_all_errors_of_aims_are_told_at_once_with_the_nearest_name() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_aims(["dealy p99 < 20ms", "delay < 5Mbit", "delay", "cals.loss < 1%", "utilization > 120%"], PLACES)
    message = str(caught.value)
    for part in ("did you mean", "calls", "expected METRIC < VALUE", "5Mbit", "120%"):
        assert part in message
    assert len(caught.value.errors) == 5


def test_a_shortfall_is_the_distance_to_the_bound_in_parts_of_the_way_to_the_ideal() -> None:
    less = Aim("", None, "delay_p99_s", "<", 0.02)
    assert [less.shortfall(value) for value in (0.01, 0.02, 0.03)] == pytest.approx([0.0, 0.0, 0.5])
    more = Aim("", None, "utilization", ">", 0.95)
    assert [more.shortfall(value) for value in (0.99, 0.95, 0.90)] == pytest.approx([0.0, 0.0, 1.0])


def test_the_link_has_the_numbers_of_the_scenario() -> None:
    link = tuned()
    assert (link.rate_bps, link.rtt_s, link.buffer_pkts, link.packet_bytes, link.flows) == (5e6, 0.04, 100, 1500, 6)
    assert link.bdp == pytest.approx(5e6 * 0.04 / (8 * 1500))
    assert link.weight(1.0) == pytest.approx(1 - math.exp(-1 / link.bdp))


@pytest.mark.parametrize("scheme", [entry.name for entry in schemes()])
def test_every_scheme_has_settings_that_it_accepts(scheme: str) -> None:
    bench = bench_for("min delay")
    if not bench.is_valid(Setting(scheme)):
        pytest.skip("the scheme needs parameters that only its user knows")
    space, draw = search_space(scheme, tuned(), {}), np.random.default_rng(1)
    for _ in range(20 if space.knobs else 0):
        values = {
            knob.name: knob.choices[draw.integers(len(knob.choices))]
            if knob.choices
            else math.exp(draw.uniform(math.log(knob.low), math.log(knob.high)))
            for knob in space.knobs
        }
        if bench.is_valid(Setting(scheme, space.parameters(values))):
            return
    assert not space.knobs


def test_given_parameters_stay_as_they_are() -> None:
    space = search_space("red", tuned(), {"ecn": True, "max_p": 0.2})
    assert "max_p" not in {knob.name for knob in space.knobs}
    parameters = space.parameters({"min_th": 5.0, "spread": 3.0, "trips": 10.0, "gentle": True})
    assert (parameters["max_p"], parameters["ecn"], parameters["min_th"], parameters["max_th"]) == (
        0.2,
        True,
        5.0,
        15.0,
    )


@pytest.mark.parametrize(
    ("fixed", "knobs", "low", "high"),
    [
        # The other threshold is searched beside the one that is given, in any unit; the link has 625 packets a second.
        ({"min_th": 5}, {"spread", "max_p", "trips", "gentle"}, 5, 20.0),
        ({"min_th": "5000B"}, {"spread", "max_p", "trips", "gentle"}, "5000B", 20.0),
        ({"min_th": "auto"}, {"spread", "max_p", "trips", "gentle"}, "auto", 20.0),
        ({"max_th": 10}, {"min_th", "max_p", "trips", "gentle"}, 8.0, 10),
        ({"max_th": 6}, {"min_th", "max_p", "trips", "gentle"}, 5.4, 6),
        ({"min_th": 5, "max_th": 15, "w_q": 0.01}, {"max_p", "gentle"}, 5, 15),
    ],
)
def test_a_fixed_threshold_leaves_the_other_to_the_search(
    fixed: dict[str, Any], knobs: set[str], low: Any, high: Any
) -> None:
    link = dataclasses.replace(tuned(), packet_bytes=1000.0)
    space = search_space("red", link, fixed)
    assert {knob.name for knob in space.knobs} == knobs
    parameters = space.parameters({"min_th": 8.0, "spread": 4.0, "max_p": 0.1, "trips": 10.0, "gentle": True} | fixed)
    assert (parameters["min_th"], parameters["max_th"]) == (low, high)
    bench = bench_for("min delay", link=link)
    assert bench.is_valid(Setting("red", parameters))


def test_the_target_of_codel_stays_below_its_interval() -> None:
    """RFC 8289, section 4.3: 5 to 10 % of the interval; half of it at most, or the time of a packet."""
    space = search_space("codel", tuned(), {})
    for values in itertools.product(*((knob.low, knob.high) for knob in space.knobs)):
        parameters = space.parameters(dict(zip((knob.name for knob in space.knobs), values, strict=True)))
        target, interval = (float(parameters[name].removesuffix("ms")) for name in ("target", "interval"))
        assert target <= max(0.5 * interval, 1e3 * tuned().packet_s)


@pytest.mark.parametrize("scheme", ["codel", "fq-codel", "cobalt"])
def test_the_target_of_codel_is_a_part_of_the_interval_that_is_given(scheme: str) -> None:
    link = tuned()
    space = search_space(scheme, link, {"interval": "60ms"})
    assert [knob.name for knob in space.knobs] == ["part"]
    assert space.parameters({"part": 0.1}) == {"target": "6ms", "interval": "60ms"}
    # Not below the time of a packet.
    assert space.parameters({"part": 1e-3 * link.packet_s}) == {
        "target": f"{1e3 * link.packet_s:.3g}ms",
        "interval": "60ms",
    }
    (knob,) = search_space(scheme, link, {"target": "6ms"}).knobs
    assert knob.name == "interval"
    assert [knob.low, knob.high] == pytest.approx([0.012, 0.3])
    assert search_space(scheme, link, {"target": "6ms", "interval": "60ms"}).knobs == ()


def test_a_knob_that_matters_at_one_end_of_another_is_searched() -> None:
    """A packet of 24 ms: at the shortest interval of two packets each part of it is a packet, at longer ones not."""
    slow = LoadedLink("link", 0.5e6, 0.04, 100, 1500, 2)
    assert [knob.name for knob in search_space("codel", slow, {}).knobs] == ["interval", "part"]


def test_wred_has_one_profile_where_nothing_marks_precedences() -> None:
    link = tuned()
    space = search_space("wred", link, {})
    assert [knob.name for knob in space.knobs] == ["min_th", "spread", "max_p", "trips", "gentle"]
    values = {"min_th": 8.0, "spread": 3.0, "max_p": 0.1, "trips": 5.0, "gentle": False}
    parameters = space.parameters(values)
    assert (parameters["min_th"], parameters["max_th"], parameters["max_p"]) == ([8.0], [24.0], [0.1])


def test_wred_is_searched_with_two_levels_in_order() -> None:
    """Level 1, which is dropped first, as RED; level 0 with the same curve, up to eight times higher in the buffer."""
    link = dataclasses.replace(tuned(), drop_precedences=2)
    space = search_space("wred", link, {})
    assert [knob.name for knob in space.knobs] == ["min_th", "spread", "max_p", "trips", "gentle", "lead"]
    bench = bench_for("min delay", link=link)
    for values in itertools.product(*(knob.choices or (knob.low, knob.high) for knob in space.knobs)):
        own = dict(zip((knob.name for knob in space.knobs), values, strict=True))
        parameters = space.parameters(own)
        of_red = search_space("red", link, {}).parameters(
            {name: value for name, value in own.items() if name != "lead"}
        )
        lead = min(own["lead"], link.buffer_pkts / of_red["max_th"])
        for name in ("min_th", "max_th"):
            assert parameters[name] == [pytest.approx(lead * of_red[name], rel=0.01), of_red[name]]
        assert parameters["max_p"] == [of_red["max_p"]] * 2
        assert {name: parameters[name] for name in ("w_q", "gentle")} == {
            name: of_red[name] for name in ("w_q", "gentle")
        }
        setting = Setting("wred", parameters)
        assert bench.is_valid(setting)
        assert not violated_floors("wred", parameters, link)
    # Lists that are given say how many levels there are.
    levels = {"min_th": [9, 6, 3], "max_th": [30, 20, 10], "max_p": [0.1, 0.1, 0.1]}
    space_of_levels = search_space("wred", link, levels)
    assert [knob.name for knob in space_of_levels.knobs] == ["trips", "gentle"]
    assert space_of_levels.parameters({"trips": 10.0, "gentle": True}).items() >= levels.items()


def test_of_settings_that_meet_the_aims_the_highest_power_wins_less_what_is_lost() -> None:
    bench = bench_for("utilization > 50%")
    used, delay, loss = np.array([0.9, 0.9, 0.4]), np.array([0.04, 0.04, 0.0]), np.array([0.0, 0.25, 0.0])
    metrics = {"utilization": used, "delay_mean_s": delay, "loss_rate": loss}
    scores = bench._scores(pa.table({f"links.bottleneck.{name}": column for name, column in metrics.items()}))
    assert scores == pytest.approx([1 - 0.9 / 2, 1 - 0.9 * 0.75 / 2, 1 + 0.1 / 0.5])


def test_a_missing_optimiser_is_told_before_the_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    begun = []
    with pytest.raises(MissingPackageError, match="optuna is not installed"):
        tune(LINK, ["delay < 20ms"], ["red"], progress=lambda *counts: begun.append(counts))
    assert not begun


def test_rules_are_those_of_their_sources() -> None:
    """Floyd et al. 2001, section 4.4: min_th = max(5, target C / 2), 5 ms; RFC 8289: 5 % of the interval."""
    link = LoadedLink("bottleneck", rate_bps=800e6, rtt_s=0.1, buffer_pkts=10_000, packet_bytes=1000, flows=100)
    ared = design_rules("red", link)[0].parameters
    assert (ared["min_th"], ared["max_th"]) == (250.0, 750.0)
    # An interval of 100 ms suits round trips from 10 to 300 ms, so there is no rule between.
    assert design_rules("codel", link) == []
    satellite = dataclasses.replace(link, rtt_s=0.6)
    assert design_rules("codel", satellite)[0].parameters == {"target": "30ms", "interval": "600ms"}
    # A packet of 1000 bytes takes 10 ms at 800 kbit/s.
    slow = dataclasses.replace(link, rate_bps=8e5)
    assert design_rules("fq-codel", slow)[0].parameters == {"target": "15ms", "interval": "115ms"}
    port = dataclasses.replace(link, rate_bps=10e9, rtt_s=1e-4, packet_bytes=1500, is_scalable=True)
    steps = [rule.parameters["min_th"] for rule in design_rules("red", port)]
    assert steps == [math.ceil(10e9 * 1e-4 / 12000 / 7), 65]


class Known(TuningBench):
    """A bench whose score has its least value at a target of 20 ms and an interval of 200 ms."""

    def measure(
        self, settings: Sequence[Setting], draws: Sequence[NetworkDraw], stage: str = "search"
    ) -> list[MeasuredSetting]:
        return [
            MeasuredSetting(setting, pa.table({}), np.full(len(draws), self._distance(setting))) for setting in settings
        ]

    def _distance(self, setting: Setting) -> float:
        target, interval = (float(setting.parameters[name].removesuffix("ms")) for name in ("target", "interval"))
        return math.log(target / 20) ** 2 + math.log(interval / 200) ** 2


def test_the_search_finds_a_known_optimum_and_repeats() -> None:
    population = Population(document(), ["bottleneck"], 1)
    bench = Known(population, [tuned()], parse_aims(["min delay"], PLACES))
    draws = [population.draw(number) for number in range(4)]
    best = [
        min(search(bench, [("codel", {})], draws, 15, 1), key=lambda measured: measured.mean_score) for _ in range(2)
    ]
    assert best[0].setting == best[1].setting
    assert best[0].mean_score < 0.1
    few = min(search(bench, [("codel", {})], draws, 1, 1), key=lambda measured: measured.mean_score)
    assert best[0].mean_score < few.mean_score


def test_link_and_load_are_moved() -> None:
    base = read_document(str(ROOT / "scenarios" / "standard.toml"))
    other = scaled_scenario(base, "bottleneck", rate=2.0, flows=0.5, rtt=2.0)
    before, after = (LoadedLink.from_scenario(document.resolve(), "bottleneck") for document in (base, other))
    assert (after.rate_bps, after.flows) == (2 * before.rate_bps, before.flows // 2)
    assert after.rtt_s == pytest.approx(2 * before.rtt_s)


@pytest.mark.slow
def test_advice_is_proven_and_repeats() -> None:
    first, second = (tune(LINK, ["delay p99 < 40ms"], ["codel", "droptail"], budget_s=60) for _ in range(2))
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())
    assert first.best.met == {"delay p99 < 40ms": True}
    assert first.is_met
    assert len(first.best.measured.scores) == 20
    assert {confirmation.measured.setting.label for confirmation in first.confirmed} >= {"codel", "droptail"}
    assert len(first.map) == 27
    assert not violated_floors(first.advised[0].scheme, first.advised[0].parameters, first.link)


@pytest.mark.slow
def test_it_says_no_where_nothing_helps() -> None:
    advice = tune(LINK, ["delay p99 < 0.1ms", "utilization > 99%"], ["red"], budget_s=10)
    assert advice.conclusion.startswith("No acceptable setting meets")
    assert not advice.is_met


@pytest.mark.slow
def test_competing_aims_have_a_front() -> None:
    advice = tune(LINK, ["min delay p99", "max utilization"], ["codel", "droptail"], budget_s=20)
    ends = [
        tuple(confirmation.measured.summary("bottleneck", name).mean for name in ("delay_p99_s", "utilization"))
        for confirmation in advice.confirmed[: len(advice.advised)]
    ]
    assert len(ends) > 1
    assert ends[0][0] < ends[-1][0]
    assert ends[0][1] <= ends[-1][1]


def test_both_directions_of_a_link_are_advised_together() -> None:
    scenario = ps.Scenario.loads(TWO_WAYS)
    advice = tune(scenario, ["calls.owd p99 < 60ms"], ["fq-codel"], budget_s=30)
    assert [link.place for link in advice.links] == ["line", "line.reverse"]
    first, second = advice.devices(0)
    assert (first["place"], second["place"]) == ("line", "line.reverse")
    assert str(first["tc"]).startswith("tc qdisc replace dev eth0 root fq_codel")
    assert str(second["tc"]).startswith("tc qdisc replace dev eth1 root fq_codel")
    alone = tune(scenario, ["calls.owd p99 < 60ms"], ["fq-codel"], at="line", budget_s=30)
    assert [link.place for link in alone.links] == ["line"]


TWO_WAYS = """
duration = "3s"
[links.line]
from = "A"
to = "B"
rate = "8Mbit"
delay = "10ms"
queue = { scheme = "droptail", limit = "200p" }
watch = true
reverse = { rate = "4Mbit", queue = { scheme = "droptail", limit = "100p" }, watch = true }
[traffic.down]
kind = "tcp"
count = 2
from = "A"
to = "B"
[traffic.up]
kind = "tcp"
from = "B"
to = "A"
[traffic.calls]
kind = "cbr"
rate = "80kbit"
packet = "172B"
from = "A"
to = "B"
"""


def test_a_budget_of_time_plans_the_same_runs_everywhere() -> None:
    assert SearchPlan.plan(1e9, 1e5, 3, 5).rounds == 20
    planned = SearchPlan.plan(300, 1e6, 3, 5)
    assert 1 <= planned.rounds < 20
    assert planned.expected_s <= 300


def test_a_budget_for_no_round_is_refused_with_the_least_one() -> None:
    with pytest.raises(
        PenstockError, match=r"a budget of 1s is too short for one round of the search; at least (\d+)s is needed"
    ):
        SearchPlan.plan(1, 1e6, 3, 5)


def test_a_slow_machine_searches_less_but_at_least_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("penstock.tuning.budget.time.monotonic", lambda: now[0])
    clock = BudgetClock(10.0)
    now[0] = 8.0
    assert clock.has_time(100, 100, 100)
    assert not clock.has_time(100, 100, 100)
    assert clock.rounds == 1
    assert not clock.is_behind(100, 20)


def test_wrong_requests_end_with_2_and_all_errors() -> None:
    command = ["tune", "scenarios/standard.toml", "--aim", "dealy < 1ms", "--scheme", "rde", "--budget", "10q",
               "--at", "bottleneck", "--at", "access"]  # fmt: skip
    process = subprocess.run(
        [sys.executable, "-m", "penstock", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    *errors, count = process.stderr.splitlines()
    assert [line.partition(":")[0] for line in errors] == [
        "--at access",
        "--budget 10q",
        "--scheme rde",
        "--aim 'dealy < 1ms'",
    ]
    assert count == "4 errors; nothing was run"


def scores(aims: list[str], delay: float, utilization: float, loss: float = 0.0) -> float:
    """The score of a run with these metrics."""
    bench = bench_for(*aims)
    numbers = {"delay_mean_s": delay, "utilization": utilization, "loss_rate": loss, "delay_p99_s": 2 * delay}
    return float(bench._scores(pa.table({f"links.bottleneck.{name}": [value] for name, value in numbers.items()}))[0])


def test_weights_say_how_much_of_one_metric_is_worth_how_much_of_another() -> None:
    """With weights 2 and 1: delay at 1 / sqrt(2) is worth half of the utilization, at any size."""
    aims = ["min delay weight 2", "max utilization weight 1"]
    for size in (1e-4, 1e-2, 1.0):
        assert scores(aims, size, 0.8) == pytest.approx(scores(aims, size / math.sqrt(2), 0.4))
        assert scores(aims, 0.99 * size, 0.8) < scores(aims, size, 0.8) < scores(aims, size, 0.79)
    assert scores(["min delay weight 1", "min loss"], 0.02, 1, 0.0) < scores(
        ["min delay weight 1", "min loss"], 0.02, 1, 0.1
    )
    assert scores(["min delay"], 0.02, 1) == pytest.approx(scores(["min delay weight 1", "min delay"], 0.02, 1))


def test_the_weight_of_a_bound_multiplies_its_shortfall() -> None:
    plain = scores(["delay < 10ms", "utilization > 90%"], 0.015, 0.85)
    assert plain == pytest.approx(1 + 0.5 + 0.5)
    assert scores(["delay < 10ms weight 3", "utilization > 90%"], 0.015, 0.85) == pytest.approx(1 + 3 * 0.5 + 0.5)
    assert scores(["delay < 10ms, weight 3", "utilization > 90%"], 0.005, 0.95) < 1


BUFFERED = dataclasses.replace(LINK.links["bottleneck"], queue=ps.DropTail(limit="100p"))


def test_aims_with_weights_are_one_advice_and_without_a_front() -> None:
    plain = bench_for("min delay", "max utilization")
    weighted = bench_for("min delay weight 2", "max utilization")
    assert (len(plain.competing_aims), weighted.competing_aims) == (2, ())
    link = dataclasses.replace(LINK, links={**LINK.links, "bottleneck": BUFFERED})
    advice = tune(link, ["min delay weight 4", "max utilization"], ["droptail"], budget_s=20)
    other = tune(link, ["min delay", "max utilization weight 40"], ["droptail"], budget_s=20)
    assert len(advice.advised) == len(other.advised) == 1
    limits = [
        int(str(advised.advised[0].parameters.get("limit", "100p")).removesuffix("p")) for advised in (advice, other)
    ]
    assert limits[0] < limits[1]


@pytest.mark.parametrize("text", ["min delay weight 0", "min delay weight x", "delay < 2ms weight -1"])
def test_a_weight_is_above_zero(text: str) -> None:
    with pytest.raises(ScenarioError, match="expected a number above 0"):
        parse_aims([text], PLACES)


def recorded(folder: Path) -> Path:
    """A capture of a load in front of its bottleneck: 1 Mbit/s of datagrams for 4 s."""
    calls = ps.Cbr(rate="1Mbit", packet="500B")
    ps.dumbbell(rate="50Mbit", rtt="40ms", duration="4s", traffic={"calls": calls}).save(folder / "load.toml")
    command = [sys.executable, "-m", "penstock", "run", "load.toml", "--pcap", "bottleneck=load.pcap"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "load.pcap"


def test_a_capture_is_the_load(tmp_path: Path) -> None:
    """The replayed packets are those of the recording, beside the scenario's own traffic."""
    file = recorded(tmp_path)
    LINK.save(tmp_path / "tune.toml")
    arguments = ["--aim", "capture.owd p99 < 200ms", "--scheme", "droptail", "--budget", "20s"]
    arguments += ["--capture", "load.pcap", "--json", "-", "--store", str(tmp_path / "store")]
    command = [sys.executable, "-m", "penstock", "tune", "tune.toml", *arguments]
    process = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    document = json.loads(process.stdout)
    assert document["scenario"]["traffic"]["capture"]["kind"] == "replay"
    assert document["confirmed"][0]["met"] == {"capture.owd p99 < 200ms": True}
    alone = dataclasses.replace(LINK, traffic={})
    run = ps.run(with_capture(alone.document(), file, None), seed=1)
    assert run.traffic["capture"].sent_pkts == pytest.approx(4 * 1e6 / 8 / 528, abs=2)


def test_a_capture_follows_the_direction_of_the_link(tmp_path: Path) -> None:
    file = recorded(tmp_path)
    ahead, back = (with_capture(LINK.document(), file, at).tree for at in ("bottleneck", "bottleneck.reverse"))
    ends = [(tree["traffic"]["capture"]["from"], tree["traffic"]["capture"]["to"]) for tree in (ahead, back)]
    assert ends == [("R1", "R2"), ("R2", "R1")]
    with pytest.raises(ScenarioError, match="No such file"):
        with_capture(LINK.document(), tmp_path / "none.pcap", None)
    with pytest.raises(ScenarioError, match="already"):
        with_capture(with_capture(LINK.document(), file, None), file, None)
    with pytest.raises(ScenarioError, match="no link"):
        with_capture(LINK.document(), file, "bottelneck")
