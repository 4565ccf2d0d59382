"""The page: complete, honest, self-contained, and without an error in a browser."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from hypothesis import given
from hypothesis import strategies as st
from penstock.report import page as report
from penstock.report.chart_data import SERIES_POINTS, decimated_series
from penstock.report.view import leading_schemes_summary, short_labels
from penstock.results.best_candidate import leading_candidates
from penstock.results.comparison import Comparison
from penstock.results.display import display_unit
from penstock.results.estimate import Estimate
from penstock.results.metrics import find_metric
from penstock.results.sweep import horizontal_axis
from penstock.studies.over_time import record_over_time
from playwright.sync_api import Page

from .browser import needs_chromium
from .fake_result import SCHEMES, compare_result, grid_result, means_alone, run_result

ROOT = Path(__file__).resolve().parents[2]
VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
    "path",
    "rect",
    "use",
}


class Outline(HTMLParser):
    """Collects what a page loads, and complains about elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [value or "" for name, value in attrs if name in {"src", "href", "srcset", "data", "poster"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.text.append(data)


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


@pytest.fixture(scope="module")
def page() -> str:
    return report.render(compare_result())


@pytest.mark.parametrize(
    "made",
    [
        compare_result,
        partial(compare_result, runs=1),
        partial(compare_result, vary=False),
        partial(compare_result, series=False),
        run_result,
    ],
    ids=["compare", "one run each", "nothing swept", "no series", "a run"],
)
def test_a_page_is_well_formed_and_loads_nothing(made: Callable[[], dict[str, Any]]) -> None:
    page = report.render(made())
    assert [source for source in outline(page).loads if not source.startswith("#mk")] == []  # but for its own markers
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.S))
    assert "url(" not in style
    assert "@import" not in style


def test_a_page_of_real_runs_says_so_and_whether_they_count() -> None:
    late = {"p50_s": 1e-5, "p99_s": 1e-4, "max_s": 1e-3}
    run = {**run_result(), "lateness": late, "valid": True, "invalid_because": []}
    sentence = "Measured on a real link with the TCP of this machine"
    assert f"{sentence}: 99 % of the packets left it at most 100us late." in report.render(run)
    invalid = {**run, "valid": False, "invalid_because": ["3 packets were lost before the queue"]}
    assert "The run is invalid, its numbers do not count: 3 packets were lost" in report.render(invalid)
    assert sentence not in report.render(run_result())
    compared = compare_result()
    real = [{**row, "on": "link"} for row in compared["rows"]]
    page = report.render({**compared, "rows": real})
    assert f"{sentence}." in page
    assert "--on link" in page
    assert "--on link" in report.render(run)
    assert "--on link" not in report.render(run_result())


def test_a_page_has_every_scheme_and_every_metric(page: str) -> None:
    text = " ".join(outline(page).text)
    for name, _ in SCHEMES:
        assert name in text
    assert "gentle" in text
    for row in compare_result()["rows"]:
        assert row["metric"].partition("[")[0] in text
        assert row["place"] in text


def test_a_page_tells_how_to_get_the_numbers_again(page: str) -> None:
    text = "".join(outline(page).text)
    assert "penstock compare thesis-link.toml" in text
    assert "--scheme red:min_th=5,max_th=15,gentle=true" in text
    assert "--vary traffic.extra.count=0,25,50,100" in text
    assert "--runs 30" in text
    assert 'rate = "1.5Mbit"' in text
    assert "1–30" in text
    assert "Given: target=10p, max_p_high=0.75; defaults otherwise." in text


def test_the_page_of_the_demo_is_small(page: str) -> None:
    assert len(page.encode()) < 3_000_000


def test_a_result_gives_the_same_page_each_time(page: str) -> None:
    assert report.render(compare_result()) == page


def test_one_run_says_that_it_has_no_interval_and_marks_nobody() -> None:
    page = report.render(compare_result(runs=1))
    assert "no interval" in page
    assert 'class="num best"' not in page
    assert "no interval" in report.render(run_result())


