"""`penstock challenge`: the space of networks, the deficit, rules, and weaknesses that it must find."""

from __future__ import annotations

import html
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import penstock as ps
import pytest
from penstock.challenges import page
from penstock.challenges.bench import ChallengeBench, Trial
from penstock.challenges.challenge import (
    FINAL_RUNS,
    FINALIST_COUNT,
    MIN_CONFIRMATION,
    MIN_NETWORKS,
    NETWORKS_PER_CHECK,
    SAMPLE_END,
    Challenge,
)
from penstock.challenges.criteria import CRITERIA, DEFAULT_CRITERIA
from penstock.challenges.network import CONTROLS, COORDINATES, FULL_BITS, MAX_PACKETS, Network, network_at
from penstock.challenges.rules import SUFFICIENT_CONFIRMATION, find_rule, rule_threshold
from penstock.challenges.search import latin_hypercube
from penstock.challenges.simplify import MIN_KEPT_DEFICIT, simplify
from penstock.studies.candidate import Candidate

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "howto" / "challenge-a-scheme.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^<!-- test: skip, test_challenge.py runs it -->\n```sh\n(.*?)\n```\n\n```text\n(.*?)^```$", PAGE, re.M | re.S
)
BUDGET_S = 20.0
USUAL = Network(rtt=0.1, far=1, rate=1e7, flows=1, buffer=1)


@ps.aqm("challenged-alone")
class Alone(ps.Aqm):
    """Drops every other packet of a flow after 500 consecutive packets without one of another flow."""

    def reset(self, link: object) -> None:
        self.flow, self.streak = -1, 0

    def on_arrival(self, cx: ps._native.Cx, pkt: ps._native.Packet) -> ps._native.Verdict:
        self.streak = self.streak + 1 if pkt.flow == self.flow else 0
        self.flow = pkt.flow
        return ps.DROP if self.streak > 500 and self.streak % 2 else ps.PASS


@pytest.fixture(scope="module")
def alone() -> Challenge:
    return ps.challenge("challenged-alone", "codel", metric="utilization", budget_s=BUDGET_S, runs=5, jobs=2)


def sampled_networks(count: int, never_off: frozenset[str] = frozenset()) -> list[Network]:
    return [network_at(point, never_off) for point in latin_hypercube(np.random.default_rng(5), count)]


def test_every_network_of_the_space_is_a_scenario_with_bounded_work() -> None:
    for network in sampled_networks(100):
        resolved = network.document().resolve()
        assert network.rate * network.duration_s <= MAX_PACKETS * FULL_BITS
        assert network.longest_rtt <= COORDINATES["rtt"].high * 1.02  # two digits
        flows = {name: group.get("count", 1) for name, group in resolved.readable["traffic"].items()}
        assert flows["near"] + flows.get("far", 0) == network.flows


def test_a_sample_is_spread_evenly_over_each_coordinate() -> None:
    points = latin_hypercube(np.random.default_rng(1), 50)
    for name in COORDINATES:
        assert sorted(int(50 * point[name]) for point in points) == list(range(50))


def test_coordinates_that_a_metric_needs_are_never_off() -> None:
    assert all(network.far >= 2 and network.flows >= 2 for network in sampled_networks(100, frozenset({"far"})))
    assert {network.short > 0 for network in sampled_networks(100)} == {True, False}


def test_the_deficit_is_the_missing_part_of_the_benefit() -> None:
    pair = {
        "utilization": [[0.6], [0.8]],
        "delay_p99": [[0.3], [0.1]],
        "loss": [[0.1], [0.0]],
        "fairness": [[0.6], [1]],
    }
    values = {name: np.array(pair.get(name, [[np.nan], [np.nan]])) for name in CRITERIA}
    trial = Trial(USUAL, values, DEFAULT_CRITERIA)
    deficits = [float(trial.deficits(name, 1)[0]) for name in DEFAULT_CRITERIA]
    assert deficits == pytest.approx([0.25, 1 - (0.1 + 0.1) / (0.1 + 0.3), 0.1, 0.4])
    assert trial.worst_criterion_and_rival == ("delay_p99", 1)
    assert trial.score == pytest.approx(0.5)
    assert trial.smallest_deficit("completion", 1) == -np.inf


def test_a_rule_recovers_the_thresholds_of_a_planted_deficit() -> None:
    networks = sampled_networks(600)
    deficits = [0.4 if network.flows < 10 and network.longest_rtt > 0.1 else 0.01 for network in networks]
    threshold = rule_threshold(deficits, 0.4)
    assert threshold == 0.2
    rule = find_rule(networks, deficits, threshold)
    assert rule is not None
    comparisons = {condition.quantity: (condition.operator, condition.value) for condition in rule.conditions}
    assert comparisons["longest_rtt"] == (">", 0.1)
    assert comparisons["flows"][0] == "<"
    assert 8 <= comparisons["flows"][1] <= 12
    assert rule.inside.share > 0.9 > 0.05 > rule.outside.share
    assert "round trips above 100 ms" in rule.text
    assert find_rule(networks, [0.3] * len(networks), 0.2) is None


