"""Comparisons: paired, exact again on any number of threads, and with the right intervals."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import penstock as ps
import pytest
from penstock.results.estimate import Estimate, summarize
from penstock.results.grid import comparison_grids
from penstock.scenario.scheme_text import split_at_commas
from penstock.studies import candidate
from penstock.studies.plan import ComparisonPlan
from penstock.studies.store import Store
from scipy import stats

from .test_scenario import small
from .test_study import interrupt_after, stored_runs

SCHEMES = ("droptail", "red", "red:gentle=true")


def test_the_same_bytes_on_one_and_two_threads_and_again() -> None:
    documents = [
        ps.compare(small(), SCHEMES, vary={"traffic.bulk.count": [1, 4]}, runs=4, jobs=jobs).to_json()
        for jobs in (1, 2, 2)
    ]
    assert documents[0] == documents[1] == documents[2]


def test_each_run_is_the_one_that_run_makes() -> None:
    runs = ps.compare(small(seed=7), ["red"], runs=3)
    alone = [ps.run(small(queue=ps.Red(limit="100p")), seed=seed).links["bottleneck"].loss_rate for seed in (7, 8, 9)]
    rate = runs.estimate("loss_rate", "bottleneck", scheme="red")
    assert rate.mean == pytest.approx(sum(alone) / 3, rel=1e-12)
    assert rate.runs == 3
    assert rate.sd is not None
    low, high = stats.t.interval(0.95, 2, loc=rate.mean, scale=rate.sd / 3**0.5)
    assert rate.ci95 == pytest.approx((low, high))


def test_one_run_has_no_interval() -> None:
    estimate = ps.compare(small(), ["red"], runs=1).estimate("utilization", "bottleneck")
    assert estimate.ci95 is None
    assert estimate.sd is None


def test_rows_are_those_of_the_contract() -> None:
    runs = ps.compare(small(), SCHEMES, vary={"traffic.bulk.count": [0, 2]}, runs=2)
    answer = json.loads(runs.to_json())
    assert list(answer)[:3] == ["penstock", "scenario", "rows"]
    keys = ["scheme", "params", "vary", "place", "metric", "mean", "sd", "ci95", "runs"]
    assert all(list(row) == keys for row in answer["rows"])
    assert {row["place"] for row in answer["rows"]} == {"bottleneck", "bulk"}
    (gentle,) = runs["red:gentle=true"].where(count=2).summary("loss_rate", "bottleneck")
    assert gentle["scheme"] == "red"
    assert gentle["params"] == {"gentle": True}
    assert gentle["vary"] == {"traffic.bulk.count": 2}


def test_differences_are_paired() -> None:
    comparison = ps.compare(small(), ["droptail", "red"], runs=3)
    row = next(iter(comparison.compare(metric="length_mean_pkts", place="bottleneck")))
    each = []
    for seed in (1, 2, 3):
        runs = [ps.run(small(queue=queue), seed=seed) for queue in (ps.Red(limit="100p"), ps.DropTail(limit="100p"))]
        each.append(runs[0].links["bottleneck"].length_mean_pkts - runs[1].links["bottleneck"].length_mean_pkts)
    assert row["mean"] == pytest.approx(sum(each) / 3)
    assert row["against"] == "droptail"


def test_the_scheme_stands_in_both_directions_where_the_queue_is_the_same() -> None:
    both = small().replace("links.bottleneck.reverse", {"queue": "same"})
    plan = ComparisonPlan.resolve_cases(both, ["psand:target=20p"])
    queues = {entry["name"]: entry["queue"] for entry in plan.cases[0].resolved.canonical["links"]}
    assert queues["bottleneck"] == queues["bottleneck.reverse"]
    assert queues["bottleneck"]["scheme"] == "psand"
    assert queues["bottleneck"]["limit"] == {"packets": 100}
    assert queues["source"] is None


def test_at_puts_the_scheme_elsewhere() -> None:
    plan = ComparisonPlan.resolve_cases(small(), ["bernoulli:p=1%,limit=7p"], at=["sink"])
    queues = {entry["name"]: entry["queue"] for entry in plan.cases[0].resolved.canonical["links"]}
    assert queues["sink"]["limit"] == {"packets": 7}
    assert queues["sink"]["params"] == {"p": 0.01}
    assert queues["bottleneck"]["scheme"] == "red"


def test_a_scheme_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('scheme = "red"\nmax_p = 0.05\n')
    assert candidate.Candidate.parse(f"@{file}").label == "red:max_p=0.05"
    file.write_text('scheme = "red"\nmax_q = 0.05\n')
    with pytest.raises(ps.ScenarioError, match=rf"{file}:2: .*max_q"):
        ps.compare(small(), [f"@{file}"], runs=1)


def distribution_sums(runs: ps.Runs) -> dict[tuple[str, str, str], float]:
    """The sum over all values of each distribution, by scheme, place and name."""
    sums: dict[tuple[str, str, str], float] = {}
    for row in runs.summary():
        if "_pmf[" in row["metric"]:
            key = row["scheme"], row["place"], row["metric"].partition("[")[0]
            sums[key] = sums.get(key, 0.0) + row["mean"]
    return sums


@pytest.mark.parametrize(("rate", "limit", "longest"), [("20Mbit", "300p", 128), ("60Mbit", "3000p", 1024)])
def test_shares_of_long_distributions_sum_to_one(rate: str, limit: str, longest: int) -> None:
    # Runs with more and with fewer values than `longest`: neither is dropped nor counted as zero.
    link = small(rate=rate, queue=ps.DropTail(limit=limit), duration="2s")
    flood = {"bulk": ps.Cbr(rate=rate, packet="1000B", from_="S", to="D"),
             "more": ps.Poisson(rate="6Mbit", packet="200B", from_="S", to="D", start="500ms")}  # fmt: skip
    link = dataclasses.replace(link, traffic=flood)
    runs = ps.compare(link, ["droptail", "codel"], runs=3)
    lengths = [len(ps.run(link, seed=seed).links["bottleneck"].length_pmf) for seed in (1, 2, 3)]
    assert max(lengths) > longest
    sums = distribution_sums(runs)
    assert {("droptail", "bottleneck", "length_pmf"), ("codel", "bottleneck", "length_pmf")} <= set(sums)
    assert all(total == pytest.approx(1, abs=1e-12) for total in sums.values()), sums
    shares = [row for row in runs.summary() if row["metric"].startswith("length_pmf[") and row["scheme"] == "droptail"]
    assert all(row["runs"] == 3 for row in shares)
    assert len(shares) <= 1024


def test_a_run_without_a_distribution_is_left_out_of_it() -> None:
    # About one loss a run: some runs lose nothing.
    link = small(queue=ps.Bernoulli(p=0.0004, limit="inf"), duration="3s")
    lossy = [len(ps.run(link, seed=seed).traffic["bulk"].loss_run_pmf) > 0 for seed in range(1, 7)]
    assert 0 < sum(lossy) < 6
    runs = ps.compare(link, ["bernoulli:p=0.0004,limit=inf"], runs=6)
    rows = [row for row in runs.summary() if row["metric"].startswith("loss_run_pmf[")]
    assert sum(row["mean"] for row in rows) == pytest.approx(1)
    assert {row["runs"] for row in rows} == {sum(lossy)}


@pytest.mark.parametrize("value", [79.80712345, 0.1, 1 / 3, 1e-9])
@pytest.mark.parametrize("runs", [2, 3, 5, 7, 30])
def test_equal_runs_have_no_spread(value: float, runs: int) -> None:
    assert summarize([value] * runs) == Estimate(value, 0.0, (value, value), runs)


def test_equal_runs_are_noted() -> None:
    runs = ps.compare(small(traffic={"bulk": ps.Tcp(count=3, start="0s")}), ["droptail"], runs=3)
    assert runs.comparison.identical_schemes() == [(0, [0])]
    assert "All 3 runs are identical, because nothing is random: droptail." in repr(runs)


def test_precision_repeats_until_it_is_met() -> None:
    goal = ps.Precision("utilization", 0.02, max_runs=40)
    runs = ps.compare(small(), ["red"], runs=2, precision=goal)
    used = runs.estimate("utilization", "bottleneck")
    assert 2 <= used.runs <= 40
    assert used.half_width is not None
    assert used.half_width <= 0.02 * used.mean or used.runs == 40


def test_a_comparison_prints_well() -> None:
    runs = ps.compare(small(), ["droptail", "red"], runs=2)
    assert "paired difference to droptail" in repr(runs)
    assert "<table>" in runs._repr_html_()


@pytest.mark.parametrize(
    ("text", "parts"),
    [("a,b", ["a", "b"]), ("", []), ("a=[1,2],b", ["a=[1,2]", "b"]), ('x="a,b",c', ['x="a,b"', "c"]),
     ("{a=1,b=2}", ["{a=1,b=2}"])],
)  # fmt: skip
def test_lists_are_split_outside_brackets(text: str, parts: list[str]) -> None:
    assert split_at_commas(text) == parts


def test_an_interrupted_comparison_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ps.compare(small(), SCHEMES, runs=4, jobs=2).to_json()
    interrupt_after(4, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        ps.compare(small(), SCHEMES, runs=4, jobs=2, store=Store(tmp_path))
    stored = stored_runs(tmp_path)
    assert 3 <= len(stored) <= 5
    finished = interrupt_after(100, monkeypatch)
    again = ps.compare(small(), SCHEMES, runs=4, jobs=2, store=Store(tmp_path))
    assert len(finished) == 12 - len(stored)
    assert again.to_json() == whole
    interrupt_after(0, monkeypatch)
    assert ps.compare(small(), SCHEMES, runs=4, jobs=1, store=Store(tmp_path)).to_json() == whole


def test_candidates_that_mean_the_same_share_their_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = ps.compare(small(), ["red"], runs=2)
    store = Store(tmp_path)
    ps.compare(small(), ["red"], runs=2, store=store)
    interrupt_after(0, monkeypatch)
    both = ps.compare(small(), ["red", "red:min_th=5"], runs=2, store=store)
    assert [row["mean"] for row in both["red"].summary()] == [row["mean"] for row in alone.summary()]
    assert [row["mean"] for row in both["red:min_th=5"].summary()] == [row["mean"] for row in alone.summary()]


@pytest.mark.parametrize(
    "verb", [("compare", "--scheme", "red", "--runs", "10000"), ("run",)], ids=lambda verb: verb[0]
)
def test_control_c_ends_within_a_second_with_130(verb: tuple[str, ...], tmp_path: Path) -> None:
    small(duration="100000s").save(tmp_path / "long.toml")
    command = [sys.executable, "-m", "penstock", verb[0], "long.toml", *verb[1:]]
    child = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A job in the background inherits SIGINT as ignored, and these tests may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert child.stderr is not None
    if verb[0] == "compare":
        assert "10000 runs" in child.stderr.readline()
    time.sleep(2)
    os.kill(child.pid, signal.SIGINT)
    begun = time.monotonic()
    out, err = child.communicate(timeout=20)
    assert time.monotonic() - begun < 1.0
    assert child.returncode == 130
    assert "Traceback" not in err
    assert out == ""
    if verb[0] == "compare":
        assert f"finished runs are kept in {tmp_path / 'penstock' / 'runs'}" in err
        assert "rerun the same command to resume" in err


def test_differences_have_the_units_of_the_means() -> None:
    """A difference of milliseconds stands in seconds where the means do."""
    row = {"params": {}, "vary": {}, "place": "link", "metric": "delay_mean_s", "sd": 0.0, "runs": 2}
    means = [
        {**row, "scheme": name, "mean": mean, "ci95": [mean, mean]} for name, mean in (("red", 2.0), ("pi", 2.001))
    ]
    apart = [{**means[1], "mean": 0.001, "ci95": [0.001, 0.001], "against": "red", "against_params": {}}]
    grids = comparison_grids(means, apart, ["link"], 2)
    assert [grid.headers[-1] for grid in grids] == ["delay (s)", "delay (s)"]
    assert grids[1].rows[0][-1].startswith("+0.001")
