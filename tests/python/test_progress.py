"""Progress without a terminal: a line every ten seconds, with the time left."""

from __future__ import annotations

import pytest
from penstock.engine.progress import RunProgress


def test_stored_runs_do_not_count_for_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr("penstock.engine.progress.time.monotonic", lambda: now)
    with RunProgress(400) as watch:
        # 200 runs are in the store; the others take 0.5 s each.
        for number in range(200, 400, 10):
            watch.update(number, 400)
            now += 5
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "220 of 400 runs in 10 s, about 90 s left"
    assert lines[-1] == "380 of 400 runs in 90 s, about 10 s left"


def test_no_time_left_is_printed_before_a_run_has_finished(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr("penstock.engine.progress.time.monotonic", lambda: now)
    with RunProgress(5) as watch:
        watch.update(0, 5)
        now += 600
        watch.update(0, 5)
        assert capsys.readouterr().err == "0 of 5 runs in 10 min\n"


def test_each_batch_has_its_own_time(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 1000.0
    monkeypatch.setattr("penstock.engine.progress.time.monotonic", lambda: now)
    with RunProgress(100) as watch:
        for number in (*range(0, 101, 10), *range(0, 51, 10)):
            watch.update(number, 100)
            now += 10
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "50 of 100 runs in 50 s, about 50 s left"