def test_text_of_a_scenario_cannot_break_out_of_the_page() -> None:
    result = compare_result()
    result["scenario"]["name"] = "</script><script>alert(1)</script>"
    for row in result["rows"]:
        row["place"] = row["place"].replace("bottleneck", "<b>neck")
    assert "<script>alert" not in report.render(result)
    outline(report.render(result))


def test_the_charts_have_the_numbers_of_the_result(page: str) -> None:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert match
    data = json.loads(match.group(1))
    place = next(p for p in data["places"] if p["name"] == "bottleneck")
    drawn = next(m for m in place["metrics"] if m["name"] == "delay_mean_s")
    row = next(r for r in compare_result()["rows"] if r["metric"] == "delay_mean_s" and r["place"] == "bottleneck")
    assert drawn["unit"] == "ms"
    assert drawn["mean"][0][0] == pytest.approx(row["mean"] * 1e3, rel=1e-4)
    assert data["series"]
    assert all(len(data["times"][e["links"]["bottleneck"]["t"]]) <= SERIES_POINTS for e in data["series"])


def test_decimated_series_keep_their_extremes() -> None:
    series = compare_result()["series"][0]["links"]["bottleneck"]
    short = decimated_series(series)
    assert max(short["queue"]["max"]) == max(series["queue"]["max"])
    assert min(short["queue"]["min"]) == min(series["queue"]["min"])


def cell(mean: float, half: float | None) -> Estimate:
    return Estimate(mean, None, None if half is None else (mean - half, mean + half), 30)


def test_the_best_is_marked_only_where_the_intervals_separate_it() -> None:
    assert leading_candidates([cell(1, 0.1), cell(2, 0.1), cell(3, 0.1)], "lower", {}) == ["best", "", ""]
    assert leading_candidates([cell(1, 0.1), cell(2, 0.1), cell(3, 0.1)], "higher", {}) == ["", "", "best"]
    assert leading_candidates([cell(1, 0.6), cell(2, 0.6), cell(9, 0.1)], "lower", {}) == ["shared", "shared", ""]
    assert leading_candidates([cell(1, 5), cell(2, 5)], "lower", {}) == ["", ""]
    assert leading_candidates([cell(1, 0.1), cell(2, 0.1)], "", {}) == ["", ""]
    assert leading_candidates([cell(1, None), cell(2, None)], "lower", {}) == ["", ""]


def test_a_paired_difference_overrules_overlapping_intervals() -> None:
    cells = [cell(1, 0.6), cell(2, 0.6), cell(9, 0.1)]
    assert leading_candidates(cells, "lower", {(0, 1): (-1.2, -0.8), (1, 0): (0.8, 1.2)}) == ["best", "", ""]
    assert leading_candidates(cells, "lower", {(0, 1): (-1.2, 0.1), (1, 0): (-0.1, 1.2)}) == ["shared", "shared", ""]


def test_schemes_of_one_name_are_told_apart_by_what_differs() -> None:
    comparison = Comparison(compare_result())
    assert [s.label for s in comparison.schemes] == [
        "droptail",
        "red",
        "red gentle",
        "ared-feng",
        "ared-floyd",
        "psand",
    ]
    assert comparison.schemes[2].title == "Random Early Detection, gentle"
    assert comparison.schemes[2].argument == "red:min_th=5,max_th=15,gentle=true"


def test_long_labels_become_letters_with_a_key() -> None:
    result = means_alone(compare_result())
    for row in result["rows"]:
        if row["scheme"] == "red" and "gentle" in row["params"]:
            row["params"] = {**row["params"], "max_p": 0.02, "w_q": 0.002}
    del result["series"]
    comparison = Comparison(result)
    assert short_labels(comparison.schemes) == ["droptail", "red", "red A", "ared-feng", "ared-floyd", "psand"]
    page = report.render(result)
    assert "<b>red A</b><span>red gentle, max_p=0.02, w_q=0.002</span>" in page
    heads = re.findall(r'<th scope="col" title="[^"]*">(.*?)</th>', page)
    assert heads
    assert not [head for head in heads if "w_q" in head]


