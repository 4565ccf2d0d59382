"""Results as a user holds them: names, values, rows and data frames, and how a notebook shows them."""

from __future__ import annotations

import sys
import types
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.errors import MissingPackageError, UnknownNameError
from penstock.plots import delay_goodput, metric_vs_swept, queue_tail
from penstock.results.comparison import Comparison

from .fake_result import compare_result
from .test_scenario import small
from .test_study import GRID, measure

SWEEP = {"traffic.bulk.count": [1, 4]}


@pytest.fixture(scope="module")
def run() -> ps.Run:
    return ps.run(small())


@pytest.fixture(scope="module")
def swept() -> ps.Comparison:
    return ps.compare(small(), ["droptail", "red:gentle=true"], vary=SWEEP, runs=3)


def test_wrong_names_in_a_run_name_the_nearest(run: ps.Run) -> None:
    with pytest.raises(KeyError, match='no watched link "botleneck"; did you mean "bottleneck"'):
        run.links["botleneck"]
    with pytest.raises(KeyError, match='no traffic "blk"; did you mean "bulk"'):
        run.traffic["blk"]
    with pytest.raises(KeyError, match='no metric "utilisation"; did you mean "utilization"'):
        run.links["bottleneck"]["utilisation"]
    with pytest.raises(AttributeError, match='did you mean "utilization"'):
        _ = run.links["bottleneck"].utilisation
    assert not hasattr(run.links["bottleneck"], "utilisation")


def test_metrics_are_completed(run: ps.Run) -> None:
    metrics = run.links["bottleneck"]
    assert {"utilization", "delay_p99_s", "keys"} <= set(dir(metrics))
    assert "utilization" in metrics._ipython_key_completions_()
    assert run.links._ipython_key_completions_() == ["bottleneck"]


def test_the_measured_time_and_the_series_of_a_link() -> None:
    queue, traffic = ps.Red(limit="50p"), {"bulk": ps.Tcp(count=2)}
    link = ps.dumbbell(rate="10Mbit", rtt="20ms", duration="3s", warmup="500ms", queue=queue, traffic=traffic)
    run = ps.run(link, series=True)
    assert run.measured_s == 2.5
    seconds, average = run.over_time("bottleneck", "avg")
    assert len(seconds) == len(average) == len(run.series["bottleneck"]["t_ns"])
    assert seconds[-1] == pytest.approx(3)
    assert list(average) == run.series["bottleneck"]["avg"]["mean"]


def test_a_value_has_one_point_or_is_refused(swept: ps.Comparison) -> None:
    assert swept.value("droptail", "loss_rate", count=4)["vary"] == {"traffic.bulk.count": 4}
    by_path: dict[str, Any] = {"traffic.bulk.count": 4}
    assert swept.value("droptail", "loss_rate", **by_path)["runs"] == 3
    assert swept.value("red", "goodput_bps", count=1)["place"] == "bulk"
    with pytest.raises(ps.PenstockError, match=r"2 points of the sweep fit.*: bulk\.count = 1; bulk\.count = 4"):
        swept.value("droptail", "loss_rate")
    wrong: tuple[tuple[tuple[Any, ...], dict[str, Any], str], ...] = (
        (("drptail", "loss_rate"), {"count": 4}, 'no scheme "drptail"; did you mean "droptail"'),
        (("droptail", "los_rate"), {"count": 4}, 'no metric "los_rate"; did you mean "loss_rate"'),
        (("droptail", "loss_rate", "botleneck"), {"count": 4}, 'no place "botleneck"; did you mean "bottleneck"'),
        (("droptail", "loss_rate"), {"cuont": 4}, 'no swept key "cuont"; did you mean "count"'),
        (("droptail", "loss_rate"), {"count": 5}, 'no value of count "5"; there are: 1, 4'),
    )
    for arguments, vary, message in wrong:
        with pytest.raises(UnknownNameError, match=message):
            swept.value(*arguments, **vary)


