"""Files, figures and pages of a store: the same numbers as those of the runs, and one line for a mistake."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from matplotlib.figure import Figure
from penstock import _native
from penstock.cli.app import app
from penstock.errors import PenstockError
from penstock.plots import metric_by_axis
from penstock.results.estimate import summarize
from penstock.results.summary_table import SummaryPoint, SummaryTable
from penstock.studies.database import Database
from penstock.studies.store_table import StoreTable, parse_choices
from penstock.studies.stored_runs import stored_runs
from typer.testing import CliRunner

from .small_store import FLOW_COUNT, FLOWS, RTT, RTTS, SCHEMES, SEEDS, delay, write
from .test_cli import ROOT

DELAY = "links.bottleneck.delay_mean_s"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("stores") / "results")


@pytest.fixture(scope="module")
def two_studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write(tmp_path_factory.mktemp("stores") / "results")
    return write(folder, "second", ("droptail",))


def run(*arguments: object) -> tuple[int, str]:
    """The exit code of a command and its messages."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.stdout == ""
    return result.exit_code, result.stderr


def table(store: Path, *where: str, study: str | None = None) -> StoreTable:
    return StoreTable(Database(store), study, parse_choices(where))


def test_the_cells_of_a_store_have_its_runs(store: Path) -> None:
    contents = table(store)
    assert contents.axes == ["scheme", RTT, FLOW_COUNT]
    assert contents.cells() == len(SCHEMES) * len(FLOWS) * len(RTTS)
    cells = contents.read([DELAY])
    assert cells.axes() == {"scheme": list(SCHEMES), RTT: list(RTTS), FLOW_COUNT: list(FLOWS)}
    for labels, samples in cells.cells:
        expected = [delay(labels["scheme"], labels[FLOW_COUNT], labels[RTT], seed) for seed in SEEDS]
        assert samples[DELAY].values.tolist() == expected
        assert samples[DELAY].summary == summarize(expected)


def test_a_run_without_a_number_is_left_out(store: Path) -> None:
    cells = table(store).read(["links.bottleneck.marks"])
    assert cells("links.bottleneck.marks", scheme=SCHEMES[0], **{RTT: "10ms", FLOW_COUNT: 25}).summary is None
    assert cells("links.bottleneck.marks", scheme=SCHEMES[1], **{RTT: "10ms", FLOW_COUNT: 25}).mean == 3


@pytest.mark.parametrize(
    ("where", "cells"),
    [
        (("scheme=droptail",), 9),
        (("count=25", "count=50.0", "right.delay=2s"), 4),
        (("links.right.delay=10ms",), 6),
        (("links.left.rate=10Mbit", "count=100"), 6),
        (("seed=1",), 18),
        ((f"meaning={_native.meaning}", "study=first"), 18),
    ],
)
def test_where_chooses_by_label_by_fact_or_by_key_of_the_scenario(
    store: Path, where: tuple[str, ...], cells: int
) -> None:
    assert table(store, *where).cells() == cells


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("scheme", "is not PATH=VALUE"),
        ("scheme=pie", "no run has scheme = pie; available: droptail, red:gentle=true"),
        ("right.delay=20ms", "available: 10ms, 50ms, 2s"),
        ("count=many", "values of traffic.extra.count are numbers"),
        ("durtion=1s", 'did you mean "duration"?'),
        ("duration=1s", "one has 100s"),
        ("right.dealy=10ms", 'did you mean "links.right.delay"?'),
    ],
)
def test_a_wrong_choice_lists_the_values(store: Path, where: str, message: str) -> None:
    with pytest.raises(PenstockError) as error:
        table(store, where)
    assert message in str(error.value)


def test_one_of_several_studies_must_be_named(two_studies: Path) -> None:
    with pytest.raises(PenstockError, match="2 studies; choose one with --study: first, second"):
        table(two_studies)
    assert table(two_studies, study="second").cells() == 9
    with pytest.raises(PenstockError, match='did you mean "second"'):
        table(two_studies, study="secnd")


def test_runs_that_differ_in_no_label_are_not_averaged(tmp_path: Path) -> None:
    from penstock.studies.store import Store

    from .rows import Row, put

    for length in ("10s", "20s"):
        result = {"seed": 1, "links": {"a": {"drops": 1}}, "traffic": {}}
        scenario = json.dumps({"duration": length, "links": {"a": {"rate": "1Mbit"}}})
        put(Store(tmp_path), [Row(length, 1, json.dumps(result), {"scheme": "red"}, "s")], {length: scenario})
    with pytest.raises(PenstockError, match=r"the same labels that differ in other settings.*duration \(10s, 20s\)"):
        table(tmp_path).read(["links.a.drops"])
    assert table(tmp_path, "duration=10s").read(["links.a.drops"]).runs == 1


