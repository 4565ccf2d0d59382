"""The lessons: each number of a page is that of its run, and each statement holds with further seeds."""

from __future__ import annotations

import html
import importlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pytest
from penstock.engine.trace import record_run
from penstock.live.page import bench_page
from playwright.sync_api import Page

from .browser import needs_chromium, wait
from .lesson_claims import CLAIMS, Result
from .test_live import move

DOCS = Path(__file__).parents[2] / "docs"
SEEDS = (1, 2, 3)
"""The scenario's own, which the tables have, first."""


lessons = importlib.import_module("lessons")
LESSONS = {lesson.name: lesson for lesson in lessons.LESSONS}


@cache
def results(name: str) -> Mapping[str, Sequence[Result]]:
    results_of_lesson: Mapping[str, Sequence[Result]] = LESSONS[name].results(SEEDS)
    return results_of_lesson


def text(name: str) -> str:
    """The page of a lesson in one line."""
    return " ".join(LESSONS[name].page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", LESSONS)
def test_the_table_has_the_numbers_of_the_runs(name: str) -> None:
    """`make lessons` writes it."""
    lesson = LESSONS[name]
    assert int(lesson.document().resolve().readable["seed"]) == SEEDS[0]
    page_text = lesson.page.read_text(encoding="utf-8")
    assert page_text.count("<!-- numbers -->\n|") == 1
    assert lesson.written(results(name)) == page_text


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_a_page_with_its_bench_and_its_command(name: str) -> None:
    lesson, page_text = LESSONS[name], text(name)
    assert f'src="{Path(lesson.bench).relative_to("lessons").as_posix()}"' in page_text
    assert lesson.command in page_text.replace(" \\ ", " ")
    assert f"({name}.md)" in (DOCS / "lessons" / "index.md").read_text(encoding="utf-8")
    for part in ("**", "## What to look for", "## Why", "Source"):
        assert part in page_text
    assert 2 <= page_text.count(" * **") <= 4
    # The bench has the title of the page.
    assert page_text.split("# ")[1].startswith(lesson.material()["name"])


@pytest.mark.parametrize("name", LESSONS)
def test_each_statement_is_on_the_page_and_holds_with_every_seed(name: str) -> None:
    page_text = text(name)
    for place, seed in enumerate(SEEDS):
        of = {case: runs[place] for case, runs in results(name).items()}
        # The panes by their letters too.
        of |= {case[0]: run for case, run in of.items() if case[1:3] == ": "}
        for says, holds in CLAIMS[name]:
            assert " ".join(says.split()) in page_text
            assert holds(of), f"{name}, seed {seed}: {says}"


def test_codel_drops_sooner_and_sooner_at_the_start(tmp_path: Path) -> None:
    """The gaps are interval / sqrt(n), and end with the packet that is being sent."""
    lesson = LESSONS["codel"]
    document = lesson.document(lessons.Case("", settings=("duration=2s", "warmup=0s")))
    interval, sending = 100, 1500 * 8 / 10e3
    for seed in SEEDS:
        record_run(document.resolve(), seed, traced=True).write(tmp_path / str(seed))
        file = tmp_path / str(seed) / "packets.parquet"
        with duckdb.connect() as base:
            rows = base.execute(f"SELECT t_ns FROM '{file}' WHERE event = 'drop' ORDER BY t_ns").fetchall()
        gaps = np.diff([row[0] / 1e6 for row in rows])
        aqm = interval / np.sqrt(np.arange(1, 6))
        starts = [at for at in range(len(gaps) - 4) if np.all(np.abs(gaps[at : at + 5] - aqm) <= sending)]
        assert starts, f"seed {seed}: {gaps}"
        if seed == SEEDS[0]:
            gap_list = ", ".join(f"{gap:.0f}" for gap in gaps[starts[0] : starts[0] + 5])
            assert f"The gaps between its drops: {gap_list} ms." in text("codel")


def test_a_call_that_shares_a_queue_with_a_download_loses_packets_too() -> None:
    """With this seed the hash of FQ-CoDel sends one of the calls there."""
    assert "now and then a call shares one with a download" in text("calls")
    flows = LESSONS["calls"].results([11])["C, 16 downloads"][0]["traffic"]["calls"]["flows"]
    assert sorted(flow["loss_rate"] > 0.05 for flow in flows) == [False] * 4 + [True]
    assert sorted(flow["lost_pkts"] for flow in flows)[:4] == [0] * 4


@needs_chromium
def test_every_bench_runs_with_the_queues_of_its_lesson(tmp_path: Path, tab: Page) -> None:
    for lesson in LESSONS.values():
        content = lesson.material()
        file = tmp_path / f"{lesson.name}.html"
        file.write_text(bench_page(content), encoding="utf-8")
        tab.goto(file.as_uri())
        wait(tab, "bench.panes?.[0].states.at(-1)?.time > 0.5")
        assert tab.evaluate("bench.panes.map((pane) => pane.running)") == content["panes"]
        messages = "[...document.querySelectorAll('.message')].map((node) => node.textContent).join('')"
        assert tab.evaluate(messages) == ""
        for millis in re.findall(r"round trip\*? to (\d+)", text(lesson.name)):
            move(tab, "round trip", millis)
            wait(tab, f"Math.abs(bench.panes[0].states.at(-1).rtt * 1000 - {millis}) < 1e-6")


@needs_chromium
def test_a_bench_inside_of_a_page_shows_who_waits(tmp_path: Path, tab: Page) -> None:
    """The calls, flows 0 to 4, wait behind the downloads in A, and not in C."""
    outer = tmp_path / "page.html"
    inner = html.escape(bench_page(LESSONS["calls"].material()))
    outer.write_text(
        f'<!doctype html><meta charset="utf-8"><iframe srcdoc="{inner}" style="width: 1000px; height: 900px"></iframe>',
        encoding="utf-8",
    )
    tab.goto(outer.as_uri())
    tab.evaluate("window.inside = document.querySelector('iframe').contentWindow, 1")
    wait(tab, "inside.bench?.panes?.[0].states.at(-1)?.time > 1")
    tab.evaluate("inside.bench.pace = 20, 1")
    wait(tab, "inside.bench.panes[0].states.at(-1).time > 30", seconds=60)
    longest = "Math.max(...[0, 1, 2, 3, 4].map((flow) => bars.waits.get(flow)))"
    drop_tail, codel, fair = tab.evaluate(f"inside.bench.panes.map(({{ bars }}) => {longest})")
    assert drop_tail > 0.2 > 0.03 > codel > 0.005 > fair
    lost = "Math.max(...[0, 1, 2, 3, 4].map((flow) => bars.dropped.get(flow) ?? 0))"
    _, codel, fair = tab.evaluate(f"inside.bench.panes.map(({{ bars }}) => {lost})")
    assert codel > 0 == fair
    display_of_heading = "getComputedStyle(inside.document.querySelector('h1')).display"
    assert tab.evaluate(display_of_heading) == "none"  # the page around it has the title