def test_the_best_schemes_of_many_settings_are_counted() -> None:
    few, many = report.render(compare_result()), report.render(grid_result())
    assert '<th scope="col">100 extra flows</th>' in few
    assert 'At <span class="setting">bottleneck rate 2 Mbit/s, 0 extra flows</span>' in many
    comparison = Comparison(grid_result())
    rows = {row["metric"].name: row for row in leading_schemes_summary(comparison, "bottleneck")}
    for name, row in rows.items():
        fronts = [
            [scheme for scheme, lead in enumerate(comparison.leading_schemes(point, "bottleneck", name)) if lead]
            for point in range(len(comparison.points))
        ]
        clear = [front for front in fronts if 0 < len(front) <= len(comparison.schemes) / 2]
        assert row["unclear"] == len(fronts) - len(clear)
        assert {count["scheme"]: (count["alone"], count["all"]) for count in row["counts"]} == {
            scheme: (clear.count([scheme]), sum(scheme in front for front in clear))
            for front in clear
            for scheme in front
        }
    assert any(count["alone"] for row in rows.values() for count in row["counts"])


def test_of_several_swept_paths_one_is_the_axis() -> None:
    result = means_alone(compare_result())
    for row in result["rows"]:
        row["vary"] = {"links.bottleneck.rate": "2Mbit", **row["vary"]}
    result["rows"] += [{**row, "vary": {**row["vary"], "links.bottleneck.rate": "4Mbit"}} for row in result["rows"]]
    comparison = Comparison(result)
    path, lines = horizontal_axis(comparison.points)
    assert path == "traffic.extra.count"
    assert [label for label, _ in lines] == ["bottleneck.rate = 2Mbit", "bottleneck.rate = 4Mbit"]
    outline(report.render(result))


def test_units_follow_the_size_of_the_numbers() -> None:
    assert display_unit("time", [0.12, 0.01]).unit == "ms"
    assert display_unit("time", [0.0]).unit == "ms"
    assert display_unit("time", [3.0]).unit == "s"
    assert display_unit("rate", [1.4e6]).unit == "Mbit/s"
    assert display_unit("share", [0.01]).unit == "%"


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize(("kind", "dark"), [("compare", False), ("run", True), ("nothing swept", True)])
def test_a_browser_draws_the_page_without_an_error(kind: str, dark: bool, tmp_path: Path, tab: Page) -> None:
    result = run_result() if kind == "run" else compare_result(vary=kind == "compare")
    file = tmp_path / "page.html"
    file.write_text(report.render(result), encoding="utf-8")
    tab.emulate_media(color_scheme="dark" if dark else "light")
    tab.goto(file.as_uri())
    charts = {"compare": 1 + 6 + 9 + 2, "run": 2, "nothing swept": 1 + 6 + 2}[kind]
    assert tab.locator("figure.card").count() >= charts
    assert tab.locator("svg[class^=plot]").count() >= charts


def test_shares_of_a_distribution_make_one_chart_and_no_rows(page: str) -> None:
    text = " ".join(outline(page).text)
    assert "length_pmf[" not in text
    comparison = Comparison(compare_result())
    assert "length_pmf[0]" not in comparison.metrics["bottleneck"]
    assert sum(c.mean for c in comparison.distributions[0, 0, "bottleneck", "length_pmf"].values()) == pytest.approx(1)


def test_a_distribution_in_bins_is_drawn_as_wide_as_it_is() -> None:
    result = compare_result()
    for row in result["rows"]:
        share = re.fullmatch(r"length_pmf\[(\d+)\]", row["metric"])
        if share:
            row["metric"] = f"length_pmf[{3 * int(share[1])}..{3 * int(share[1]) + 2}]"
            row["runs"] = 12
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', report.render(result), re.S)
    assert match
    place = next(p for p in json.loads(match.group(1))["places"] if p["name"] == "bottleneck")
    drawn = next(d for d in place["distributions"] if d["name"] == "length_pmf")
    assert (drawn["first"], drawn["width"], drawn["runs"][0][0]) == (0, 3, 12)
    assert sum(drawn["mean"][0][0]) == pytest.approx(100, abs=1)


