"""The pages of `penstock reproduce`: what stands on them, and what a browser says of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from penstock.reproduce import experiment_run as reproduce
from penstock.reproduce import page, record
from penstock.reproduce import paper as papers
from penstock.reproduce.answer import answer_text
from penstock.reproduce.claim import have_badges, is_counted
from penstock.reproduce.prose import readme_sections
from penstock.reproduce.text import outcomes_text
from playwright.sync_api import Page

from .browser import faults, needs_chromium, resize
from .page_checks import document_suits_every_reader, suits_every_reader

# One process draws all recorded pages, and all tests here read them.
pytestmark = pytest.mark.xdist_group("recorded pages")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the recorded pages of all works."""
    file = tmp_path_factory.mktemp("pages") / "papers.html"
    command = [sys.executable, "-m", "penstock", "reproduce", "--recorded", "--html", str(file)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return file


def pages_of(index: Path, paper: papers.Paper) -> list[Path]:
    """The page of a paper, or its overview and the pages of its chapters."""
    chapters = len(paper.metadata.get("chapters", ()))
    names = [f"papers-{paper.name}.html", *(f"papers-{paper.name}-{number + 1}.html" for number in range(chapters))]
    return [index.with_name(name) for name in names]


@pytest.mark.slow
def test_pages_have_all_experiments_and_assumptions_and_link_only_to_each_other(index: Path) -> None:
    for paper in papers.included_papers():
        texts = {
            file.name: re.sub(r"<svg.*?</svg>", "", file.read_text("utf-8"), flags=re.S)
            for file in pages_of(index, paper)
        }
        anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in texts.items()}
        assert {experiment.id for experiment in paper.experiments} <= set().union(*anchors.values())
        for name, text in texts.items():
            links = {link for link in re.findall(r'href="([^"]+)', text) if not link.startswith("http")} - {
                "papers.html"
            }
            for link in links:
                target, _, anchor = link.partition("#")
                assert not anchor or anchor in anchors[target or name], f"{name}: {link}"
                assert not target or target in texts
            assert 'src="' not in text
        overview = texts[f"papers-{paper.name}.html"]
        assert re.search(r'<details id="assumptions"><summary>Assumptions</summary><div>\s*<(?:ul|ol|p)>', overview)


@pytest.mark.slow
def test_no_page_is_too_long_to_read(index: Path) -> None:
    for file in (file for paper in papers.included_papers() for file in pages_of(index, paper)):
        text = file.read_text(encoding="utf-8")
        assert len(text) < 1_000_000, file.name
        words = re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style|svg).*?</\1>", "", text, flags=re.S)).split()
        assert len(words) < 15_000, f"{file.name}: {len(words)} words"


