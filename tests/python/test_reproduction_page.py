"""The pages of `penstock reproduce`: what stands on them, and what a browser says of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from penstock.reproduce import experiment_run as reproduce
from penstock.reproduce import page, record
from penstock.reproduce import paper as papers
from penstock.reproduce.claim import badged, counted
from penstock.reproduce.prose import prose
from penstock.reproduce.text import text

from .browser import Browser, needs_chromium
from .page_checks import LARGEST, document_suits_every_reader, suits_every_reader

# One process draws all recorded pages, and all tests here read them.
pytestmark = pytest.mark.xdist_group("recorded pages")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the recorded pages of all works."""
    file = tmp_path_factory.mktemp("pages") / "papers.html"
    command = [sys.executable, "-m", "penstock", "reproduce", "--recorded", "--html", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return file


@pytest.mark.slow
def test_a_page_has_all_claims_and_assumptions_and_links_to_nothing_else(index: Path) -> None:
    for paper in papers.papers():
        text = index.with_name(f"papers-{paper.name}.html").read_text(encoding="utf-8")
        text = re.sub(r"<svg.*?</svg>", "", text, flags=re.S)
        anchors = set(re.findall(r'\bid="([^"]+)"', text))
        assert {experiment.id for experiment in paper.experiments} <= anchors
        assert set(re.findall(r'href="#([^"]+)"', text)) <= anchors
        assert {link for link in re.findall(r'href="([^"#]+)', text) if not link.startswith("http")} == {"papers.html"}
        assert 'src="' not in text
        assert re.search(r'<details id="assumptions"><summary>Assumptions</summary><div>\s*<(?:ul|ol|p)>', text)


# The claims of a page as its table and its sections have them: name, verdicts, readings that do not count.
CLAIMS = """
[...document.querySelectorAll("tr[data-verdict]:not(.reading)")].map((row) => {
  const link = row.querySelector("a"), at = document.querySelector(link.hash);
  const own = [...at.querySelectorAll(".claim")].find((one) => one.querySelector("b").textContent === link.textContent);
  return [link.textContent, row.querySelector(".verdict").textContent, own.querySelector(".verdict").textContent,
    own.querySelector("p").className, own.querySelectorAll("p:not(.reading)").length];
})
"""


def shown(claim: Mapping[str, Any]) -> str:
    """The word in front of a claim."""
    return "cannot fail" if claim.get("cannot_fail") else claim["badge"] or claim["verdict"]


SHOWN = '[...document.querySelectorAll("tr[data-verdict]")].filter((row) => row.offsetHeight > 0).length'


@pytest.mark.slow
@needs_chromium
def test_every_verdict_is_two_clicks_from_the_index_and_no_page_complains_or_asks(index: Path, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile", seconds=250) as browser:
        suits_every_reader(browser, index)
        for paper in papers.papers():
            assert index.with_name(f"papers-{paper.name}.html").stat().st_size < LARGEST
            claims = [claim for outcome in record.recorded(paper.experiments) for claim in outcome.claims]
            main = [claim for claim in claims if "reading" not in claim]
            told = "badge" if badged(claims) else "verdict"
            groups = Counter(claim[told] or "" for claim in main if counted(claim))
            expected = {f"{paper.alias}/{claim['id']}": shown(claim) for claim in main}
            browser.open(index)
            browser.click(f'a[href="papers-{paper.name}.html"]')
            assert browser.value("document.querySelector('h1').textContent") == paper.about["title"]
            found = {name: rest for name, *rest in browser.value(CLAIMS)}
            assert found == {name: [word, word, "", 1] for name, word in expected.items()}
            assert browser.value("document.querySelectorAll('.claim p.reading').length") == len(claims) - len(main)
            browser.click("table.claims a")
            assert browser.value("document.querySelector(location.hash + ' .claim b').textContent") in expected
            for verdict, number in groups.items():
                browser.click(f'button[data-verdict="{verdict}"]')
                assert browser.value(SHOWN) == number
            browser.click('button[data-verdict=""]')
            browser.click("#other-readings")
            assert browser.value(SHOWN) == browser.value("document.querySelectorAll('tr[data-verdict]').length")
        assert browser.errors == []


@pytest.mark.slow
@needs_chromium
def test_the_page_of_every_work_suits_every_reader(index: Path, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile", seconds=600) as browser:
        for paper in papers.papers():
            document_suits_every_reader(browser, index.with_name(f"papers-{paper.name}.html"))


@pytest.mark.slow
@needs_chromium
def test_the_browser_sees_what_a_page_must_not_do(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    wrong = {
        "<script>console.error('no')</script>": "console: no",
        "<script>absent()</script>": "exception: ReferenceError: absent is not defined",
        '<img src="http://127.0.0.1:9/x.png">': "request: http://127.0.0.1:9/x.png",
    }
    with Browser(tmp_path / "profile") as browser:
        for html, error in wrong.items():
            page.write_text(f"<title>x</title>{html}", encoding="utf-8")
            browser.errors.clear()
            browser.open(page)
            assert any(found.startswith(error) for found in browser.errors), browser.errors


def test_a_figure_whose_claims_are_not_decided_says_so(tmp_path: Path) -> None:
    """A quick reproduction reads no claim from a figure of flows that have not settled, though it has claims."""
    (with_claims,), (without,) = papers.find(["kt/fig5a"]), papers.find(["kt/single"])
    outcomes = [reproduce.Outcome(one, 5, 5, 1.0, [], None) for one in (with_claims, without)]
    (file,) = page.write(outcomes, tmp_path / "page.html")
    first, second = file.read_text(encoding="utf-8").split('id="single"')
    assert "No claim refers to" not in first
    assert "to decide its claims (c13, c15, c16, c17, c14): run it without --quick" in first
    assert "No claim refers to this experiment" in second
    printed = text(outcomes)
    assert printed.count("too few runs or cells") == 1
    assert "to decide its claims (c13, c15, c16, c17, c14): run it without --quick" in printed


def test_what_a_readme_says_is_on_the_page_and_loads_nothing(tmp_path: Path) -> None:
    text = (
        "# Work\n\nIt claims `fig1`.\n\n## Set-up\n\n| a |\n|---|\n| 1 |\n\n"
        "## Assumptions\n\n* <b>All</b> of `fig2`, ![x](http://a/x.png) [y](y.md) [z](https://z).\n\n"
        "## Status\n\nno\n"
    )
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    intro, setup, assumed = prose(papers.Paper(tmp_path, {}), {"fig1": "fig1"})
    assert (intro.title, setup.title, assumed.title) == ("", "Set-up", "Assumptions")
    assert (intro.assumptions, setup.assumptions, assumed.assumptions) == (False, False, True)
    assert '<a href="#fig1"><code>fig1</code></a>' in intro.html
    assert '<div class="scroll" tabindex="0"><table>' in setup.html
    assert "&lt;b&gt;All&lt;/b&gt; of <code>fig2</code>" in assumed.html
    assert re.findall("(?:src|href)=[^>]*", assumed.html) == ['href="http://a/x.png"', 'href="https://z"']
    assert prose(papers.Paper(tmp_path / "none", {}), {}) == []
