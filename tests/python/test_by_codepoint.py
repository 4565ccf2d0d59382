"""Delay, jitter and loss of the traffic of each codepoint: against packets of a trace, and where results are shown."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import penstock as ps
import pytest
from penstock.report.page import render
from penstock.scenario.resolve.codepoints import codepoint_names
from penstock.tuning.aim import parse_aims

SCENARIO = """
name = "codepoints"
duration = "12s"
warmup = "2s"
[links.core]
from = "A"
to = "B"
rate = "4Mbit"
delay = "10ms"
watch = true
queue = { scheme = "droptail", limit = "40p" }
[traffic.calls]
kind = "cbr"
rate = "80kbit"
packet = "172B"
count = 3
dscp = "EF"
from = "A"
to = "B"
[traffic.meters]
kind = "poisson"
rate = "100kbit"
packet = "500B"
dscp = "EF"
from = "A"
to = "B"
[traffic.bulk]
kind = "tcp"
profile = "linux"
delays = true
dscp = "AF11"
from = "A"
to = "B"
"""

EF = ("calls", "meters")
SHOWN = ("owd_mean_s", "owd_p50_s", "owd_p95_s", "owd_p99_s", "jitter_mean_s", "loss_rate")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run with its trace, and its JSON."""
    folder = tmp_path_factory.mktemp("codepoints")
    (folder / "s.toml").write_text(SCENARIO, encoding="utf-8")
    penstock(folder, "run", "s.toml", "--trace", "trace", "--json", "run.json")
    return folder, json.loads((folder / "run.json").read_text(encoding="utf-8"))


