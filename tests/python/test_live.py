"""The page of the live bench, opened in a browser: it plays, hears every control, and asks nobody for anything."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from penstock.errors import PenstockError, ScenarioError
from penstock.live.material import DEFAULT, DEFAULT_SCHEMES, material
from penstock.live.page import page
from penstock.scenario.scenario import Document

from .browser import Browser, needs_chromium

ROOT = Path(__file__).parents[2]
TIME = "Math.max(...bench.panes.map((pane) => pane.states.at(-1)?.time))"
THESIS = ROOT / "scenarios" / "thesis_link.toml"


@pytest.fixture(scope="module")
def default_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("live") / "live.html"
    file.write_text(page(material(Document.read(DEFAULT), DEFAULT_SCHEMES, None)), encoding="utf-8")
    return file


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with Browser(tmp_path / "profile") as opened:
        yield opened


def started(browser: Browser, file: Path, second: float = 2) -> None:
    browser.open(file)
    browser.wait(f"bench.panes?.[0].states.at(-1)?.time > {second}")


def pane(browser: Browser, number: int, text: str) -> Any:
    return browser.value(f"bench.panes[{number}].{text}")


def move(browser: Browser, label: str, text: str, inside: str = "body") -> None:
    """Type a number into the slider of this label."""
    browser.value(
        f"(() => {{ const rows = [...document.querySelectorAll({json.dumps(inside + ' .slider')})];"
        f" const row = rows.find((row) => row.querySelector('label').textContent === {json.dumps(label)});"
        f" const typed = row.querySelector('input[type=text]'); typed.value = {json.dumps(text)};"
        " typed.dispatchEvent(new Event('change')); })()"
    )


def nothing_protrudes(browser: Browser) -> None:
    """No part of a pane is outside of the box around it, and the page is not wider than the window."""
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    beyond = browser.value(
        "[...document.querySelectorAll('.pane *')].filter((node) => node.getClientRects().length &&"
        " node.getBoundingClientRect().right >"
        " (node.parentElement.closest('details, .chart, .pane')).getBoundingClientRect().right + 1)"
        ".map((node) => node.outerHTML.slice(0, 80))"
    )
    assert beyond == []


@needs_chromium
@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (700, "light"), (390, "dark")])
def test_the_page_plays_at_each_width_without_errors(
    width: int, theme: str, default_page: Path, browser: Browser
) -> None:
    browser.resize(width)
    started(browser, default_page)
    browser.value(
        f"document.documentElement.dataset.theme = '{theme}',"
        " document.querySelectorAll('details').forEach((node) => (node.open = true)), 1"
    )
    nothing_protrudes(browser)
    browser.value("bench.add(), 1")
    browser.wait("bench.panes.length === 3 && bench.panes[2].states.at(-1)?.time > 1")
    nothing_protrudes(browser)
    assert browser.errors == []
    # Every control has a name.
    unnamed = browser.value(
        "[...document.querySelectorAll('input, select, button')].filter((node) => !(node.textContent.trim() ||"
        " node.ariaLabel || node.labels?.length)).map((node) => node.outerHTML)"
    )
    assert unnamed == []


@needs_chromium
def test_red_swings_and_pi_calms_it(default_page: Path, browser: Browser) -> None:
    started(browser, default_page)
    browser.value("bench.pace = 30; 1")
    browser.wait("bench.panes[0].states.at(-1).time > 80", seconds=60)

    def empty(number: int) -> float:
        queue: list[int] = pane(browser, number, "history[1].filter((_, at) => bench.panes[0].history[0][at] > 20)")
        return sum(length == 0 for length in queue) / len(queue)

    # The queue of RED runs dry again and again; that of PI does not.
    assert empty(0) > 0.1
    assert empty(1) < 0.02
    assert browser.errors == []


@needs_chromium
def test_each_control_is_heard(default_page: Path, browser: Browser) -> None:
    started(browser, default_page)
    move(browser, "rate", "5")
    move(browser, "round trip", "200")
    move(browser, "flows", "7")
    browser.wait("bench.panes.every((pane) => pane.states.at(-1).rate === 5e6)")
    browser.wait("Math.abs(bench.panes[1].states.at(-1).rtt - 0.2) < 1e-9")
    browser.wait("bench.panes[0].bars.rates.size > 0")
    move(browser, "max_p", "0.7", ".pane:nth-child(1)")
    move(browser, "buffer", "150", ".pane:nth-child(1)")
    browser.wait("bench.panes[0].running.limit.packets === 150")
    assert pane(browser, 0, "queue.params.max_p") == 0.7
    # A value out of range is refused where it is typed, an impossible combination by the engine.
    move(browser, "max_p", "7", ".pane:nth-child(1)")
    assert pane(browser, 0, "queue.params.max_p") == 0.7
    move(browser, "min_th", "120", ".pane:nth-child(1)")
    browser.wait("bench.panes[0].message.textContent.includes('max_th')")
    # Neither is in what is shared or started again.
    assert browser.value(
        "[bench.setting().queues[0].params.max_p, bench.setting().queues[0].params.min_th.packets]"
    ) == [
        0.7,
        50,
    ]
    move(browser, "min_th", "40", ".pane:nth-child(1)")
    assert pane(browser, 0, "message.textContent") == ""
    browser.value("bench.schemeChosen(bench.panes[1], 'fq-codel'); 1")
    browser.wait("bench.panes[1].states.at(-1).time > 1")
    assert browser.value("document.getElementById('problem').textContent") == ""
    assert browser.errors == []

    text = browser.value("bench.scenarioOf(bench.panes[0])")
    resolved = json.loads(Document.parse(text).resolve().for_engine(flows=False, series=False))
    link, flows = next(link for link in resolved["links"] if link["name"] == "bottleneck"), resolved["traffic"][0]
    assert (link["rate"], flows["count"], link["queue"]["limit"]) == (5_000_000, 7, {"packets": 150})
    # The rest of the round trip is 140 ms.
    assert link["delay"] == 60_000_000
    assert link["queue"]["params"]["max_p"] == 0.7
    assert ET.fromstring(browser.value("bench.figureText()")).tag.endswith("svg")


@needs_chromium
def test_panes_of_one_scheme_are_named_by_what_differs(default_page: Path, browser: Browser) -> None:
    named = "[...document.querySelectorAll('.pane .difference')].map((one) => one.textContent)"
    started(browser, default_page)
    assert browser.value(named) == ["", ""]
    queues = [{"scheme": "red", "limit": {"packets": 300}, "params": {"w_q": w_q}} for w_q in (0.002, 0.1)]
    queues += [{"scheme": "codel", "limit": {"packets": 300}, "params": {}}]
    setting = base64.urlsafe_b64encode(json.dumps({"queues": queues, "counts": {}}).encode()).decode().rstrip("=")
    browser.value(f"location.hash = {json.dumps(setting)}, 1")
    browser.reload()
    browser.wait("window.bench?.panes?.[2]?.states.at(-1)?.time > 0.5")
    assert browser.value(named) == ["w_q = 0.002", "w_q = 0.1", ""]
    assert browser.value("bench.panes[1].title") == "B: red, w_q = 0.1"
    move(browser, "w_q", "0.05", ".pane:nth-child(2)")
    move(browser, "buffer", "200", ".pane:nth-child(2)")
    told = ["buffer = 300 packets, w_q = 0.002", "buffer = 200 packets, w_q = 0.05", ""]
    browser.wait(f"JSON.stringify({named}) === {json.dumps(json.dumps(told, separators=(',', ':')))}")
    browser.value("bench.schemeChosen(bench.panes[1], 'pie'); 1")
    browser.wait(f"{named}.every((text) => !text)")
    assert browser.errors == []


@needs_chromium
def test_what_cannot_run_is_told_and_the_rest_goes_on(default_page: Path, browser: Browser) -> None:
    started(browser, default_page)
    # RED of these thresholds would put up with it while it runs, but could not begin again.
    move(browser, "buffer", "60", ".pane:nth-child(1)")
    browser.wait("bench.panes[0].message.textContent.includes('max_th')")
    assert pane(browser, 0, "running.limit") == {"packets": 300}
    browser.value("bench.panes[1].running = { scheme: 'red', limit: { packets: 3 }, params: {} }, bench.restart(), 1")
    browser.wait("bench.panes[1].running.scheme === 'droptail' && bench.panes[1].states.at(-1)?.time > 0.5")
    assert "max_th" in pane(browser, 1, "message.textContent")
    # A pace beyond the machine leaves it time to listen.
    move(browser, "rate", "500")
    move(browser, "pace", "10000")
    browser.wait("document.getElementById('reached').textContent !== ''")
    move(browser, "rate", "5")
    browser.wait("bench.panes[0].states.at(-1).rate === 5e6", seconds=3)
    assert browser.errors == []


@needs_chromium
def test_keys_pause_and_step(default_page: Path, browser: Browser) -> None:
    started(browser, default_page)
    browser.press(" ")
    browser.wait("!bench.playing")
    before = browser.value(TIME)
    browser.press(".")
    # The event is in one of the panes.
    browser.wait(f"{TIME} > {before} && bench.panes.some((pane) => pane.events.children.length > 0)")
    # The events of the panes are taken in the order of their times.
    times = browser.value("bench.panes.map((pane) => pane.states.at(-1).time)")
    # The bench may have paused between the panes: then the events of the later one have to wait for those of the other.
    presses = 0
    while browser.value(TIME) <= max(times):
        browser.press(".")
        presses += 1
        assert presses < 1000
    assert abs(times[0] - times[1]) < 0.05
    browser.value("bench.pace = 0.05; 1")  # so that the time after the restart is seen on a slow machine too
    browser.press("r")
    browser.wait(f"bench.playing && {TIME} < {before}")
    assert browser.errors == []


@needs_chromium
def test_a_shared_address_opens_the_same_bench(default_page: Path, tmp_path: Path, browser: Browser) -> None:
    started(browser, default_page)
    move(browser, "rate", "5")
    browser.value("bench.schemeChosen(bench.panes[1], 'codel'); 1")
    browser.wait("location.hash.length > 10")
    setting = browser.value("JSON.stringify(bench.setting())")
    browser.reload()
    browser.wait("window.bench?.panes?.[0].states.at(-1)?.rate === 5e6")
    assert browser.value("JSON.stringify(bench.setting())") == setting
    assert browser.errors == []


@needs_chromium
@pytest.mark.parametrize(("width", "theme"), [(1000, "light"), (330, "dark")])
def test_an_address_shows_a_drop_function_alone(width: int, theme: str, default_page: Path, browser: Browser) -> None:
    """As the pages of the schemes have it: the curve of the engine, and every parameter."""
    setting = {"queues": [{"scheme": "red", "limit": {"packets": 50}, "params": {}}], "counts": {}, "only": "law"}
    browser.resize(width)
    browser.prefer(theme)
    browser.open(default_page, base64.urlsafe_b64encode(json.dumps(setting).encode()).decode().rstrip("="))
    browser.wait("bench.panes?.[0].states.at(-1)?.time > 1")
    shown = "[...document.querySelectorAll('.pane > *')].filter((one) => one.checkVisibility())"
    assert browser.value(f"{shown}.map((one) => one.className)") == ["parameters", "drop-function"]
    assert browser.value("document.querySelector('.parameters').open")
    curve = pane(browser, 0, "curve.curve")
    assert [p for x, p in curve if x in (2.5, 10.0, 20.0)] == pytest.approx([0, 0.05, 1])
    move(browser, "max_p", "0.5")
    browser.wait("bench.panes[0].curve.curve.find(([x]) => x === 10)[1] > 0.2")
    nothing_protrudes(browser)
    assert browser.errors == []


@needs_chromium
@pytest.mark.parametrize(
    "setting",
    [
        "not base64",
        {"queues": 5},
        {"queues": [{"scheme": "unknown", "params": {}}], "counts": {}},
        {"queues": [{"scheme": "red", "limit": {"packets": 50}, "params": {"max_p": 99}}], "counts": {}},
    ],
)
def test_an_address_that_asks_for_the_impossible_is_left_aside(
    setting: object, default_page: Path, browser: Browser
) -> None:
    text = setting if isinstance(setting, str) else base64.urlsafe_b64encode(json.dumps(setting).encode()).decode()
    browser.open(default_page)
    browser.value(f"location.hash = {json.dumps(text)}, 1")
    browser.reload()
    browser.wait("window.bench?.panes?.[1]?.states.at(-1)?.time > 0.5")
    assert browser.value("bench.panes.map((pane) => pane.running.scheme)") == ["red", "pi"]
    assert browser.errors == []


@needs_chromium
def test_every_scheme_of_the_page_can_be_chosen(default_page: Path, browser: Browser) -> None:
    started(browser, default_page)
    names = browser.value("JSON.parse(document.getElementById('material').textContent).schemes.map(({ name }) => name)")
    assert len(names) > 40
    browser.value(
        f"window.refused = [], window.names = {json.dumps(names)}, window.timer = setInterval(() => {{"
        " const pane = bench.panes[1]; const asked = window.asked;"
        " if (asked && pane.running.scheme !== asked && !pane.message.textContent) return;"
        " if (pane.message.textContent) refused.push([asked, pane.message.textContent]);"
        " window.asked = names.shift(); if (window.asked) bench.schemeChosen(pane, window.asked);"
        " else clearInterval(timer); }, 5), 1"
    )
    browser.wait("window.names.length === 0 && !window.asked", seconds=60)
    assert browser.value("window.refused") == []
    assert browser.errors == []


@needs_chromium
def test_a_page_of_a_scenario_has_its_queue_and_the_schemes_asked_for(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "thesis.html"
    command = [sys.executable, "-m", "penstock", "live", str(THESIS), "--scheme", "pie:target=20ms", "--scheme", "sfq"]
    subprocess.run([*command, "-o", str(file), "--no-open"], check=True, capture_output=True)
    assert file.stat().st_size < 3_000_000
    started(browser, file)
    assert browser.value("bench.queues.map((queue) => queue.scheme)") == ["red", "pie", "sfq"]
    assert browser.value("bench.queues[1].params.target") == {"ns": 20_000_000}
    assert browser.errors == []


@needs_chromium
def test_a_queue_with_classes_stays_as_the_file_has_it(tmp_path: Path, browser: Browser) -> None:
    tree = Document.read(DEFAULT).tree
    classes = [{"name": "voice", "match": {"dscp": "EF"}, "weight": 2}, {"name": "rest", "weight": 1}]
    document = Document(tree).set("links.bottleneck.queue", {"scheme": "wfq", "limit": "100p", "classes": classes})
    file = tmp_path / "classes.html"
    file.write_text(page(material(document, [], None)), encoding="utf-8")
    started(browser, file)
    move(browser, "buffer", "70", ".pane:nth-child(1)")
    browser.wait("bench.panes[0].running.limit.packets === 70")
    written = Document.parse(browser.value("bench.scenarioOf(bench.panes[0])")).tree["links"]["bottleneck"]["queue"]
    assert written == {"scheme": "wfq", "limit": "70p", "classes": classes}
    assert browser.errors == []


def test_requests_that_no_page_can_fulfil_are_told() -> None:
    document = Document.read(THESIS)
    with pytest.raises(PenstockError, match=r'^--at: there is no link "botleneck"; did you mean "bottleneck"\?$'):
        material(document, [], "botleneck")
    with pytest.raises(PenstockError, match="4 are too many"):
        material(document, ["pi"] * 4, None)
    with pytest.raises(PenstockError, match="--scheme wfq"):
        material(document, ["wfq"], None)
    with pytest.raises(ScenarioError, match=r"--scheme red:max_p=3: links.bottleneck.queue.max_p = 3"):
        material(document, ["red:max_p=3"], None)
