"""The course of a run agrees with the metrics of the run, and is drawn on its page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import penstock as ps
import pytest
from penstock.engine import course as module
from penstock.engine.course import INTERVALS, run_course
from penstock.engine.run import run_batch
from penstock.engine.trace import RecordedRun, record_run
from penstock.report import page
from penstock.results.run import Run
from penstock.scenario.document import Document
from penstock.studies.compare import compare
from penstock.studies.over_time import record_over_time
from playwright.sync_api import Page

from .browser import needs_chromium, resize

L4S = """
name = "two queues"
duration = "10s"
[links.bottleneck]
from = "A"
to = "B"
rate = "20Mbit"
delay = "10ms"
queue = { scheme = "dualpi2", limit = "200p" }
watch = true
[traffic.prague]
kind = "tcp"
flavour = "prague"
ecn = true
pacing = true
count = 2
from = "A"
to = "B"
watch = true
[traffic.cubic]
kind = "tcp"
flavour = "cubic"
from = "A"
to = "B"
watch = true
"""


@pytest.fixture(scope="module")
def run() -> Run:
    resolved = Document.parse(L4S).resolve()
    (text,) = run_batch([resolved.for_engine(flows=True, series=False)], [1], jobs=1)
    return Run.from_json(text, {**resolved.readable, "seed": 1})


def recorded(scenario: ps.Scenario | Document) -> RecordedRun:
    return record_run(scenario.resolve(), 1, events=True, series=True)


def test_a_course_adds_up_to_the_metrics_of_its_run(run: Run) -> None:
    course = run_course(recorded(Document.parse(L4S)))
    seconds = 10 / INTERVALS
    assert course["t_ns"][-1] == 10_000_000_000
    link, of_link = run.raw["links"]["bottleneck"], course["links"]["bottleneck"]
    for metric in ("drops", "marks"):
        assert sum(map(sum, of_link[metric].values())) * seconds == pytest.approx(link[metric], rel=1e-3)
    assert set(of_link["marks"]) == {"prague"}
    for name, group in run.raw["traffic"].items():
        assert np.mean(course["rate_bps"][name]) == pytest.approx(group["throughput_bps"], rel=0.01)
        windows = [np.mean([value for value in window if value is not None]) for window in course["cwnd_pkts"][name]]
        assert np.mean(windows) == pytest.approx(group["cwnd_mean_pkts"], rel=0.1)
    # The mean delay is that of both groups, by their departures.
    delays = {name: np.nanmean(np.array(values, dtype=float)) for name, values in of_link["delay_s"].items()}
    assert delays["prague"] < link["delay_mean_s"] < delays["cubic"]


def test_packets_with_equal_numbers_have_their_own_delays() -> None:
    """Several connections of one group wait at once: each consists of packet 0."""
    scenario = ps.dumbbell(
        rate="10Mbit",
        rtt="40ms",
        queue="droptail:limit=100p",
        duration="10s",
        traffic={"flood": ps.Cbr(rate="20Mbit", packet="1000B"), "one-packet": ps.Tcp(packets=1, arrivals="20ms")},
    )
    course = run_course(recorded(scenario))
    delays = course["links"]["bottleneck"]["delay_s"]
    late = {name: np.array(delays[name][INTERVALS // 2 :], dtype=float) for name in ("flood", "one-packet")}
    assert np.nanmean(late["one-packet"]) == pytest.approx(np.nanmean(late["flood"]), rel=0.05)


@pytest.mark.parametrize("duration", ["1s", "3s", "10s"])
def test_the_windows_of_a_short_run_are_at_their_times(duration: str) -> None:
    late = Document.parse(L4S.replace('"10s"', f'"{duration}"')).set("traffic.cubic.start", "500ms", "test")
    course = run_course(recorded(late))
    (windows,) = course["cwnd_pkts"]["cubic"]
    first = next(at for at, window in enumerate(windows) if window is not None and window > 1)
    assert course["t_ns"][first] / 1e9 == pytest.approx(0.5, abs=2.5 * float(duration[:-1]) / 100)


def test_a_run_of_many_packets_has_no_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EVENTS", 1000)
    (entry,) = record_over_time(compare(Document.parse(L4S), ["dualpi2"], runs=1))
    assert entry["course"] == {}
    assert len(entry["links"]["bottleneck"]["queue"]["mean"]) > 100


@needs_chromium
def test_the_page_draws_rates_windows_delays_drops_and_marks(tmp_path: Path, tab: Page) -> None:
    runs = compare(Document.parse(L4S), ["dualpi2", "fq-codel"], runs=1)
    file = tmp_path / "page.html"
    page.write({**runs.to_dict(), "series": record_over_time(runs)}, file)
    resize(tab, 1400)
    tab.goto(file.as_uri())
    titles = "[...document.querySelectorAll('#series figcaption b')].map((one) => one.textContent)"
    panel_titles = tab.evaluate(titles)
    for part in ("Queue", "Queueing delay", "Throughput", "Congestion window", "Marks"):
        assert [title for title in panel_titles if title.startswith(f"{part}: ")] == [
            f"{part}: DualQ Coupled PI2",
            f"{part}: Flow Queue CoDel",
        ]
    select = "document.querySelector('select[data-pick=over]')"
    tab.evaluate(f"{select}.value = 'rate_bps', {select}.dispatchEvent(new Event('change')), 1")
    assert tab.evaluate(titles) == ["Throughput: DualQ Coupled PI2", "Throughput: Flow Queue CoDel"]
    keys = tab.evaluate(
        "[...document.querySelectorAll('#series figure:first-child .line-keys span')].map((one) => one.textContent)"
    )
    assert keys == ["cubic", "prague"]
    # Both charts have the same axis.
    ticks = "[...figure.querySelectorAll('g[data-mark^=\"y-axis tick label\"] text')].map((one) => one.textContent)"
    first, second = tab.evaluate(f"[...document.querySelectorAll('#series figure')].map((figure) => {ticks})")
    assert first == second
    tab.click("#series .files button")
    heads = tab.evaluate(
        "[...document.querySelectorAll('#series figure:first-child thead th')].map((one) => one.textContent)"
    )
    assert heads == ["time (s)", "cubic", "prague"]
    assert re.match(r"\d", tab.evaluate("document.querySelector('#series figure:first-child tbody td').textContent"))