def penstock(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "penstock", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_delays_jitter_and_losses_are_those_of_the_packets(result: tuple[Path, dict[str, Any]]) -> None:
    """Each packet from its sending to its arrival, of both groups together, in the trace."""
    folder, document = result
    packets = f"'{folder}/trace/packets.parquet'"
    rows = duckdb.execute(
        f"SELECT traffic, flow, s.t_ns AS sent, (SELECT min(r.t_ns) FROM {packets} r WHERE r.event = 'receive' "
        "AND r.traffic = s.traffic AND r.flow = s.flow AND r.seq = s.seq) AS came "
        f"FROM {packets} s WHERE s.event = 'send' AND traffic IN {EF} ORDER BY traffic, flow, came"
    ).fetchall()
    begin, end = 2e9, 12e9
    delays = sorted((came - sent) / 1e9 for _, _, sent, came in rows if came and begin <= came <= end)
    ours = document["dscp"]["EF"]
    assert ours["owd_mean_s"] == pytest.approx(sum(delays) / len(delays), rel=1e-6)
    for name, share in (("owd_p50_s", 0.5), ("owd_p95_s", 0.95), ("owd_p99_s", 0.99)):
        assert ours[name] == pytest.approx(delays[int(share * len(delays))], rel=0.01)
    steps = [
        abs((after[3] - after[2]) - (before[3] - before[2])) / 1e9
        for before, after in pairwise(rows)
        if before[:2] == after[:2] and after[3] and before[3] and begin <= before[3] and after[3] <= end
    ]
    assert ours["jitter_mean_s"] == pytest.approx(sum(steps) / len(steps), rel=1e-6)
    drops = f"SELECT t_ns FROM {packets} WHERE event = 'drop' AND traffic IN {EF} AND t_ns >= {begin}"
    assert 10 < len(duckdb.execute(drops).fetchall()) == ours["lost_pkts"]
    assert ours["loss_rate"] == ours["lost_pkts"] / ours["sent_pkts"]


def test_a_group_alone_with_its_codepoint_has_the_same_numbers(result: tuple[Path, dict[str, Any]]) -> None:
    _, document = result
    assert set(document["dscp"]) == {"EF", "AF11"}
    alone = document["dscp"]["AF11"]
    assert alone == {name: document["traffic"]["bulk"][name] for name in alone}
    assert alone["owd_p99_s"] > 0.02


def test_one_codepoint_is_that_of_all() -> None:
    alike = SCENARIO.replace("AF11", "EF")
    run = ps.run(ps.Scenario.loads(alike))
    assert "dscp" not in run.raw
    assert dict(run.dscp) == {}
    assert "Traffic by codepoint" not in run._repr_html_()


def test_runs_show_codepoints(result: tuple[Path, dict[str, Any]]) -> None:
    folder, document = result
    run = ps.run(ps.Scenario.loads(SCENARIO))
    assert run.dscp["EF"].owd_p99_s == document["dscp"]["EF"]["owd_p99_s"]
    assert {"part": "dscp", "place": "dscp.EF", "metric": "owd_p99_s", "value": run.dscp["EF"].owd_p99_s} in run.rows()
    assert "Traffic by codepoint" in run._repr_html_()
    assert "Traffic by codepoint" in penstock(folder, "run", "s.toml")
    page = render(document)
    assert "Traffic by codepoint" in page
    penstock(folder, "results", "run.json", "-o", "run.csv")
    assert "dscp.EF.owd_p99_s" in (folder / "run.csv").read_text(encoding="utf-8").splitlines()[0]


def test_aims_name_codepoints_as_results_do() -> None:
    """All 64, of traffic without flows: the engine's names."""
    parts = SCENARIO.partition("[traffic.calls]")
    groups = "".join(
        f'[traffic.t{number}]\nkind = "cbr"\nrate = "1kbit"\npacket = "100B"\ncount = 0\ndscp = {number}\n'
        'from = "A"\nto = "B"\n'
        for number in range(64)
    )
    every = ps.Scenario.loads(parts[0] + groups)
    named = codepoint_names(every.resolve().canonical["traffic"])
    assert sorted(named) == [*ps.run(every).raw["dscp"]]
    places = {"links": ["core"], "traffic": EF, "dscp": named}
    (aim,) = parse_aims(["dscp.AF11.owd p99 < 30ms"], places)
    assert (aim.place, aim.metric, aim.bound) == ("dscp.AF11", "owd_p99_s", 0.03)
    with pytest.raises(ps.ScenarioError, match=r"dscp\.EF"):
        parse_aims(["dscp.FE.owd p99 < 30ms"], places)


def test_tune_takes_an_aim_for_a_codepoint() -> None:
    advice = ps.tune(
        ps.Scenario.loads(SCENARIO.replace("12s", "4s")),
        ["dscp.EF.owd p99 < 30ms"],
        ["droptail", "fq-codel"],
        budget_s=20,
    )
    best = advice.confirmed[0].measured
    assert best.setting.scheme == "fq-codel" or "limit" in best.setting.parameters
    assert best.values("dscp.EF", "owd_p99_s").mean() < 0.03


def test_comparisons_and_stores_have_codepoints(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO, encoding="utf-8")
    words = ("--scheme", "droptail", "--scheme", "fq-codel", "--runs", "2", "--store", "store", "--json", "c.json")
    table = penstock(tmp_path, "compare", "s.toml", *words)
    assert "dscp.EF: mean" in table
    rows = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["rows"]
    mean = {(row["scheme"], row["metric"]): row["mean"] for row in rows if row["place"] == "dscp.EF"}
    runs = [ps.run(ps.Scenario.loads(SCENARIO), seed=seed).dscp["EF"] for seed in (1, 2)]
    for name in SHOWN:
        assert mean["droptail", name] == pytest.approx(sum(run[name] for run in runs) / 2)
    assert mean["fq-codel", "owd_p99_s"] < mean["droptail", "owd_p99_s"] / 2
    output = penstock(
        tmp_path,
        "results",
        "store",
        "--sql",
        'SELECT "dscp.EF.owd_p99_s" FROM runs ORDER BY scheme, seed',
        "--json",
        "-",
    )
    assert {round(next(iter(row.values())), 9) for row in json.loads(output)} >= {
        round(run.owd_p99_s, 9) for run in runs
    }
    penstock(tmp_path, "results", "c.json", "--x", "scheme", "--y", "dscp.EF.owd_p99_s", "-o", "f.svg")
    penstock(tmp_path, "results", "c.json", "-o", "p.html")
    assert "dscp.EF" in (tmp_path / "p.html").read_text(encoding="utf-8")
