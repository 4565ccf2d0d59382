"""The state of TCP senders over time: in Python, in files, and refused where a connection does not last."""

from __future__ import annotations

from pathlib import Path

import duckdb
import penstock as ps
import pytest
from penstock.engine.trace import record_run
from penstock.results.run import Run


def link(*, watch: bool = False) -> ps.Scenario:
    queue = ps.CoDel(limit="1000p", ecn=True)
    traffic = {"bulk": ps.Tcp(count=2, flavour="dctcp", start="0s", watch=watch), "rest": ps.Tcp(profile="ns2")}
    return ps.dumbbell(rate="10Mbit", rtt="40ms", duration="2s", queue=queue, traffic=traffic)


def without_time(run: Run) -> dict[str, object]:
    return {key: value for key, value in run.raw.items() if key not in ("cpu_s", "senders")}


def test_watched_senders_have_series_and_nothing_else_changes() -> None:
    watched, silent = ps.run(link(watch=True), series=True), ps.run(link(), series=True)
    assert silent.senders == {}
    assert ps.run(link(watch=True)).senders == {}
    assert without_time(watched) == without_time(silent)
    assert list(watched.senders) == ["bulk"]
    first, second = watched.senders["bulk"]
    assert first["t_ns"][-1] == 2_000_000_000
    assert first["cwnd"] != second["cwnd"]
    # RFC 8257: alpha is a share, and 1 at first.
    values = [alpha for alpha in first["alpha"]["max"] if alpha is not None]
    assert values[0] == 1
    assert all(0 < alpha <= 1 for alpha in values)
    assert min(values) < 0.9
    # Time weighted, the mean of the series is that of the metric.
    mean = sum(first["cwnd"]["mean"]) / len(first["cwnd"]["mean"])
    assert mean == pytest.approx(watched.raw["traffic"]["bulk"]["flows"][0]["cwnd_mean_pkts"], rel=1e-3)


def test_a_trace_has_the_other_gauges_beside_the_windows(tmp_path: Path) -> None:
    record_run(link(watch=True).resolve(), 1, traced=True).write(tmp_path)
    query = f"SELECT DISTINCT name FROM '{tmp_path}/series.parquet' WHERE place = 'bulk.1' AND mean BETWEEN 0 AND 1000"
    rows = duckdb.execute(query).fetchall()
    assert {"cwnd", "ssthresh", "srtt", "alpha"} <= {name for (name,) in rows}


def test_connections_that_come_and_go_have_none() -> None:
    traffic = {"web": ps.Tcp(bytes={"exp": "30kB"}, watch=True)}
    scenario = ps.dumbbell(rate="10Mbit", rtt="40ms", duration="2s", queue=ps.DropTail(), traffic=traffic)
    with pytest.raises(ps.ScenarioError, match=r"traffic\.web\.watch"):
        ps.run(scenario)