def test_schemes_are_in_the_order_of_the_study(tmp_path: Path) -> None:
    """Those that a later study of the same name lists first, then the others; by name where the order is not known."""
    scenario = str(ROOT / "scenarios/thesis_link.toml")

    def order_after(*schemes: str) -> list[Any]:
        options = ["compare", scenario, "--set", "duration=5s", "--runs", "1", "--store", str(tmp_path)]
        result = CliRunner().invoke(app, options + [part for scheme in schemes for part in ("--scheme", scheme)])
        assert result.exit_code == 0, result.stderr
        return list(table(tmp_path).read([DELAY]).axis("scheme"))

    assert order_after("red:min_th=3", "codel", "droptail") == ["red:min_th=3", "codel", "droptail"]
    page = stored_runs(table(tmp_path)).to_dict()
    assert list(dict.fromkeys(row["scheme"] for row in page["rows"])) == ["red", "codel", "droptail"]
    assert {row["against"] for row in page["differences"]} == {"red"}
    assert order_after("pie", "codel") == ["pie", "codel", "red:min_th=3", "droptail"]
    (file,) = (tmp_path / "orders").iterdir()
    file.write_text("{")
    assert table(tmp_path).read([DELAY]).axis("scheme") == ["codel", "droptail", "pie", "red:min_th=3"]


def test_runs_that_an_earlier_comparison_made_have_their_place_on_later_axes(tmp_path: Path) -> None:
    scenario = str(ROOT / "scenarios/thesis_link.toml")
    options = ("compare", scenario, "--set", "duration=5s", "--scheme", "red", "--runs", "2")
    for swept in ((), ("--vary", "links.bottleneck.queue.limit=20p,35p,70p")):
        result = CliRunner().invoke(app, [*options, *swept, "--store", str(tmp_path)])
        assert result.exit_code == 0, result.stderr
    limit = "links.bottleneck.queue.limit"
    assert len(ask_store(tmp_path, f'SELECT seed FROM runs WHERE "{limit}" IS NULL')) == 2
    later = f"thesis link by {limit}"
    contents = StoreTable(Database(tmp_path), later)
    assert contents.axes == ["scheme", limit]
    cells = contents.read([DELAY])
    assert cells.axis(limit) == ["20p", "35p", "70p"]
    assert all(np.isfinite(samples[DELAY].values).tolist() == [True, True] for _, samples in cells.cells)
    assert StoreTable(Database(tmp_path), later, parse_choices(["queue.limit=35p"])).read([DELAY]).runs == 2


def ask_store(store: Path, sql: str) -> list[tuple[Any, ...]]:
    with Database(store) as database:
        return list(database.ask(sql).rows)


def rows_of(file: Path) -> list[dict[str, Any]]:
    with duckdb.connect() as base:
        query = base.execute(f"SELECT * FROM '{file}'")
        names = [str(name) for name, *_ in query.description or ()]
        return [dict(zip(names, row, strict=True)) for row in query.fetchall()]


def test_an_exported_store_has_every_run_in_order(store: Path, tmp_path: Path) -> None:
    for kind in ("csv", "parquet"):
        file = tmp_path / f"runs.{kind}"
        assert run("results", store, "-o", file) == (0, f"runs: {file}\n")
        rows = rows_of(file)
        keys = [(row["scheme"], row[RTT], row[FLOW_COUNT], row["seed"]) for row in rows]
        assert keys == sorted(keys)
        assert len(rows) == len(set(keys)) == len(SCHEMES) * len(FLOWS) * len(RTTS) * len(SEEDS)
        assert all(row[DELAY] == delay(*key[:1], key[2], key[1], key[3]) for row, key in zip(rows, keys, strict=True))
    assert rows_of(tmp_path / "runs.parquet")[0]["links.bottleneck.length_pmf"] == [0.5, 0.25, 0.25]
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["runs.csv", "runs.parquet"]


def test_export_of_one_study(two_studies: Path, tmp_path: Path) -> None:
    assert run("results", two_studies, "-o", tmp_path / "all.parquet")[0] == 0
    assert len(rows_of(tmp_path / "all.parquet")) == 108
    assert run("results", two_studies, "--study", "second", "-o", tmp_path / "one.parquet")[0] == 0
    assert len(rows_of(tmp_path / "one.parquet")) == 36


