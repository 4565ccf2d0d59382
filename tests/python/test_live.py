"""The page of the live bench, opened in a browser: it plays, hears every control, and asks nobody for anything."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from penstock.errors import PenstockError, ScenarioError
from penstock.live.page import bench_page
from penstock.live.page_data import DEFAULT, DEFAULT_SCHEMES, live_page_data
from penstock.results import palette
from penstock.scenario.document import Document
from playwright.sync_api import Page

from .browser import Theme, faults, needs_chromium, resize, wait

ROOT = Path(__file__).parents[2]
TIME = "Math.max(...bench.panes.map((pane) => pane.states.at(-1)?.time))"
THESIS = ROOT / "scenarios" / "thesis_link.toml"
BLOAT = """
duration = "100s"
[links.bottleneck]
from = "A"
to = "B"
rate = "20Mbit"
delay = "20ms"
queue = { scheme = "droptail", limit = "1000p" }
watch = true
[traffic.bulk]
kind = "tcp"
count = 3
from = "A"
to = "B"
"""


@pytest.fixture(scope="module")
def default_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("live") / "live.html"
    file.write_text(bench_page(live_page_data(Document.read(DEFAULT), DEFAULT_SCHEMES, None)), encoding="utf-8")
    return file


def started(tab: Page, file: Path, second: float = 2) -> None:
    tab.goto(file.as_uri())
    wait(tab, f"bench.panes?.[0].states.at(-1)?.time > {second}")


def pane(tab: Page, number: int, text: str) -> Any:
    return tab.evaluate(f"bench.panes[{number}].{text}")


def move(tab: Page, label: str, text: str, inside: str = "body") -> None:
    """Type a number into the slider of this label."""
    tab.evaluate(
        f"(() => {{ const rows = [...document.querySelectorAll({json.dumps(inside + ' .slider')})];"
        f" const row = rows.find((row) => row.querySelector('label').textContent === {json.dumps(label)});"
        f" const typed = row.querySelector('input[type=text]'); typed.value = {json.dumps(text)};"
        " typed.dispatchEvent(new Event('change')); })()"
    )


def nothing_protrudes(tab: Page) -> None:
    """No part of a pane is outside of the box around it, and the page is not wider than the window."""
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    beyond = tab.evaluate(
        "[...document.querySelectorAll('.pane *')].filter((node) => node.getClientRects().length &&"
        " node.getBoundingClientRect().right >"
        " (node.parentElement.closest('details, .chart, .pane')).getBoundingClientRect().right + 1)"
        ".map((node) => node.outerHTML.slice(0, 80))"
    )
    assert beyond == []


@needs_chromium
@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (700, "light"), (390, "dark")])
def test_the_page_plays_at_each_width_without_errors(width: int, theme: Theme, default_page: Path, tab: Page) -> None:
    resize(tab, width)
    started(tab, default_page)
    tab.evaluate(
        f"document.documentElement.dataset.theme = '{theme}',"
        " document.querySelectorAll('details').forEach((node) => (node.open = true)), 1"
    )
    nothing_protrudes(tab)
    tab.evaluate("bench.add(), 1")
    wait(tab, "bench.panes.length === 3 && bench.panes[2].states.at(-1)?.time > 1")
    nothing_protrudes(tab)
    # Every control has a name.
    unnamed = tab.evaluate(
        "[...document.querySelectorAll('input, select, button')].filter((node) => !(node.textContent.trim() ||"
        " node.ariaLabel || node.labels?.length)).map((node) => node.outerHTML)"
    )
    assert unnamed == []


@needs_chromium
def test_red_swings_and_pi_calms_it(default_page: Path, tab: Page) -> None:
    started(tab, default_page)
    tab.evaluate("bench.pace = 30; 1")
    wait(tab, "bench.panes[0].states.at(-1).time > 80", seconds=60)

    def empty(number: int) -> float:
        queue: list[int] = pane(tab, number, "history[1].filter((_, at) => bench.panes[0].history[0][at] > 20)")
        return sum(length == 0 for length in queue) / len(queue)

    # The queue of RED runs dry again and again; that of PI does not.
    assert empty(0) > 0.1
    assert empty(1) < 0.02


@needs_chromium
def test_all_panes_have_one_scale_and_a_key_of_what_there_is(tmp_path: Path, tab: Page) -> None:
    document = Document.parse(BLOAT)
    file = tmp_path / "bloat.html"
    file.write_text(bench_page(live_page_data(document, ["red", "codel"], None)), encoding="utf-8")
    started(tab, file, second=8)
    tab.evaluate("bench.play(false), 1")
    wait(tab, "!bench.waits")
    tops = tab.evaluate("bench.panes.map(({ time }) => time.plot.scales.q.max)")
    longest = tab.evaluate("bench.panes.map(({ delay }) => delay.plot.scales.x.max)")
    highest = tab.evaluate("Math.max(...bench.panes.flatMap(({ history }) => history[1]))")
    assert highest > 300, "drop-tail fills its buffer"
    assert len(set(tops)) == len(set(longest)) == 1
    assert tops[0] >= highest
    # The pictures of the queues have cells of one size.
    cells = tab.evaluate("bench.panes.map(({ picture }) => picture.cells[0]?.width ?? null)")
    assert len({round(width, 3) for width in cells if width}) == 1
    keys = "(pane) => [...pane.keys.children].filter((key) => !key.hidden).map((key) => key.textContent)"
    droptail, red, codel = tab.evaluate(f"bench.panes.map({keys})")
    assert red == ["queue", "average", "probability", "drop"]
    for kinds in (droptail, codel):
        assert set(kinds) <= {"queue", "drop"}
    axes = tab.evaluate(
        "bench.panes.map(({ time }) => time.plot.axes.map(({ label }) => label).includes('drop probability'))"
    )
    assert axes == [False, True, False]


@needs_chromium
def test_drops_are_listed_with_the_gaps_between_them(tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "bloat.html"
    file.write_text(bench_page(live_page_data(Document.parse(BLOAT), ["codel"], None)), encoding="utf-8")
    started(tab, file, second=8)
    tab.evaluate("bench.play(false), 1")
    wait(tab, "!bench.waits")
    times = pane(tab, 1, "drops.times.drop")
    assert times == sorted(times)
    assert len(times) == pane(tab, 1, "states.at(-1).drops")
    last = tab.evaluate("bench.panes[1].drops.rows.lastChild.textContent")
    assert last.startswith(f"{times[-1]:.3f} s, flow ")
    assert last.endswith(f": drop after {1e3 * (times[-1] - times[-2]):.1f} ms")


def stop_with_packets(tab: Page) -> None:
    """Stop the bench while packets wait in the queue of its second pane."""
    for _ in range(100):
        tab.evaluate("bench.play(false), bench.redraw(), 1")
        wait(tab, "!bench.waits")
        if tab.evaluate("bench.panes[1].picture.cells.length > 0"):
            return
        tab.evaluate("bench.play(true), 1")
        tab.wait_for_timeout(100)
    raise AssertionError("the queue was always empty")


@needs_chromium
def test_flows_have_the_colours_of_the_palette_in_each_theme(default_page: Path, tab: Page) -> None:
    tab.emulate_media(color_scheme="light")
    started(tab, default_page)
    fill = """(() => {
      const { picture, canvas } = bench.panes[1], cell = picture.cells[0], scale = devicePixelRatio;
      const [x, y] = [cell.x + cell.width / 2, cell.y + cell.height / 2];
      return [...canvas.getContext('2d').getImageData(x * scale, y * scale, 1, 1).data];
    })()"""
    for theme, colours in (("light", palette.LIGHT), ("dark", palette.DARK)):
        while tab.evaluate("document.documentElement.dataset.theme") != theme:
            tab.click("#theme")
        stop_with_packets(tab)
        colour = "#" + "".join(f"{value:02x}" for value in tab.evaluate(fill)[:3])
        assert colour in colours[1:]
        tab.evaluate("bench.play(true), 1")
    # Chromium suggests another kind of canvas to readers of pixels: this test alone is one.
    faults(tab)[:] = [fault for fault in faults(tab) if "willReadFrequently" not in fault]


@needs_chromium
def test_each_control_is_heard(default_page: Path, tab: Page) -> None:
    started(tab, default_page)
    move(tab, "rate", "5")
    move(tab, "round trip", "200")
    move(tab, "flows", "7")
    wait(tab, "bench.panes.every((pane) => pane.states.at(-1).rate === 5e6)")
    wait(tab, "Math.abs(bench.panes[1].states.at(-1).rtt - 0.2) < 1e-9")
    wait(tab, "bench.panes[0].bars.rates.size > 0")
    move(tab, "max_p", "0.7", ".pane:nth-child(1)")
    move(tab, "buffer", "150", ".pane:nth-child(1)")
    wait(tab, "bench.panes[0].running.limit.packets === 150")
    assert pane(tab, 0, "queue.params.max_p") == 0.7
    # A value out of range is refused where it is typed, an impossible combination by the engine.
    move(tab, "max_p", "7", ".pane:nth-child(1)")
    assert pane(tab, 0, "queue.params.max_p") == 0.7
    move(tab, "min_th", "120", ".pane:nth-child(1)")
    wait(tab, "bench.panes[0].message.textContent.includes('max_th')")
    # Neither is in what is shared or started again.
    assert tab.evaluate(
        "[bench.setting().queues[0].params.max_p, bench.setting().queues[0].params.min_th.packets]"
    ) == [
        0.7,
        50,
    ]
    move(tab, "min_th", "40", ".pane:nth-child(1)")
    assert pane(tab, 0, "message.textContent") == ""
    tab.evaluate("bench.schemeChosen(bench.panes[1], 'fq-codel'); 1")
    wait(tab, "bench.panes[1].states.at(-1).time > 1")
    assert tab.evaluate("document.getElementById('problem').textContent") == ""

    text = tab.evaluate("bench.scenarioOf(bench.panes[0])")
    resolved = json.loads(Document.parse(text).resolve().for_engine(flows=False, series=False))
    link, flows = next(link for link in resolved["links"] if link["name"] == "bottleneck"), resolved["traffic"][0]
    assert (link["rate"], flows["count"], link["queue"]["limit"]) == (5_000_000, 7, {"packets": 150})
    # The rest of the round trip is 140 ms.
    assert link["delay"] == 60_000_000
    assert link["queue"]["params"]["max_p"] == 0.7
    assert ET.fromstring(tab.evaluate("bench.figureText()")).tag.endswith("svg")


@needs_chromium
def test_panes_of_one_scheme_are_named_by_what_differs(default_page: Path, tab: Page) -> None:
    named = "[...document.querySelectorAll('.pane .difference')].map((one) => one.textContent)"
    started(tab, default_page)
    assert tab.evaluate(named) == ["", ""]
    queues = [{"scheme": "red", "limit": {"packets": 300}, "params": {"w_q": w_q}} for w_q in (0.002, 0.1)]
    queues += [{"scheme": "codel", "limit": {"packets": 300}, "params": {}}]
    setting = base64.urlsafe_b64encode(json.dumps({"queues": queues, "counts": {}}).encode()).decode().rstrip("=")
    tab.evaluate(f"location.hash = {json.dumps(setting)}, 1")
    tab.reload()
    wait(tab, "window.bench?.panes?.[2]?.states.at(-1)?.time > 0.5")
    assert tab.evaluate(named) == ["w_q = 0.002", "w_q = 0.1", ""]
    assert tab.evaluate("bench.panes[1].title") == "B: red, w_q = 0.1"
    move(tab, "w_q", "0.05", ".pane:nth-child(2)")
    move(tab, "buffer", "200", ".pane:nth-child(2)")
    names = ["buffer = 300 packets, w_q = 0.002", "buffer = 200 packets, w_q = 0.05", ""]
    wait(tab, f"JSON.stringify({named}) === {json.dumps(json.dumps(names, separators=(',', ':')))}")
    tab.evaluate("bench.schemeChosen(bench.panes[1], 'pie'); 1")
    wait(tab, f"{named}.every((text) => !text)")


@needs_chromium
def test_what_cannot_run_is_told_and_the_rest_goes_on(default_page: Path, tab: Page) -> None:
    started(tab, default_page)
    # RED of these thresholds would put up with it while it runs, but could not begin again.
    move(tab, "buffer", "60", ".pane:nth-child(1)")
    wait(tab, "bench.panes[0].message.textContent.includes('max_th')")
    assert pane(tab, 0, "running.limit") == {"packets": 300}
    tab.evaluate("bench.panes[1].running = { scheme: 'red', limit: { packets: 3 }, params: {} }, bench.restart(), 1")
    wait(tab, "bench.panes[1].running.scheme === 'droptail' && bench.panes[1].states.at(-1)?.time > 0.5")
    assert "max_th" in pane(tab, 1, "message.textContent")
    # A pace beyond the machine leaves it time to listen.
    move(tab, "rate", "500")
    move(tab, "pace", "10000")
    wait(tab, "document.getElementById('reached').textContent !== ''")
    move(tab, "rate", "5")
    wait(tab, "bench.panes[0].states.at(-1).rate === 5e6", seconds=3)


@needs_chromium
def test_keys_pause_and_step(default_page: Path, tab: Page) -> None:
    started(tab, default_page)
    tab.keyboard.press(" ")
    wait(tab, "!bench.playing")
    before = tab.evaluate(TIME)
    tab.keyboard.press(".")
    # The event is in one of the panes.
    wait(tab, f"{TIME} > {before} && bench.panes.some((pane) => pane.events.children.length > 0)")
    # The events of the panes are taken in the order of their times.
    times = tab.evaluate("bench.panes.map((pane) => pane.states.at(-1).time)")
    # The bench may have paused between the panes: then the events of the later one have to wait for those of the other.
    presses = 0
    while tab.evaluate(TIME) <= max(times):
        tab.keyboard.press(".")
        presses += 1
        assert presses < 1000
    assert abs(times[0] - times[1]) < 0.05
    tab.evaluate("bench.pace = 0.05; 1")  # so that the time after the restart is seen on a slow machine too
    tab.keyboard.press("r")
    wait(tab, f"bench.playing && {TIME} < {before}")


@needs_chromium
def test_a_shared_address_opens_the_same_bench(default_page: Path, tmp_path: Path, tab: Page) -> None:
    started(tab, default_page)
    move(tab, "rate", "5")
    tab.evaluate("bench.schemeChosen(bench.panes[1], 'codel'); 1")
    wait(tab, "location.hash.length > 10")
    setting = tab.evaluate("JSON.stringify(bench.setting())")
    tab.reload()
    wait(tab, "window.bench?.panes?.[0].states.at(-1)?.rate === 5e6")
    assert tab.evaluate("JSON.stringify(bench.setting())") == setting


@needs_chromium
@pytest.mark.parametrize(("width", "theme"), [(1000, "light"), (330, "dark")])
def test_an_address_shows_a_drop_function_alone(width: int, theme: Theme, default_page: Path, tab: Page) -> None:
    """As the pages of the schemes have it: the curve of the engine, and every parameter."""
    setting = {"queues": [{"scheme": "red", "limit": {"packets": 50}, "params": {}}], "counts": {}, "only": "aqm"}
    resize(tab, width)
    tab.emulate_media(color_scheme=theme)
    address = base64.urlsafe_b64encode(json.dumps(setting).encode()).decode().rstrip("=")
    tab.goto(f"{default_page.as_uri()}#{address}")
    wait(tab, "bench.panes?.[0].states.at(-1)?.time > 1")
    visible = "[...document.querySelectorAll('.pane > *')].filter((one) => one.checkVisibility())"
    assert tab.evaluate(f"{visible}.map((one) => one.className)") == ["parameters", "drop-function"]
    assert tab.evaluate("document.querySelector('.parameters').open")
    curve = pane(tab, 0, "curve.curve")
    assert [p for x, p in curve if x in (2.5, 10.0, 20.0)] == pytest.approx([0, 0.05, 1])
    move(tab, "max_p", "0.5")
    wait(tab, "bench.panes[0].curve.curve.find(([x]) => x === 10)[1] > 0.2")
    nothing_protrudes(tab)


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
def test_an_address_that_asks_for_the_impossible_is_left_aside(setting: object, default_page: Path, tab: Page) -> None:
    text = setting if isinstance(setting, str) else base64.urlsafe_b64encode(json.dumps(setting).encode()).decode()
    tab.goto(default_page.as_uri())
    tab.evaluate(f"location.hash = {json.dumps(text)}, 1")
    tab.reload()
    wait(tab, "window.bench?.panes?.[1]?.states.at(-1)?.time > 0.5")
    assert tab.evaluate("bench.panes.map((pane) => pane.running.scheme)") == ["red", "pi"]


@needs_chromium
def test_every_scheme_of_the_page_can_be_chosen(default_page: Path, tab: Page) -> None:
    started(tab, default_page)
    names = tab.evaluate("JSON.parse(document.getElementById('material').textContent).schemes.map(({ name }) => name)")
    assert len(names) > 40
    tab.evaluate(
        f"window.refused = [], window.names = {json.dumps(names)}, window.timer = setInterval(() => {{"
        " const pane = bench.panes[1]; const asked = window.asked;"
        " if (asked && pane.running.scheme !== asked && !pane.message.textContent) return;"
        " if (pane.message.textContent) refused.push([asked, pane.message.textContent]);"
        " window.asked = names.shift(); if (window.asked) bench.schemeChosen(pane, window.asked);"
        " else clearInterval(timer); }, 5), 1"
    )
    wait(tab, "window.names.length === 0 && !window.asked", seconds=60)
    assert tab.evaluate("window.refused") == []


@needs_chromium
def test_a_page_of_a_scenario_has_its_queue_and_the_schemes_asked_for(tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "thesis.html"
    command = [sys.executable, "-m", "penstock", "live", str(THESIS), "--scheme", "pie:target=20ms", "--scheme", "sfq"]
    subprocess.run([*command, "-o", str(file), "--no-open"], check=True, capture_output=True)
    assert file.stat().st_size < 3_000_000
    started(tab, file)
    assert tab.evaluate("bench.queues.map((queue) => queue.scheme)") == ["red", "pie", "sfq"]
    assert tab.evaluate("bench.queues[1].params.target") == {"ns": 20_000_000}


@needs_chromium
def test_a_queue_with_classes_stays_as_the_file_has_it(tmp_path: Path, tab: Page) -> None:
    tree = Document.read(DEFAULT).tree
    classes = [{"name": "voice", "match": {"dscp": "EF"}, "weight": 2}, {"name": "rest", "weight": 1}]
    document = Document(tree).set("links.bottleneck.queue", {"scheme": "wfq", "limit": "100p", "classes": classes})
    file = tmp_path / "classes.html"
    file.write_text(bench_page(live_page_data(document, [], None)), encoding="utf-8")
    started(tab, file)
    move(tab, "buffer", "70", ".pane:nth-child(1)")
    wait(tab, "bench.panes[0].running.limit.packets === 70")
    written = Document.parse(tab.evaluate("bench.scenarioOf(bench.panes[0])")).tree["links"]["bottleneck"]["queue"]
    assert written == {"scheme": "wfq", "limit": "70p", "classes": classes}


def test_requests_that_no_page_can_fulfil_are_told() -> None:
    document = Document.read(THESIS)
    with pytest.raises(PenstockError, match=r'^at: no link "botleneck"; did you mean "bottleneck"\?; available: '):
        live_page_data(document, [], "botleneck")
    with pytest.raises(PenstockError, match="4 are too many"):
        live_page_data(document, ["pi"] * 4, None)
    with pytest.raises(PenstockError, match='schemes="wfq"'):
        live_page_data(document, ["wfq"], None)
    with pytest.raises(ScenarioError, match=r'schemes="red:max_p=3": links.bottleneck.queue.max_p = 3'):
        live_page_data(document, ["red:max_p=3"], None)
