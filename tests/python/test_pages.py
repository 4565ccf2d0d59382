"""Every page in a real browser, wide and narrow, light and dark: no error, no request, nothing clipped, accessible."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from penstock.evaluation.evaluate import evaluate
from penstock.evaluation.page import write as write_evaluation

from .browser import Browser, needs_chromium
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
    "tune": ["tune", STANDARD, *SHORT, "--aim", "delay p99 < 30ms", "--candidates", "droptail,red", "--budget", "1s"],
    "reproduced": ["reproduce", "cc", "--recorded"],
    "live": ["live", "--no-open"],
}  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile"), seconds=300) as one:
        yield one


def written(kind: str, folder: Path) -> Path:
    file = folder / f"{kind}.html"
    target = "-o" if kind == "live" else "--html"
    command = [sys.executable, "-m", "penstock", *PAGES[kind], target, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return file


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.xdist_group("pages")
def test_a_page_suits_every_reader(kind: str, tmp_path: Path, browser: Browser) -> None:
    suits_every_reader(browser, written(kind, tmp_path))


@pytest.mark.slow
@needs_chromium
@pytest.mark.xdist_group("pages")
def test_the_page_of_an_evaluation_suits_every_reader(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "evaluate.html"
    write_evaluation(evaluate(["red"], TINY), file)
    suits_every_reader(browser, file)


@needs_chromium
def test_the_checks_find_what_they_look_for(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "bad.html"
    file.write_text(
        "<!doctype html><html lang=en><title>x</title><main><h1>x</h1>"
        "<p style='color:#999;background:#fff'>faint</p>"
        "<div style='width:40px;overflow:hidden;white-space:nowrap'>much too long a text</div>"
        "<style>i { position: absolute; left: 9px; top: 300px }</style><i>one text</i><i style='left:30px'>another</i>"
        "<img src='data:,'></main>",
        encoding="utf-8",
    )
    browser.open(file)
    browser.value(f"{AXE}; 1")
    assert len(browser.value(CLIPPED)) == 1
    assert browser.value(OVERLAPPING) == ["one text | another"]
    assert {name for name, _ in browser.awaited(SERIOUS)} >= {"color-contrast", "image-alt"}