def test_export_of_a_run_has_its_numbers(tmp_path: Path) -> None:
    result = {
        "penstock": "0", "scenario": {}, "seed": 7, "events": 10, "cpu_s": 0.1,
        "links": {"a.reverse": {"drops": 3, "delay_mean_s": 0.1 + 0.2, "length_pmf": [0.25, 0.75], "x": None}},
        "traffic": {"it's": {"count": 2, "flows": [{}]}}, "fairness": {"jain": 0.5},
    }  # fmt: skip
    source = tmp_path / "result.json"
    source.write_text(json.dumps(result))
    assert run("results", source, "-o", tmp_path / "run.parquet")[0] == 0
    assert rows_of(tmp_path / "run.parquet") == [{
        "seed": 7, "penstock": "0", "events": 10, "cpu_s": 0.1, "links.a.reverse.drops": 3,
        "links.a.reverse.delay_mean_s": 0.1 + 0.2, "links.a.reverse.length_pmf": [0.25, 0.75],
        "links.a.reverse.x": None, "traffic.it's.count": 2, "fairness.jain": 0.5,
    }]  # fmt: skip
    assert run("results", source, "-o", tmp_path / "run.csv")[0] == 0
    with (tmp_path / "run.csv").open() as lines:
        assert next(csv.DictReader(lines))["links.a.reverse.delay_mean_s"] == "0.30000000000000004"


def test_export_says_what_it_cannot_do(store: Path, tmp_path: Path) -> None:
    means = tmp_path / "means.json"
    means.write_text(json.dumps({"scenario": {}, "rows": []}))
    code, message = run("results", means, "-o", tmp_path / "x.csv")
    assert code == 2
    assert "contains means, not single runs" in message
    code, message = run("results", store, "-o", tmp_path / "x.txt")
    assert (code, "the file must end in .html" in message) == (2, True)
    code, message = run("results", tmp_path / "nothing", "-o", tmp_path / "x.csv")
    assert (code, "no such folder" in message) == (2, True)
    assert [file.name for file in tmp_path.iterdir()] == ["means.json"]


@pytest.mark.parametrize(
    "damage", [{"links": 3}, {"links": {"a": 3}}, {"links": {"a": {"drops": [[1]]}}}, {"links": {"a": {"drops": {}}}}]
)
def test_export_of_a_damaged_result_is_refused(tmp_path: Path, damage: dict[str, Any]) -> None:
    source = tmp_path / "result.json"
    source.write_text(json.dumps({"scenario": {}, "traffic": {}, **damage}))
    code, message = run("results", source, "-o", tmp_path / "x.csv")
    assert (code, str(source) in message, list(tmp_path.iterdir())) == (2, True, [source])


@pytest.mark.parametrize("rows", [3, [3], [{}], [{"metric": "m", "mean": None, "ci95": None, "runs": 2}]])
def test_a_figure_of_a_damaged_result_is_refused(tmp_path: Path, rows: object) -> None:
    heads: tuple[dict[str, Any], ...] = ({"study": "s", "scenario": {}}, {"scenario": {}})
    for head in heads:
        source = tmp_path / "result.json"
        source.write_text(json.dumps({**head, "rows": rows}))
        code, message = run("results", source, "--x", "flows", "--y", "m", "-o", tmp_path / "x.pdf")
        assert (code, str(source) in message, list(tmp_path.iterdir())) == (2, True, [source])


def test_export_to_a_full_disk_leaves_nothing(store: Path) -> None:
    if Path("/dev/full").exists():
        code, message = run("results", store, "-o", "/dev/full")
        assert code == 2
        code, message = run("results", store, "-o", "/proc/none.csv")
        assert code == 2
        assert "none.csv" in message


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_a_figure_is_written_in_every_format_with_the_same_bytes(store: Path, tmp_path: Path, kind: str) -> None:
    files = [tmp_path / f"{number}.{kind}" for number in range(2)]
    for file in files:
        axes = ("--x", "right.delay", "--y", "delay_mean_s", "--panel", "count", "--width", "double")
        assert run("results", store, *axes, "-o", file) == (0, f"figure: {file}\n")
    assert files[0].read_bytes() == files[1].read_bytes()


def delay_table(store: Path, *where: str) -> SummaryTable:
    cells = table(store, *where).read([DELAY]).cells
    summaries = [(labels, samples[DELAY].summary) for labels, samples in cells]
    return SummaryTable(
        (labels, {DELAY: SummaryPoint(s.mean, s.half_width)}) for labels, s in summaries if s is not None
    )


