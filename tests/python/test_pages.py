"""Every page in a real browser, wide and narrow, light and dark: no error, no request, nothing clipped, accessible."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from penstock.evaluation.evaluate import evaluate
from penstock.evaluation.page import SHOWN_FIRST
from penstock.evaluation.page import write as write_evaluation
from penstock.report import page as report
from playwright.sync_api import Page

from .browser import needs_chromium, resize
from .fake_result import compare_result, means_alone
from .page_checks import AXE, CLIPPED, OVERLAPPING, SERIOUS, suits_every_reader
from .test_evaluation import TINY

ROOT = Path(__file__).resolve().parents[2]
STANDARD = "scenarios/standard.toml"
SHORT = ["--set", "duration=2s", "--set", "warmup=1s"]
PAGES = {
    "compare": ["compare", STANDARD, *SHORT, "--scheme", "droptail", "--scheme", "red:gentle=true", "--runs", "3"],
    "sweep": ["compare", STANDARD, *SHORT, "--scheme", "red", "--scheme", "pie", "--runs", "2",
              "--vary", "links.bottleneck.rate=5Mbit,10Mbit"],
    "grid": ["compare", STANDARD, *SHORT, "--scheme", "red", "--scheme", "pie", "--runs", "2",
             "--vary", "links.bottleneck.rate=5Mbit,10Mbit", "--vary", "links.bottleneck.queue.limit=40p,80p,160p"],
    "run": ["run", STANDARD, *SHORT],
    "tune": ["tune", STANDARD, *SHORT, "--aim", "delay p99 < 30ms", "--scheme", "droptail", "--scheme", "red",
             "--budget", "5s"],
    "challenge": ["challenge", "codel", "--against", "droptail", "--metric", "utilization", "--budget", "20s"],
    "many": ["compare", STANDARD, *SHORT, "--scheme", "all", "--runs", "2"],
    "reproduced": ["reproduce", "cc", "--recorded"],
    "live": ["live", "--no-open"],
}  # fmt: skip


def written(kind: str, folder: Path) -> Path:
    file = folder / f"{kind}.html"
    target = "-o" if kind == "live" else "--html"
    command = [sys.executable, "-m", "penstock", *PAGES[kind], target, str(file)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return file


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.xdist_group("pages")
def test_a_page_suits_every_reader(kind: str, tmp_path: Path, tab: Page) -> None:
    suits_every_reader(tab, written(kind, tmp_path))


@pytest.mark.slow
@needs_chromium
@pytest.mark.xdist_group("pages")
def test_the_page_of_an_evaluation_suits_every_reader(tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "evaluate.html"
    evaluation = evaluate(["red"], TINY)
    write_evaluation(evaluation, file)
    suits_every_reader(tab, file)  # the last time at 390 px
    assert tab.evaluate(SIDEWAYS) == []
    tab.goto(file.as_uri())
    scenarios = len({row.case.id for row in evaluation.rows})
    assert tab.evaluate("[...document.querySelectorAll('.diagrams figure')].map((one) => one.checkVisibility())") == [
        *[True] * SHOWN_FIRST,
        *[False] * (scenarios - SHOWN_FIRST),
    ]
    summary = tab.evaluate("document.querySelector('details.more summary').textContent")
    assert summary.startswith(f"{scenarios - SHOWN_FIRST} more diagrams, ")
    # A phone shows the head of a column beside each of its numbers.
    assert tab.evaluate("[...document.querySelectorAll('.schemes td.number')].every((one) => one.dataset.head)")
    assert not tab.evaluate("document.querySelector('.schemes thead').checkVisibility()")


SIDEWAYS = """
[...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent.trim().slice(0, 40))
"""
"""Tables that are wider than their place."""


def warned_result(warnings: int) -> dict[str, Any]:
    """A sweep whose schemes do not suit their link."""
    says = "max_th, 15 packets, is less than the product of bandwidth and delay, 83 packets"
    about = {"place": "bottleneck", "says": says, "advice": "set it to 83 packets or more", "source": "RFC 2309"}
    return {**compare_result(), "warnings": [{"scheme": f"red {at}", **about} for at in range(warnings)]}


def measured_result() -> dict[str, Any]:
    """A sweep on a real link."""
    result = compare_result()
    rows = [{**row, "on": "link"} for row in result["rows"]]
    return {**result, "rows": rows, "command": "penstock run link.toml --on link --runs 5"}


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("made", [partial(warned_result, 4), measured_result], ids=["warnings", "measured"])
@pytest.mark.xdist_group("pages")
def test_a_page_of_another_kind_suits_every_reader(
    made: Callable[[], dict[str, Any]], tmp_path: Path, tab: Page
) -> None:
    file = tmp_path / "page.html"
    report.write(made(), file)
    suits_every_reader(tab, file)


@needs_chromium
@pytest.mark.parametrize("warnings", [1, 2, 4])
def test_warnings_do_not_push_the_figure_away(warnings: int, tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "page.html"
    report.write(warned_result(warnings), file)
    resize(tab, 1400)
    tab.goto(file.as_uri())
    visible = "[...document.querySelectorAll('.warned')].map((one) => one.checkVisibility())"
    assert tab.evaluate(visible) == [True, *[False] * (warnings - 1)]
    folded = {1: None, 2: "1 more warning", 4: "3 more warnings"}[warnings]
    assert tab.evaluate("document.querySelector('.top details summary')?.textContent ?? null") == folded
    assert tab.evaluate("document.querySelector('#trade-off figure').getBoundingClientRect().top") < 900


@needs_chromium
@pytest.mark.parametrize("schemes", [2, 3, 6])
def test_the_ranking_is_as_tall_as_its_rows(schemes: int, tmp_path: Path, tab: Page) -> None:
    result = means_alone(compare_result(vary=False, series=False))
    chosen = list(dict.fromkeys((row["scheme"], str(row["params"])) for row in result["rows"]))[:schemes]
    rows = [row for row in result["rows"] if (row["scheme"], str(row["params"])) in chosen]
    file = tmp_path / "page.html"
    report.write({**result, "rows": rows}, file)
    resize(tab, 1400)
    tab.goto(file.as_uri())
    assert tab.evaluate("document.querySelectorAll('.ranking tbody tr').length") == schemes
    heights = "['.ranking', '.ranking table'].map((one) => document.querySelector(one).offsetHeight)"
    card, table = tab.evaluate(heights)
    assert card - table < 40


@needs_chromium
def test_the_checks_find_what_they_look_for(tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "bad.html"
    file.write_text(
        "<!doctype html><html lang=en><title>x</title><main><h1>x</h1>"
        "<p style='color:#999;background:#fff'>faint</p>"
        "<div style='width:40px;overflow:hidden;white-space:nowrap'>much too long a text</div>"
        "<style>i { position: absolute; left: 9px; top: 300px }</style><i>one text</i><i style='left:30px'>another</i>"
        "<img src='data:,'></main>",
        encoding="utf-8",
    )
    tab.goto(file.as_uri())
    tab.evaluate(f"{AXE}; 1")
    assert len(tab.evaluate(CLIPPED)) == 1
    assert tab.evaluate(OVERLAPPING) == ["one text | another"]
    assert {name for name, _ in tab.evaluate(SERIOUS)} >= {"color-contrast", "image-alt"}