@given(
    low=st.floats(-0.5, 1.2),
    width=st.floats(0, 1),
    name=st.sampled_from(["loss_rate", "jain", "utilization", "delay_mean_s", "goodput_bps", "mos"]),
)
def test_no_interval_goes_beyond_what_is_possible(low: float, width: float, name: str) -> None:
    about, high = find_metric(name), low + width
    start, end = about.possible(low, high)
    assert low <= start <= end <= high
    if name != "mos" and high >= 0:
        assert start >= 0
    if name in ("loss_rate", "jain", "utilization") and low <= 1:
        assert end <= 1
    if low >= 0 and high <= 1:
        assert (start, end) == (low, high)


def test_the_headline_is_about_the_busiest_link_which_stands_first() -> None:
    result = compare_result()
    comparison = Comparison(result)
    assert comparison.places[:2] == ["bottleneck", "bottleneck.reverse"]
    assert comparison.conclusion.startswith(
        "The lowest 99th percentile of the delay within 2 points of the highest utilization: "
    )
    assert "bottleneck (the busiest link) at 0 extra flows: " in comparison.conclusion
    text = repr(comparison)
    assert "bottleneck: mean ±" in text
    assert "bottleneck.reverse: mean ±" in text


def test_the_charts_cut_intervals_at_what_is_possible() -> None:
    result = compare_result()
    for row in result["rows"]:
        if row["metric"] == "utilization":
            row.update(mean=0.99, ci95=[0.95, 1.03])
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', report.render(result), re.S)
    assert match
    place = next(p for p in json.loads(match.group(1))["places"] if p["name"] == "bottleneck")
    drawn = next(m for m in place["metrics"] if m["name"] == "utilization")
    assert (drawn["low"][0][0], drawn["mean"][0][0], drawn["high"][0][0]) == (95, 99, 100)


def test_the_libraries_of_the_charts_are_those_of_the_lock_file() -> None:
    """`make charts` builds them; their licences stand at the head of what each page has."""
    lock = json.loads((ROOT / "tools" / "charts" / "package-lock.json").read_text())["packages"]
    head = (ROOT / "python/penstock/report/templates/vendor/charts.js").read_text().partition("*/")[0]
    built = re.findall(r"^(\S+) ([0-9.]+) \((?:ISC|BSD-3-Clause)\)$", head, re.M)
    assert {"@observablehq/plot", "d3-shape"} <= {name for name, _ in built}
    for name, version in built:
        assert lock[f"node_modules/{name}"]["version"] == version
    assert "PERMISSION" in head.upper()


def test_identical_runs_are_noted_once() -> None:
    result = compare_result()
    for row in result["rows"]:
        if row["scheme"] == "droptail":
            row["ci95"] = [row["mean"], row["mean"]]
    text = " ".join(outline(report.render(result)).text)
    assert (
        len(
            re.findall(
                r"These runs are identical for all seeds, because nothing in them is random:\s+droptail\s*\.", text
            )
        )
        == 1
    )


def test_a_place_without_numbers_says_so() -> None:
    result = compare_result()
    result["rows"] = [r for r in result["rows"] if r["place"] != "extra" or r["vary"]["traffic.extra.count"] > 0]
    assert "Nothing was measured here" in report.render(result)


def test_the_scenario_on_a_page_gives_the_same_numbers() -> None:
    link = ps.dumbbell(
        rate="2Mbit",
        rtt="40ms",
        duration="5s",
        queue=ps.Red(limit="30p"),
        traffic={"bulk": ps.Tcp(count=3, start={"uniform": ["0s", "1s"]})},
    )
    runs = ps.compare(link, [ps.DropTail(), ps.Red(gentle=True)], vary={"traffic.bulk.count": [2, 4]}, runs=2)
    page = report.render({**runs.to_dict(), "series": record_over_time(runs)})
    text = re.search(r'<pre id="scenario">(.*?)</pre>', page, re.S)
    assert text
    again = ps.Scenario.loads(html.unescape(text[1]))
    assert ps.run(again).raw["links"] == ps.run(link).raw["links"]


def test_a_swept_rate_stands_in_the_head_with_all_its_values() -> None:
    result = means_alone(compare_result())
    for row in result["rows"]:
        row["vary"] = {"links.bottleneck.rate": f"{1 + next(iter(row['vary'].values()))}Mbit"}
    del result["series"]
    assert "<dd>1, 26, 51, 101 Mbit/s</dd>" in report.render(result)