def drawn(figure: Figure, panel: int = 0) -> list[tuple[list[float], list[float]]]:
    """The points of each curve."""
    curves = figure.axes[panel].lines[::2]  # each is followed by its intervals
    return [(np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist()) for line in curves]


def test_a_figure_shows_the_means_and_intervals_of_the_runs(store: Path) -> None:
    figure = metric_by_axis.draw(delay_table(store, "right.delay=10ms"), FLOW_COUNT, DELAY, "scheme")
    for (xs, ys), scheme in zip(drawn(figure), SCHEMES, strict=True):
        assert xs == list(FLOWS)
        runs = [[delay(scheme, flows, "10ms", seed) for seed in SEEDS] for flows in FLOWS]
        np.testing.assert_allclose(ys, [1e3 * summarize(values).mean for values in runs], rtol=1e-12)
    bars = np.asarray(figure.axes[0].lines[1].get_ydata())  # low, high and a gap of each point
    low, high = summarize([delay(SCHEMES[0], 25, "10ms", seed) for seed in SEEDS]).ci95 or (0, 0)
    np.testing.assert_allclose(bars[:3], [1e3 * low, 1e3 * high, math.nan], rtol=1e-12)
    assert figure.axes[0].get_ylabel() == "Queueing delay, mean (ms)"
    assert figure.get_figwidth() == 3.5


def test_the_x_axis_is_logarithmic_beyond_two_decades(store: Path) -> None:
    figure = metric_by_axis.draw(delay_table(store), RTT, DELAY, "scheme", FLOW_COUNT, width="double")
    assert figure.get_figwidth() == 7.2
    assert [ax.get_xscale() for ax in figure.axes] == ["log"] * 3
    assert [ax.get_title() for ax in figure.axes] == [f"{flows} extra flows" for flows in FLOWS]
    assert figure.axes[0].get_xlabel() == "right delay (ms)"
    assert drawn(figure)[0][0] == [10, 50, 2000]
    figure = metric_by_axis.draw(delay_table(store), FLOW_COUNT, DELAY, "scheme", RTT)
    assert figure.axes[0].get_xscale() == "linear"


def test_panels_have_the_same_axes_even_where_points_are_missing(store: Path) -> None:
    cells = [cell for cell in delay_table(store).cells if cell[0][FLOW_COUNT] != 100 or cell[0][RTT] != "10ms"]
    figure = metric_by_axis.draw(SummaryTable(cells), FLOW_COUNT, DELAY, "scheme", RTT)
    assert len(drawn(figure)[0][0]) == 2
    assert len({ax.get_xlim() for ax in figure.axes}) == len({ax.get_ylim() for ax in figure.axes}) == 1


def test_a_study_is_drawn_from_its_store_and_from_its_json(tmp_path: Path) -> None:
    base = ROOT / "scenarios/thesis_link.toml"
    study = tmp_path / "buffers.toml"
    study.write_text(
        f'name = "buffers"\nbase = "{base}"\nschemes = ["droptail", "red"]\nseeds = 2\n'
        'metrics = ["delay_mean_s"]\n[axes]\n"duration" = ["5s", "6s"]\n'
        'flows = { path = "traffic.extra.count", values = [5, 25] }\n'
    )
    result, results = tmp_path / "result.json", tmp_path / "results"
    process_result = CliRunner().invoke(app, ["compare", str(study), "--store", str(results), "--json", str(result)])
    assert process_result.exit_code == 0, process_result.stderr
    assert table(results).axes == ["duration", "flows", "scheme"]
    files = [tmp_path / "one.svg", tmp_path / "other.svg"]
    for source, file in zip((results, result), files, strict=True):
        axes = ("--x", "flows", "--y", "delay_mean_s", "--panel", "duration", "-o", file)
        assert run("results", source, *axes)[0] == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert run("results", results, "-o", tmp_path / "page.html")[0] == 0


def test_names_on_the_x_axis_are_not_connected(store: Path) -> None:
    figure = metric_by_axis.draw(delay_table(store, "right.delay=10ms"), "scheme", DELAY, FLOW_COUNT)
    ax = figure.axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == list(SCHEMES)
    assert {curve.get_linestyle() for curve in ax.lines[::2]} == {"None"}
    places = [xs for xs, _ in drawn(figure)]
    assert len({x for xs in places for x in xs}) == len(SCHEMES) * len(FLOWS)


