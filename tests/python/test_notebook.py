"""What a notebook shows: a scenario, and the live bench in place."""

from __future__ import annotations

import html
import re
from pathlib import Path

import penstock as ps
import pytest
from penstock.errors import PenstockError
from penstock.scenario.check import resolved_text
from playwright.sync_api import Page

from .browser import needs_chromium, wait

ROOT = Path(__file__).resolve().parents[2]


def scenario(queue: ps.Queue) -> ps.Scenario:
    return ps.dumbbell(rate="10Mbit", rtt="60ms", duration="10s", queue=queue, traffic={"bulk": ps.Tcp(count=3)})


def test_a_scenario_shows_what_check_prints() -> None:
    link = scenario(ps.Red(limit="100p"))
    page = link._repr_html_()
    assert html.unescape(re.sub("</?pre>", "", page)) == resolved_text(link.resolve())
    assert "3 tcp" in page or "bulk" in page


def test_a_wrong_scenario_shows_its_errors() -> None:
    assert "max_p" in scenario(ps.Red(limit="100p", max_p=2.0))._repr_html_()


def test_the_bench_refuses_what_no_page_can_show() -> None:
    with pytest.raises(PenstockError, match="too many"):
        ps.LiveBench(str(ROOT / "scenarios" / "thesis_link.toml"), ["pi"] * 4)


@needs_chromium
def test_the_bench_plays_in_a_cell(tmp_path: Path, tab: Page) -> None:
    bench = ps.LiveBench(scenario(ps.Red(limit="100p")), ["codel", "pie"])
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><title>x</title>{bench._repr_html_()}", encoding="utf-8")
    bench.save(tmp_path / "bench.html")
    assert (tmp_path / "bench.html").read_text(encoding="utf-8") == bench.html
    tab.goto(cell.as_uri())
    wait(tab, "window.inside = document.querySelector('iframe').contentWindow.bench")
    wait(tab, "inside.panes?.length === 3 && inside.panes[2].states.at(-1)?.time > 0.5")
