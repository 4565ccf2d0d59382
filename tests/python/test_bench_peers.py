"""`make bench-peers` takes programs that the user has built, where environment variables name them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import penstock as ps
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))

bench: Any = importlib.import_module("bench")
scaling: Any = importlib.import_module("scaling")


@pytest.fixture
def without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No ns-2, no ns-3 of Debian, nothing named."""
    monkeypatch.setattr(bench, "find_ns2", lambda: None)
    monkeypatch.setattr(bench, "build_ns3", lambda folder: None)
    monkeypatch.delenv("PENSTOCK_NS3", raising=False)
    monkeypatch.delenv("PENSTOCK_HTSIM", raising=False)


@pytest.mark.usefixtures("without_peers")
def test_a_line_tells_of_each_peer_that_is_not_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.installed_peers(tmp_path) == []
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(line.endswith("left out") for line in lines)


@pytest.mark.usefixtures("without_peers")
def test_named_programs_take_part_in_the_workloads_that_they_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "peer"
    # A peer prints other lines too; it forwards 1000 packets a second and loses a hundredth of the arrivals.
    program.write_text('#!/bin/sh\necho "Sending SYN"\necho "$(($2 * 1000)) $(($2 * 1000)) $(($2 * 10)) 0.97"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PENSTOCK_NS3", str(program))
    monkeypatch.setenv("PENSTOCK_HTSIM", str(program))
    # The time of so small a program cannot be told from none: one second for each simulated one.
    measure = bench.measure
    monkeypatch.setattr(bench, "measure", lambda command: replace(measure(command), cpu_s=float(command[-1])))
    peers = bench.installed_peers(tmp_path)
    assert [(peer.name, peer.slow) for peer in peers] == [("own ns-3", True), ("htsim", False)]
    taking_part = {workload.name: set(bench.side_by_side(peers, workload, 1)) for workload in bench.WORKLOADS}
    assert taking_part == {"w1": {"own ns-3"}, "w2": {"own ns-3", "htsim"}, "w2_red": {"own ns-3"}}
    figure = bench.side_by_side(peers, bench.WORKLOADS[1], 1)["htsim"]
    assert (figure.pps, figure.long) == (1000, bench.Count(65_000, 0.01, 0.97))


@pytest.mark.usefixtures("without_peers")
def test_a_name_of_no_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_HTSIM", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit, match=r"PENSTOCK_HTSIM: .*nowhere is not a program"):
        bench.installed_peers(tmp_path)


@pytest.mark.needs("ns")
def test_ns2_runs_the_script_of_the_comparison_and_forwards_as_many_packets() -> None:
    output = subprocess.run(
        ["ns", bench.ROOT / "peers" / "dumbbell.tcl", "w1", "100"], capture_output=True, text=True, check=True
    ).stdout
    theirs = bench.read_peer(output)
    link = ps.run(bench.ROOT / "scenarios" / "w1.toml").links["bottleneck"]
    assert theirs.packets == pytest.approx(link["departures"], rel=0.02)
    assert theirs.utilization == pytest.approx(link["utilization"], abs=0.02)
    assert theirs.loss == pytest.approx(link["loss_rate"], rel=0.1)


def test_the_chain_has_as_many_links_and_flows_as_it_says() -> None:
    scenario = json.loads(bench.canonical(scaling.chain(20, 110)))
    assert len(scenario["links"]) == 2 * 20
    assert sum(group["count"] for group in scenario["traffic"]) == 110