def test_the_simplest_network_keeps_most_of_the_deficit() -> None:
    schemes = [Candidate.parse(text) for text in ("codel", "droptail")]
    bench = ChallengeBench(schemes, ["utilization"], budget_s=60, results=None, threads=2, progress=None)
    odd = Network(rtt=0.47, far=1, rate=8.3e6, flows=1, buffer=1.3, udp=0.06, control="reno", ecn=True)
    (trial,) = bench.measure([odd], range(1, 4))
    simplest = simplify(bench, trial, "utilization", 1, range(1, 4))
    network = simplest.network
    assert simplest.deficit("utilization", 1).mean >= MIN_KEPT_DEFICIT * trial.deficit("utilization", 1).mean
    assert (network.udp, network.ecn, network.buffer, network.rate) == (0, False, 1, 1e7)


@pytest.mark.slow
def test_a_fault_of_an_aqm_in_python_is_confirmed_in_its_simplest_network(alone: Challenge) -> None:
    assert alone.is_worse
    assert alone.network.flows == 1
    assert (alone.network.udp, alone.network.short) == (0, 0)
    assert alone.worse_by.mean > 0.3
    assert repr(alone).startswith(alone.conclusion)
    assert f"1 {CONTROLS[alone.network.control]} flow" in alone.conclusion


@pytest.mark.slow
def test_the_printed_scenario_repeats_the_confirmation(alone: Challenge) -> None:
    repeated = ps.compare(ps.Scenario.loads(alone.scenario_toml), ["challenged-alone", "codel"], runs=5)
    assert repeated == alone.runs
    utilizations = repeated.array("utilization", "bottleneck")[0, 0]
    np.testing.assert_array_equal(utilizations, alone.values(0, "utilization"))


@pytest.mark.slow
def test_the_page_has_the_result_and_the_scenario_file(alone: Challenge, tmp_path: Path) -> None:
    page.write(alone, tmp_path / "page.html", "penstock compare challenge.toml")
    text = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert f'<p class="lead answer">{alone.conclusion}</p>' in text
    assert f"# penstock compare challenge.toml\n{alone.scenario_toml}" in text
    utilizations = [float(np.mean(alone.values(scheme, "utilization"))) for scheme in (0, 1)]
    row = re.search(r"utilization \(%\)</th>(.*?)</tr>", text, re.S)
    assert row is not None
    cells = [float(cell) for cell in re.findall(r">([\d.]+) ± ", row[1])]
    assert cells == pytest.approx([100 * value for value in utilizations], abs=0.06)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_network(alone: Challenge) -> None:
    again = ps.challenge("challenged-alone", "codel", metric="utilization", budget_s=BUDGET_S, runs=5, jobs=1)
    assert again.to_dict() == alone.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize(("command", "printed"), EXAMPLES, ids=[command.split()[2] for command, _ in EXAMPLES])
def test_the_page_shows_what_its_commands_print(command: str, printed: str, tmp_path: Path) -> None:
    (timid,) = re.findall(r":caption: timid.py\n(.*?)^```$", PAGE, re.M | re.S)
    (tmp_path / "timid.py").write_text(timid, encoding="utf-8")
    words = [sys.executable, "-m", *shlex.split(command), "--store", "store"]
    process = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    conclusion, _, _ = process.stdout.partition("\n\n")
    assert printed.split() == conclusion.split()


def test_the_page_states_the_limits_of_the_search() -> None:
    text = " ".join(PAGE.split())
    assert len(EXAMPLES) == PAGE.count("test: skip, test_challenge.py runs it") > 0
    assert f"at most {MAX_PACKETS // 1000} 000 full packets per run" in text
    assert SAMPLE_END == 0.25
    assert f"The search first measures at least {MIN_NETWORKS} networks, within a quarter of the budget." in text
    assert f"at least {100 * MIN_KEPT_DEFICIT:.0f} % of the deficit remains" in text
    assert (FINALIST_COUNT, FINAL_RUNS, NETWORKS_PER_CHECK) == (8, 5, 20)
    assert "The eight worst networks get five more runs." in text
    assert "20 fresh networks that meet the conditions, and in 20 that do not" in text
    assert f"differ by at least {100 * MIN_CONFIRMATION:.0f} percentage points" in text
    assert f"below {100 * SUFFICIENT_CONFIRMATION:.0f} points, a further rule is derived" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--against: is missing"),
        (["--against", "cdoel", "--against", "pei"], "--against pei: "),
        (["--against", "cdoel", "--against", "pei"], 'did you mean "codel"'),
        (["--against", "red"], "needs another scheme"),
        (["--against", "codel", "--metric", "utilisation"], 'did you mean "utilization"'),
        (["--against", "codel", "--budget", "5"], "--budget 5: a bare number has no unit"),
        (["--against", "codel", "-o", "-"], "-o -: name a file"),
        (["--against", "codel", "--html", "-"], "--html -: name a file"),
        (["--against", "codel", "--budget", "2s"], "a budget of 2s is too short for 24 networks; at least "),
    ],
)
def test_invalid_options_are_refused(options: list[str], message: str) -> None:
    command = [sys.executable, "-m", "penstock", "challenge", "red", *options]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert process.returncode == 2
    assert message in process.stderr