def test_the_y_axis_begins_at_zero_unless_values_are_close() -> None:
    def bottom(*means: float) -> float:
        cells = [({"n": at}, {"links.a.utilization": SummaryPoint(mean, None)}) for at, mean in enumerate(means)]
        return float(metric_by_axis.draw(SummaryTable(cells), "n", "links.a.utilization").axes[0].get_ylim()[0])

    assert bottom(0.1, 0.9) == 0
    assert bottom(0.96, 0.98) > 90


def test_whole_numbers_have_whole_ticks() -> None:
    cells = [({"flows": at}, {"links.a.utilization": SummaryPoint(0.5, None)}) for at in range(1, 13)]
    figure = metric_by_axis.draw(SummaryTable(cells), "flows", "links.a.utilization")
    ticks = [float(tick) for tick in figure.axes[0].get_xticks()]
    assert len(ticks) > 2
    assert all(tick.is_integer() for tick in ticks)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (("--x", "count", "--y", "delay_mean_s"), "several cells at one point"),
        (("--x", "cuont", "--y", "delay_mean_s"), 'no axis "cuont"; did you mean "count"?'),
        (("--x", "count", "--y", "dely_mean_s"), 'no metric "dely_mean_s"; did you mean "delay_mean_s"?'),
        (("--x", "count", "--y", "loss_rate"), "may be any of 2 columns"),
        (("--x", "count", "--y", "delay_mean_s", "--by", "count"), "must name different axes"),
        (("--x", "count", "--y", "delay_mean_s", "--where", "scheme=pie"), "available: droptail"),
    ],
)
def test_a_figure_that_cannot_be_drawn_says_why(
    store: Path, tmp_path: Path, options: tuple[str, ...], fragment: str
) -> None:
    code, message = run("results", store, *options, "-o", tmp_path / "x.pdf")
    assert (code, list(tmp_path.iterdir())) == (2, [])
    assert fragment in message


def test_a_figure_ends_in_the_name_of_its_format(store: Path, tmp_path: Path) -> None:
    code, message = run("results", store, "--x", "count", "--y", "delay_mean_s", "-o", tmp_path / "x.bmp")
    assert (code, "the file must end in .html" in message) == (2, True)


def test_a_comparison_is_the_same_from_its_store_and_from_its_json(tmp_path: Path) -> None:
    result, store = tmp_path / "result.json", tmp_path / "results"
    schemes = ("--scheme", "codel", "--scheme", "droptail", "--scheme", "red:gentle=true")
    swept = ("--vary", "traffic.extra.count=5,25", "--vary", "links.bottleneck.queue.limit=20p,35p", "--runs", "3")
    options = ("--set", "duration=6s", *schemes, *swept, "--store", store, "--json", result)
    process_result = CliRunner().invoke(app, ["compare", str(ROOT / "scenarios/thesis_link.toml"), *map(str, options)])
    assert process_result.exit_code == 0, process_result.stderr
    written = json.loads(result.read_text())
    with Database(store) as database:
        from_store = stored_runs(StoreTable(database)).to_dict()
    for part in ("rows", "differences"):
        assert sorted(map(key, from_store[part])) == sorted(map(key, written[part]))
        assert len(written[part]) > 100
    figures = [tmp_path / "one.svg", tmp_path / "other.svg"]
    for source, file in zip((store, result), figures, strict=True):
        drawing = ("--x", "queue.limit", "--y", "delay_mean_s", "--panel", "extra.count", "-o", file)
        assert run("results", source, *drawing)[0] == 0
    assert figures[0].read_bytes() == figures[1].read_bytes()
    assert run("results", store, "-o", tmp_path / "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert "red:gentle=true" in page


def key(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


def test_a_page_of_a_store_needs_one_study_of_moderate_size(
    two_studies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, message = run("results", two_studies, "-o", tmp_path / "page.html")
    assert (code, "choose one with --study: first, second" in message) == (2, True)
    assert run("results", two_studies, "--study", "first", "-o", tmp_path / "page.html")[0] == 0
    monkeypatch.setattr("penstock.studies.stored_runs.MAX_CELLS", 10)
    code, message = run("results", two_studies, "--study", "first", "-o", tmp_path / "page.html")
    assert code == 2
    assert "has 18 cells; a page has at most 10. Select some with --where" in message
    chosen = ("--study", "first", "--where", "count=25")
    assert run("results", two_studies, *chosen, "-o", tmp_path / "page.html")[0] == 0
