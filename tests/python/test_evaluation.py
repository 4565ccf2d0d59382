"""The scenarios of RFC 7928: each has its row, loads follow its formula, laws in Python pass through."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.errors import PenstockError
from penstock.evaluation.evaluate import FULL, QUICK, Evaluation, Form, cases_of, evaluate
from penstock.evaluation.network import HEAVY, MEDIUM, MILD, Bench

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = [
    "4.4", "4.5", "5.1.1", "5.1.2", "5.2", "5.3", "5.4", "6.2", "7.2", "8.2.2", "8.2.3", "8.2.4", "8.2.5", "8.2.6",
    "9.1", "9.2", "10.2",
]  # fmt: skip
"""Every section of the RFC that asks for a scenario (its table in section 14; 4.4 and 4.5 repeat others)."""

TINY = Form(Bench(rate=1e6, packet=698, duration_s=6.0, start_s=1.0), 2, quick=True)


@pytest.fixture(scope="module")
def found() -> Evaluation:
    return evaluate(["codel", "red"], TINY)


@pytest.mark.parametrize("form", [QUICK, FULL])
def test_every_section_has_its_scenario(form: Form) -> None:
    cases = cases_of(form)
    assert list(dict.fromkeys(case.section for case in cases)) == SECTIONS
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        case.scenario(form.bench).resolve()


def test_every_scenario_has_a_row_for_each_scheme(found: Evaluation) -> None:
    assert found.schemes == ("droptail", "codel", "red")
    ids = [case.id for case in cases_of(TINY)]
    assert [(row.case.id, row.scheme) for row in found.rows] == [(name, one) for name in ids for one in found.schemes]
    for row in found.rows:
        assert row.metrics["bottleneck"]["utilization"]["mean"] > 0, row.case.id
        assert set(row.case.groups) & set(row.metrics), row.case.id
        assert bool(row.against) == (row.scheme != "droptail")


@pytest.mark.parametrize(("share", "loss"), [(MILD, 0.001), (MEDIUM, 0.005), (HEAVY, 0.01)])
def test_loads_follow_the_formula_of_the_rfc(share: float, loss: float) -> None:
    """Section 8.2.1: N = S sqrt(1 / 0.76) sqrt(l_r), and the factors that the RFC prints for it."""
    assert share == math.floor(1000 * math.sqrt(loss / 0.76)) / 1000
    bench = Bench(rate=10e6, rtt_ms=100, packet=1500)
    assert bench.bdp == pytest.approx(10e6 * 0.1 / 12_000)
    assert bench.flows(share) == round(share * (bench.bdp + bench.buffer()))


@pytest.mark.slow
def test_losses_behind_drop_tail_rise_with_the_level() -> None:
    """The RFC projects 0.1, 0.5 and 1 % from one loss in a cycle of a window; drop-tail loses several at once."""
    form = Form(Bench(duration_s=100.0), 3, quick=True)
    losses = []
    for case in cases_of(form):
        if case.section in ("8.2.2", "8.2.3", "8.2.4"):
            run = ps.compare(case.scenario(form.bench), ["droptail"], runs=form.runs)
            losses.append(run.value("droptail", "loss_rate", "bottleneck")["mean"])
    assert losses == sorted(losses)
    for loss, projected in zip(losses, (0.001, 0.005, 0.01), strict=True):
        assert projected < loss < 5 * projected


def test_the_discussion_has_sensitivity_and_knobs(found: Evaluation) -> None:
    codel = found.discussion[0]
    assert {entry["parameter"] for entry in codel.sensitivity} >= {"target", "interval"}
    assert {knob["name"] for knob in codel.knobs} >= {"target", "interval", "ecn"}


def test_a_row_says_how_it_stands_beside_drop_tail(found: Evaluation) -> None:
    told = {row.beside("delay_mean_s", lower_is_better=True) for row in found.rows if row.scheme == "codel"}
    assert told <= {"better", "worse", "tie"}
    assert found.conclusion.startswith("codel has a shorter queueing delay than drop-tail in ")


def test_drop_tail_alone_is_refused() -> None:
    with pytest.raises(PenstockError, match="always there"):
        evaluate(["droptail"], TINY)


@pytest.mark.slow
def test_a_law_in_python_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    @ps.aqm("evaluated-threshold")
    class Threshold(ps.Aqm):
        """Drop every arrival while `k` packets or more are waiting."""

        k: int = 20

        def on_arrival(self, cx: Any, pkt: Any) -> Any:
            return ps.DROP if cx.queue.packets >= self.k else ps.PASS

    short = Form(Bench(rate=5e5, packet=698, duration_s=2.0, start_s=0.5), 1, quick=True)
    known = [case for case in cases_of(short) if case.section in ("5.1.1", "8.2.2")]
    monkeypatch.setattr("penstock.evaluation.evaluate.cases_of", lambda form: known)
    monkeypatch.setattr("penstock.evaluation.evaluate.discussed", lambda *rest: [])
    found = evaluate(["evaluated-threshold"], short)
    assert [row.scheme for row in found.rows] == ["droptail", "evaluated-threshold"] * 2


def test_wrong_schemes_are_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "evaluate", "codle"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "codel" in done.stderr
