"""The scenarios of RFC 7928: each has its row, loads follow its formula, AQMs in Python pass through."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.errors import PenstockError
from penstock.evaluation.evaluate import FULL, QUICK, Evaluation, EvaluationExtent, evaluate, rfc_cases
from penstock.evaluation.network import HEAVY, MEDIUM, MILD, Dumbbell

ROOT = Path(__file__).resolve().parents[2]
IDS = [
    "4.4", "4.5-20", "4.5-200", "5.1.1", "5.1.2-3", "5.1.2-10", "5.2", "5.3-1", "5.3-2-0.6", "5.3-2-0.9", "5.4",
    "6.2-5", "6.2-20", "6.2-60", "6.2-200", "6.2-560", "7.2-1", "7.2-2", "7.2-3", "7.2-4", "8.2.2", "8.2.3", "8.2.4",
    "8.2.5", "8.2.6-1", "8.2.6-2", "9.1", "9.2", "10.2",
]  # fmt: skip
"""Every scenario for which the RFC asks (table in section 14; 4.4 and 4.5 repeat others), in the quick evaluation."""

TINY = EvaluationExtent(Dumbbell(rate_bps=1e6, packet_bytes=698, duration_s=6.0, start_s=1.0), 2, quick=True)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(["codel", "red"], TINY)


@pytest.mark.parametrize("extent", [QUICK, FULL])
def test_every_section_has_its_scenario(extent: EvaluationExtent) -> None:
    cases = rfc_cases(extent)
    ids = [case.id for case in cases]
    assert [name for name in ids if not name.startswith("6.2")] == [name for name in IDS if not name.startswith("6.2")]
    assert set(IDS) <= set(ids)
    assert len(set(ids)) == len(ids)
    for case in cases:
        case.scenario(extent.dumbbell).resolve()


def test_every_scenario_has_a_row_for_each_scheme(evaluation: Evaluation) -> None:
    assert evaluation.schemes == ("droptail", "codel", "red")
    ids = [case.id for case in rfc_cases(TINY)]
    assert [(row.case.id, row.scheme) for row in evaluation.rows] == [
        (name, scheme) for name in ids for scheme in evaluation.schemes
    ]
    for row in evaluation.rows:
        assert row.metrics["bottleneck"]["utilization"]["mean"] > 0, row.case.id
        assert set(row.case.groups) & set(row.metrics), row.case.id
        assert bool(row.differences_to_droptail) == (row.scheme != "droptail")


def test_the_runs_of_a_scenario_are_those_of_a_comparison_on_it(evaluation: Evaluation) -> None:
    """Also where a scheme has ECN only in this scenario."""
    cases = {case.id: case for case in evaluation.cases}
    for name, red in (("7.2-1", "red"), ("4.5-20", "red:ecn=true")):
        compared = ps.compare(cases[name].scenario(TINY.dumbbell), ["droptail", red], runs=2)
        runs = evaluation.runs.where(case=name)
        for place, metric in (("bottleneck", "delay_mean_s"), ("bottleneck", "mark_rate")):
            expected = compared.estimate(metric, place, scheme=red)
            assert runs.estimate(metric, place, scheme="red") == expected
    (row,) = (row for row in evaluation.rows if (row.case.id, row.scheme) == ("4.5-20", "red"))
    assert row.metrics["bottleneck"]["delay_mean_s"]["mean"] == compared.estimate("delay_mean_s", scheme=red).mean
    delay, goodput = evaluation.points(cases["4.5-20"], "red")
    assert delay.mean() == pytest.approx(compared.estimate("delay_mean_s", scheme=red).mean)
    groups = [compared.estimate("goodput_bps", group, scheme=red).mean for group in ("first", "second")]
    assert goodput.mean() == pytest.approx(sum(groups))


def test_the_runs_are_a_table_like_any_other(evaluation: Evaluation, tmp_path: Path) -> None:
    assert isinstance(evaluation.runs, ps.Runs)
    assert evaluation.runs.axes == {"case": [case.id for case in rfc_cases(TINY)]}
    assert len(evaluation.runs) == len(IDS) * 3 * TINY.runs
    # The link "second" is in another scenario than the traffic "second".
    assert evaluation.runs.estimate("loss_rate", "second", case="6.2-20", scheme="codel").mean > 0
    evaluation.runs.save(tmp_path / "runs.csv")
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8").count("\n") == len(evaluation.runs) + 1


@pytest.mark.parametrize(("share", "loss"), [(MILD, 0.001), (MEDIUM, 0.005), (HEAVY, 0.01)])
def test_loads_follow_the_formula_of_the_rfc(share: float, loss: float) -> None:
    """Section 8.2.1: N = S sqrt(1 / 0.76) sqrt(l_r), and the factors that the RFC prints for it."""
    assert share == math.floor(1000 * math.sqrt(loss / 0.76)) / 1000
    bench = Dumbbell(rate_bps=10e6, rtt_ms=100, packet_bytes=1500)
    assert bench.bdp == pytest.approx(10e6 * 0.1 / 12_000)
    assert bench.flows(share) == round(share * (bench.bdp + bench.buffer()))


@pytest.mark.slow
def test_losses_behind_drop_tail_are_those_of_the_square_root_law() -> None:
    """Mathis et al. 1997: p = 1.5 / W^2 with every packet acknowledged, for the window W = C R / N of the measured R.

    The AQM leaves out timeouts, and so the heavy level, with windows of seven packets.
    """
    extent = EvaluationExtent(Dumbbell(duration_s=120.0), 5, quick=True)
    losses = {}
    for case in rfc_cases(extent):
        if case.section in ("8.2.2", "8.2.3", "8.2.4"):
            scenario = case.scenario(extent.dumbbell).set("traffic.bulk.delayed_ack", False)
            runs = ps.compare(scenario, ["droptail"], runs=extent.runs)
            delay = runs.estimate("delay_mean_s", "bottleneck", scheme="droptail").mean
            flows = scenario.tree["traffic"]["bulk"]["count"]
            packet_s = 8 * extent.dumbbell.packet_bytes / extent.dumbbell.rate_bps
            window = (extent.dumbbell.rtt_ms / 1e3 + delay + packet_s) / packet_s / flows
            losses[case.section] = runs.estimate("loss_rate", "bottleneck", scheme="droptail").mean, 1.5 / window**2
    assert losses["8.2.2"][0] == pytest.approx(losses["8.2.2"][1], rel=0.1)
    assert losses["8.2.3"][0] == pytest.approx(losses["8.2.3"][1], rel=0.2)
    assert losses["8.2.3"][0] < losses["8.2.4"][0] < losses["8.2.4"][1]


def test_the_discussion_has_sensitivity_and_knobs(evaluation: Evaluation) -> None:
    codel = evaluation.discussion[0]
    assert {entry["parameter"] for entry in codel.sensitivity} >= {"target", "interval"}
    assert {knob["name"] for knob in codel.knobs} >= {"target", "interval", "ecn"}


def test_the_runs_of_the_sensitivity_are_a_table(evaluation: Evaluation) -> None:
    runs = evaluation.sensitivity_runs
    changes = sum(len(discussion.sensitivity) for discussion in evaluation.discussion)
    assert len(runs) == (changes + 2) * TINY.runs  # codel and red as given, and each change
    frame = runs.to_pandas()
    assert not frame.duplicated(["scheme", "seed"]).any()
    delays = frame.groupby("scheme")["links.bottleneck.delay_mean_s"].mean()
    (entry,) = (
        entry
        for entry in evaluation.discussion[0].sensitivity
        if (entry["parameter"], entry["factor"]) == ("target", 2.0)
    )
    assert entry["delay_mean_s"] == pytest.approx(delays["codel:target=10ms"] / delays["codel"])


def test_a_row_says_how_it_stands_beside_drop_tail(evaluation: Evaluation) -> None:
    verdicts = {
        row.compared_with_droptail("delay_mean_s", lower_is_better=True)
        for row in evaluation.rows
        if row.scheme == "codel"
    }
    assert verdicts <= {"better", "worse", "tie"}
    assert evaluation.conclusion.startswith("codel has a shorter queueing delay than drop-tail in ")


def test_drop_tail_alone_is_refused() -> None:
    with pytest.raises(PenstockError, match="always there"):
        evaluate(["droptail"], TINY)


def test_an_aqm_in_python_passes_through_the_whole() -> None:
    @ps.aqm("evaluated-threshold")
    class Threshold(ps.Aqm):
        """Drop every arrival while `k` packets or more are waiting."""

        k: int = 20

        def on_arrival(self, cx: Any, pkt: Any) -> Any:
            return ps.DROP if cx.queue.packets >= self.k else ps.PASS

    extent = EvaluationExtent(Dumbbell(rate_bps=5e5, packet_bytes=698, duration_s=3.0, start_s=0.5), 1, quick=True)
    evaluation = evaluate(["evaluated-threshold"], extent)
    assert [row.case.id for row in evaluation.rows if row.scheme == "evaluated-threshold"] == IDS
    assert {entry["factor"] for entry in evaluation.discussion[0].sensitivity if entry["parameter"] == "k"} == {
        0.5,
        2.0,
    }


def test_wrong_schemes_are_told() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "penstock", "evaluate", "codle"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert "codel" in process.stderr