def test_the_readme_of_a_paper_counts_the_claims_that_are_recorded_as_confirmed() -> None:
    counted = 0
    for paper in papers.included_papers():
        text = (paper.folder / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
        answer = answer_text(record.recorded_outcomes(paper.experiments))
        for held, total, printed in re.findall(r"(\d+) of (\d+) claims are confirmed; as printed, (\d+) are", text):
            assert f": {held} of {total} claims are confirmed," in answer
            assert f"In the set-up as printed, {printed} of {total} are confirmed." in answer
            counted += 1
    assert counted


# The claims of a page: name and verdict, and how many there are of this name.
CLAIMS = """
[...document.querySelectorAll(".claim[data-verdict]")].map((claim) => {
  const name = claim.querySelector("b").textContent;
  const all = [...document.querySelectorAll(".claim[data-verdict] > p > b")].filter((one) => one.textContent === name);
  return [name, claim.querySelector(".verdict").textContent, claim.id, all.length];
})
"""


def claim_label(claim: Mapping[str, Any]) -> str:
    """The word in front of a claim."""
    return "cannot fail" if claim.get("cannot_fail") else claim["badge"] or claim["verdict"]


SHOWN = '[...document.querySelectorAll(".claim[data-verdict]")].filter((one) => one.checkVisibility()).length'


@pytest.mark.slow
@needs_chromium
def test_every_verdict_is_two_clicks_from_the_index_and_no_page_complains_or_asks(index: Path, tab: Page) -> None:
    suits_every_reader(tab, index)
    for paper in papers.included_papers():
        overview, *chapters = pages_of(index, paper)
        claims = [claim for outcome in record.recorded_outcomes(paper.experiments) for claim in outcome.claims]
        main = [claim for claim in claims if "reading" not in claim]
        field = "badge" if have_badges(claims) else "verdict"
        groups = Counter(claim[field] or claim["verdict"] for claim in main if is_counted(claim))
        expected = {f"{paper.alias}/{claim['id']}": claim_label(claim) for claim in main}
        tab.goto(index.as_uri())
        tab.click(f'a[href="{overview.name}"]')
        tab.wait_for_url(f"**/{overview.name}")
        assert tab.evaluate("document.querySelector('h1').textContent") == paper.metadata["title"]
        tab.click(".contents a")
        tab.wait_for_url("**/*.html#*")
        assert tab.evaluate("document.querySelector(location.hash).className") == "experiment"
        badges: dict[str, list[Any]] = {}
        further, filtered = 0, Counter[str]()
        for file in chapters or [overview]:
            tab.goto(file.as_uri())
            badges |= {name: rest for name, *rest in tab.evaluate(CLAIMS)}
            further += tab.evaluate("document.querySelectorAll('.claim p.reading').length")
            for button in tab.query_selector_all("button[data-verdict]:not([data-verdict=''])"):
                button.click()
                filtered[str(button.get_attribute("data-verdict"))] += tab.evaluate(SHOWN)
        assert badges == {name: [word, name, 1] for name, word in expected.items()}
        assert further == len(claims) - len(main)
        assert filtered == groups


DRAWING = "document.querySelector('figure svg')"


@needs_chromium
def test_the_page_of_a_figure_begins_with_it_and_has_each_claim_once(tmp_path: Path, tab: Page) -> None:
    experiments = papers.find_experiments(["kt/fig4a"])
    outcomes = record.recorded_outcomes(experiments)
    (file,) = page.write_pages(outcomes, tmp_path / "page.html")
    text = re.sub(r"<svg.*?</svg>", "", file.read_text(encoding="utf-8"), flags=re.S).split("</figure>")[1]
    for claim in outcomes[0].claims:
        if "reading" not in claim:
            assert text.count(escape(claim["says"])) == 1
    resize(tab, 1400)
    tab.goto(file.as_uri())
    assert tab.evaluate("document.querySelector('h1').textContent") == experiments[0].title
    assert tab.title().startswith(experiments[0].title)
    assert tab.evaluate("document.querySelector('figure svg').getBoundingClientRect().top") < 600


@needs_chromium
def test_a_finished_figure_shows_the_point_under_the_pointer_and_its_numbers(tmp_path: Path, tab: Page) -> None:
    outcomes = record.recorded_outcomes(papers.find_experiments(["kt/fig4a"]))
    (file,) = page.write_pages(outcomes, tmp_path / "page.html")
    drawn = outcomes[0].figure()
    assert drawn is not None
    lines = {str(line.get_label()): np.asarray(line.get_data(), dtype=float) for line in drawn.axes[0].lines}
    resize(tab, 1400)
    tab.goto(file.as_uri())
    for name, at in (("QSDRR", 0), ("RED", -1)):
        x, y = (float(values[at]) for values in lines[name])
        width, height = drawn.get_size_inches() * 72
        drawn.draw_without_rendering()
        right, up = drawn.axes[0].transData.transform((x, y)) * 72 / drawn.dpi
        box = tab.evaluate(f"Object.values({DRAWING}.getBoundingClientRect().toJSON()).slice(0, 4)")
        tab.mouse.move(box[0] + box[2] * right / width, box[1] + box[3] * (1 - up / height))
        tip = tab.evaluate("document.querySelector('.tip').innerText")
        assert f"series: {name}" in tip
        assert f"buffer (packets): {x:g}" in tip
        assert f"goodput, 200 ms (%): {y:.4g}" in tip
    tab.click("figure .files button")
    rows = tab.evaluate(
        "[...document.querySelectorAll('.numbers-of tbody tr')].map((row) => row.innerText.split('\t'))"
    )
    red = [float(row[2]) for row in rows if row[0] == "RED"]
    assert red == pytest.approx(list(lines["RED"][1]), rel=1e-3)


def test_a_quick_reproduction_names_the_claims_that_it_leaves_out(tmp_path: Path) -> None:
    outcome = record.recorded_outcomes(papers.find_experiments(["kt/fig4a"]))[0]
    tried = [claim for claim in outcome.claims if claim["id"] == "c04"]
    (file,) = page.write_pages([replace(outcome, claims=tried)], tmp_path / "page.html")
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", file.read_text(encoding="utf-8").split("</figure>")[1]))
    left_out = [f"kt/{id_}" for id_ in outcome.experiment.claim_ids if id_ != "c04"]
    assert f"Not tried: {', '.join(left_out)} (6 of 7 claims)" in text
    assert "Of 7 claims, 1 was tried: it is confirmed." in file.read_text(encoding="utf-8")


@pytest.mark.slow
@needs_chromium
def test_the_page_of_every_work_suits_every_reader(index: Path, tab: Page) -> None:
    for paper in papers.included_papers():
        for file in pages_of(index, paper)[:2]:  # an overview and one of its chapters, which all have the same parts
            document_suits_every_reader(tab, file)


@pytest.mark.slow
@needs_chromium
def test_the_browser_sees_what_a_page_must_not_do(tmp_path: Path, tab: Page) -> None:
    page = tmp_path / "page.html"
    wrong = {
        "<script>console.error('no')</script>": "console: no",
        "<script>absent()</script>": "exception: ReferenceError: absent is not defined",
        '<img src="http://127.0.0.1:9/x.png">': "request: http://127.0.0.1:9/x.png",
    }
    for html, error in wrong.items():
        page.write_text(f"<title>x</title>{html}", encoding="utf-8")
        tab.goto(page.as_uri())
        assert any(fault.startswith(error) for fault in faults(tab)), faults(tab)
        faults(tab).clear()


def test_a_figure_whose_claims_are_not_decided_says_so(tmp_path: Path) -> None:
    """A quick reproduction reads no claim from a figure of flows that have not settled, though it has claims."""
    (with_claims,), (without,) = papers.find_experiments(["kt/fig5a"]), papers.find_experiments(["kt/single"])
    outcomes = [reproduce.Outcome(experiment, 5, 5, 1.0, [], None) for experiment in (with_claims, without)]
    (file,) = page.write_pages(outcomes, tmp_path / "page.html")
    first, second = file.read_text(encoding="utf-8").split('id="single"')
    assert "No claim refers to" not in first
    assert (
        "Not tried: <b>kt/c13</b>, <b>kt/c15</b>, <b>kt/c16</b>, <b>kt/c17</b>, <b>kt/c14</b> (5 of 5 claims)" in first
    )
    assert "No claim refers to this experiment" in second
    printed = outcomes_text(outcomes)
    assert printed.count("too few runs or cells") == 1
    assert "to decide its claims (c13, c15, c16, c17, c14): run it without --quick" in printed


def test_what_a_readme_says_is_on_the_page_and_loads_nothing(tmp_path: Path) -> None:
    text = (
        "# Work\n\nIt claims `fig1`.\n\n## Set-up\n\n| a |\n|---|\n| 1 |\n\n"
        "## Assumptions\n\n* <b>All</b> of `fig2`, ![x](http://a/x.png) [y](y.md) [`w`][w] [z](https://z)\n"
        "* `[v](v.md)`\n\n"
        "[w]: ../w.md#there 'title'\n\n"
        "## Status\n\nno\n"
    )
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    intro, setup, assumed = readme_sections(papers.Paper(tmp_path, {}), {"fig1": "#fig1"})
    assert (intro.title, setup.title, assumed.title) == ("", "Set-up", "Assumptions")
    assert (intro.lists_assumptions, setup.lists_assumptions, assumed.lists_assumptions) == (False, False, True)
    assert '<a href="#fig1"><code>fig1</code></a>' in intro.html
    assert '<div class="scroll" tabindex="0"><table>' in setup.html
    assert "&lt;b&gt;All&lt;/b&gt; of <code>fig2</code>" in assumed.html
    assert "y <code>w</code> <a" in assumed.html
    assert "<code>[v](v.md)</code>" in assumed.html
    assert re.findall("(?:src|href)=[^>]*", assumed.html) == ['href="http://a/x.png"', 'href="https://z"']
    assert readme_sections(papers.Paper(tmp_path / "none", {}), {}) == []