def test_a_comparison_is_read_again_from_its_json(swept: ps.Comparison, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(swept.to_json(), encoding="utf-8")
    again = Comparison.load(tmp_path / "c.json")
    assert again.to_json() == swept.to_json()
    assert repr(again) == repr(swept)
    with pytest.raises(ps.PenstockError, match="the means over its runs, not the runs"):
        again.run_rows()


def test_rows_of_each_run(swept: ps.Comparison) -> None:
    rows = swept.run_rows()
    assert len(rows) == 2 * 2 * 3
    mine = [row for row in rows if row["scheme"] == "red:gentle=true" and row["traffic.bulk.count"] == 4]
    assert [row["seed"] for row in mine] == [1, 2, 3]
    link = small(queue=ps.Red(limit="100p", gentle=True)).replace("traffic.bulk.count", 4)
    assert [row["bottleneck.loss_rate"] for row in mine] == [
        ps.run(link, seed=seed).links["bottleneck"].loss_rate for seed in (1, 2, 3)
    ]


def test_rows_of_a_run_and_of_a_table(run: ps.Run) -> None:
    row = next(row for row in run.rows() if row["metric"] == "utilization")
    assert row == {
        "part": "links", "place": "bottleneck", "metric": "utilization",
        "value": run.links["bottleneck"].utilization,
    }  # fmt: skip
    assert [row["flow"] for row in run.flow_rows()] == [0, 1, 2]
    table = GRID.run(measure)
    assert len(table.rows()) == 8
    row = next(row for row in table.rows() if row["flows"] == 4 and row["scheme"] == "red" and row["metric"] == "delay")
    assert row["mean"] == table("delay", flows=4, scheme="red").mean
    assert [row["seed"] for row in table.run_rows()] == [1, 2] * 4
    assert table.run_rows()[-1]["delay"] == table("delay", flows=4, scheme="red").values[-1]


class _Frame:
    """Stands in for a data frame: it has the columns that it was made of."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        assert len({len(column) for column in columns.values()}) == 1
        self.columns = columns


def test_data_frames(swept: ps.Comparison, run: ps.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=_Frame))
    monkeypatch.setitem(sys.modules, "pyarrow", types.SimpleNamespace(table=_Frame))
    for result in (swept, GRID.run(measure)):
        for frame in (result.to_pandas(), result.to_arrow()):
            assert {"scheme", "metric", "mean", "sd", "ci95_low", "ci95_high", "runs"} <= set(frame.columns)
        for frame in (result.to_pandas(per_run=True), result.to_arrow(per_run=True)):
            assert {"scheme", "seed"} <= set(frame.columns)
            assert len({type(value) for value in frame.columns["seed"]}) == 1
    assert set(run.to_pandas().columns) == {"part", "place", "metric", "value"}
    assert {type(value) for value in run.to_arrow().columns["value"]} == {float}
    assert run.to_pandas(flows=True).columns["flow"] == [0, 1, 2]
    mixed = ps.compare(small(), ["red"], vary={"links.bottleneck.queue.limit": ["20p", 30]}, runs=1)
    assert set(mixed.to_arrow().columns["links.bottleneck.queue.limit"]) == {"20p", "30"}


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_a_missing_package_is_named(package: str, run: ps.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=f"{package} is not installed.*pip install {package}"):
        run.to_pandas() if package == "pandas" else run.to_arrow()


class _Outline(HTMLParser):
    """Counts elements and complains about those that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in ("br", "path", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "polyline"):
            assert self.open.pop() == tag


def test_a_notebook_shows_one_table_and_a_chart_of_each_metric(swept: ps.Comparison) -> None:
    shown = swept._repr_html_()
    seen = _Outline(shown).seen
    assert seen.count("table") == 1
    assert seen.count("svg") > 4
    assert seen.count("polyline") >= 2 * 4, "a line for each scheme, a panel for each metric"
    assert "paired difference to droptail" in shown
    assert "bulk.count" in shown
    still = _Outline(ps.compare(small(), ["droptail", "red"], runs=2)._repr_html_()).seen
    assert "polyline" not in still
    assert still.count("svg") > 4
    alone = _Outline(ps.compare(small(), ["red"], runs=1)._repr_html_()).seen
    assert alone.count("table") == 1


def test_a_notebook_shows_runs_metrics_and_tables(run: ps.Run) -> None:
    for shown in (run._repr_html_(), run.links["bottleneck"]._repr_html_(), GRID.run(measure)._repr_html_()):
        assert "table" in _Outline(shown).seen
        assert 'class="penstock"' in shown


def test_a_table_prints_its_cells() -> None:
    text = repr(GRID.run(measure))
    assert "4 cells, 8 runs" in text
    assert len([line for line in text.splitlines() if "droptail" in line]) == 2
    assert f"{GRID.run(measure)('delay', flows=4, scheme='red').mean:.4g}" in text


def test_one_scheme_needs_no_list() -> None:
    alone = ps.compare(small(), "red:max_p=0.2", runs=1)
    assert [scheme.argument for scheme in alone.schemes] == ["red:max_p=0.2"]
    assert ps.compare(small(), ps.DropTail(), runs=1, at="bottleneck").schemes[0].name == "droptail"


def test_a_path_is_a_scenario(tmp_path: Path) -> None:
    small().save(tmp_path / "s.toml")
    assert ps.run(str(tmp_path / "s.toml")).raw["links"] == ps.run(small()).raw["links"]
    assert ps.compare(tmp_path / "s.toml", "red", runs=1).rows == ps.compare(small(), "red", runs=1).rows
    with pytest.raises(ps.ScenarioError, match="no such file"):
        ps.run(str(tmp_path / "x.toml"))


def test_queues_and_traffic_are_said_shortly() -> None:
    long = ps.dumbbell(
        rate="5Mbit", rtt="20ms", duration="1s", queue=ps.Red(min_th=7, limit="50p"), traffic={"tcp": ps.Tcp(count=2)}
    )
    short = ps.dumbbell(
        rate="5Mbit", rtt="20ms", duration="1s", queue="red:min_th=7,limit=50p", traffic=ps.Tcp(count=2)
    )
    assert short.tree() == long.tree()
    assert (
        short.replace("links.bottleneck.queue.min_th", 8).tree()
        == long.replace("links.bottleneck.queue.min_th", 8).tree()
    )
    cbr = ps.Cbr(rate="1Mbit", packet="100B")
    several = ps.dumbbell(rate="5Mbit", rtt="20ms", traffic=[ps.Tcp(), cbr, ps.Tcp(count=3)])
    assert list(several.traffic) == ["tcp", "cbr", "tcp2"]
    assert list(ps.dumbbell(rate="5Mbit", rtt="20ms").traffic) == ["bulk"]
    with pytest.raises(ps.ScenarioError, match='did you mean "red"'):
        ps.run(ps.dumbbell(rate="5Mbit", rtt="20ms", queue="rde"))
    with pytest.raises(ps.PenstockError, match="traffic bulk: expected an element such as Tcp"):
        ps.dumbbell(rate="5Mbit", rtt="20ms", traffic={"bulk": "tcp"})  # type: ignore[dict-item]


def test_a_wrong_parameter_names_the_nearest() -> None:
    with pytest.raises(TypeError, match='Red has no parameter minth; did you mean "min_th"'):
        ps.Red(minth=5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match='Tcp has no parameter cuont; did you mean "count"'):
        ps.Tcp(cuont=5)  # type: ignore[call-arg]
    assert ps.Red(min_th=5).min_th == 5


def test_the_package_has_its_parts() -> None:
    assert ps.Store is not None
    assert ps.plots.queue_tail is queue_tail
    assert ps.reproduce.__name__ == "penstock.reproduce"
    assert {"Store", "plots", "reproduce"} <= set(dir(ps))


def test_figures_take_comparisons(swept: ps.Comparison) -> None:
    assert metric_vs_swept.draw(swept, "loss_rate").axes
    assert queue_tail.draw(swept, at={"count": 4}).axes
    assert delay_goodput.draw(swept, at={"count": 4}).axes
    for draw in (queue_tail.draw, delay_goodput.draw):
        with pytest.raises(ps.PenstockError, match="2 points of the sweep fit"):
            draw(swept)
    with pytest.raises(ValueError, match='no goodput_bps at blk; did you mean "bulk"'):
        delay_goodput.draw(swept, traffic="blk", at={"count": 4})


def test_a_figure_of_a_grid_names_the_other_paths() -> None:
    result = compare_result()
    for row in result["rows"]:
        row["vary"] = {**row["vary"], "links.bottleneck.rate": "2Mbit"}
    more = [{**row, "mean": row["mean"] * 3, "vary": {**row["vary"], "links.bottleneck.rate": "4Mbit"}}
            for row in result["rows"]]  # fmt: skip
    result["rows"] += more
    with pytest.raises(ValueError, match=r"bottleneck\.rate = 2Mbit; bottleneck\.rate = 4Mbit"):
        metric_vs_swept.draw(result, "length_mean_pkts")
    tops = [
        metric_vs_swept.draw(result, "length_mean_pkts", at={"rate": rate}).axes[0].get_ylim()[1]
        for rate in ("2Mbit", "4Mbit")
    ]
    assert tops[1] > 2 * tops[0]
    with pytest.raises(ValueError, match='rte was not swept; did you mean "rate"'):
        metric_vs_swept.draw(result, "length_mean_pkts", at={"rte": "2Mbit"})
