"""Results as a user holds them: names, values, rows and data frames, and how a notebook shows them."""

from __future__ import annotations

import pickle
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import penstock as ps
import polars as pl
import pyarrow as pa
import pytest
from penstock.errors import MissingPackageError, UnknownNameError
from penstock.plots import delay_goodput, metric_vs_swept, queue_tail
from penstock.results import _gen
from penstock.results.comparison import Comparison
from pyarrow import parquet

from .fake_result import compare_result, means_alone
from .test_scenario import small
from .test_study import GRID, measure

SWEEP = {"traffic.bulk.count": [1, 4]}


@pytest.fixture(scope="module")
def run() -> ps.Run:
    return ps.run(small())


@pytest.fixture(scope="module")
def swept() -> ps.Runs:
    return ps.compare(small(), ["droptail", "red:gentle=true"], vary=SWEEP, runs=3)


def test_wrong_names_in_a_run_name_the_nearest(run: ps.Run) -> None:
    with pytest.raises(KeyError, match='no watched link "botleneck"; did you mean "bottleneck"'):
        run.links["botleneck"]
    with pytest.raises(KeyError, match='no traffic "blk"; did you mean "bulk"'):
        run.traffic["blk"]
    with pytest.raises(KeyError, match='no metric "utilisation"; did you mean "utilization"'):
        run.links["bottleneck"]["utilisation"]
    with pytest.raises(AttributeError, match='did you mean "utilization"'):
        _ = run.links["bottleneck"].utilisation  # type: ignore[attr-defined]
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


def test_a_value_has_one_point_or_is_refused(swept: ps.Runs) -> None:
    by_path: dict[str, Any] = {"traffic.bulk.count": 4}
    loss = swept["droptail"].where(**by_path).estimate("loss_rate")
    assert loss.runs == 3
    assert loss == swept.estimate("loss_rate", scheme="droptail", count=4)
    assert swept.estimate("goodput_bps", scheme="red", count=1).mean > 1e5
    with pytest.raises(ps.PenstockError, match=r"2 points of the sweep fit.*: bulk\.count = 1; bulk\.count = 4"):
        swept["droptail"].estimate("loss_rate")
    with pytest.raises(ps.PenstockError, match="2 schemes fit"):
        swept.estimate("loss_rate", count=4)
    wrong: tuple[tuple[tuple[str, ...], dict[str, Any], str], ...] = (
        (("loss_rate",), {"scheme": "drptail", "count": 4}, 'no scheme "drptail"; did you mean "droptail"'),
        (("los_rate",), {"scheme": "red", "count": 4}, 'no metric "los_rate"; did you mean "loss_rate"'),
        (("loss_rate", "botleneck"), {"scheme": "red", "count": 4}, 'no place "botleneck"; did you mean "bottleneck"'),
        (("loss_rate",), {"cuont": 4}, 'no swept key "cuont".*did you mean "count"'),
        (("loss_rate",), {"count": 5}, 'no value of count "5"; available: 1, 4'),
    )
    for arguments, labels, message in wrong:
        with pytest.raises(UnknownNameError, match=message):
            swept.estimate(*arguments, **labels)


def test_a_comparison_is_read_again_from_its_json(swept: ps.Runs, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(swept.to_json(), encoding="utf-8")
    again = Comparison.load(tmp_path / "c.json")
    assert again.to_json() == swept.to_json()
    assert repr(again) == repr(swept)


def test_rows_of_each_run(swept: ps.Runs) -> None:
    rows = swept.table.to_pylist()
    assert len(rows) == len(swept) == 2 * 2 * 3
    mine = [row for row in rows if row["scheme"] == "red:gentle=true" and row["traffic.bulk.count"] == 4]
    assert [row["seed"] for row in mine] == [1, 2, 3]
    link = small(queue=ps.Red(limit="100p", gentle=True)).replace("traffic.bulk.count", 4)
    assert [row["links.bottleneck.loss_rate"] for row in mine] == [
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


def test_other_libraries_read_the_table(swept: ps.Runs) -> None:
    frames = [pl.DataFrame(swept), swept.to_pandas(), pa.table(swept).to_pandas()]
    for frame in frames:
        assert list(frame.columns) == swept.table.column_names
        assert frame["links.bottleneck.loss_rate"].to_list() == swept.table["links.bottleneck.loss_rate"].to_pylist()
    assert pl.DataFrame(swept.summary("loss_rate"))["mean"].to_list() == [
        row["mean"] for row in swept.summary("loss_rate")
    ]
    assert set(swept.compare().to_pandas()["against"]) == {"droptail"}
    mixed = ps.compare(small(), ["red"], vary={"links.bottleneck.queue.limit": ["20p", 30]}, runs=1)
    assert mixed.table["links.bottleneck.queue.limit"].to_pylist() == ["20p", "30"]
    assert mixed.where(limit=30).axes == {"links.bottleneck.queue.limit": [30]}


def test_labelled_arrays_have_the_axes_of_the_comparison(swept: ps.Runs) -> None:
    data = swept.to_xarray()
    loss = data["links.bottleneck.loss_rate"]
    assert dict(loss.sizes) == {"scheme": 2, "traffic.bulk.count": 2, "seed": 3}
    mine = loss.sel({"scheme": "red:gentle=true", "traffic.bulk.count": 4})
    assert mine.mean().item() == pytest.approx(swept.estimate("loss_rate", scheme="red:gentle=true", count=4).mean)


def test_differences_are_to_the_named_scheme(swept: ps.Runs) -> None:
    forth, back = (
        swept.compare(to="droptail", metric="loss_rate"),
        swept.compare(to="red:gentle=true", metric="loss_rate"),
    )
    assert {row["scheme"] for row in back} == {"droptail"}
    assert [row["mean"] for row in forth] == pytest.approx([-row["mean"] for row in back])
    assert "paired difference to red:gentle=true" in repr(back)


def test_runs_are_pickled_and_compared(swept: ps.Runs) -> None:
    again = pickle.loads(pickle.dumps(swept))
    assert again == swept
    assert repr(again) == repr(swept)
    assert swept.where(count=1) != swept
    assert len(swept["droptail"].where(count=1)) == 3


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "json", "html", "tex", "pdf", "svg", "png"])
def test_runs_are_saved_by_the_ending_of_the_file(swept: ps.Runs, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"runs.{ending}"
    swept.save(file)
    match ending:
        case "csv":
            assert pl.read_csv(file)["seed"].to_list() == swept.table["seed"].to_pylist()
        case "parquet":
            assert parquet.read_table(file).equals(swept.table)
        case "arrow":
            assert pa.ipc.open_file(file).read_all().equals(swept.table)
        case "json":
            assert file.read_text(encoding="utf-8") == swept.to_json()
        case "html":
            assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
        case "tex":
            assert r"red:gentle=true & 4 & $" in file.read_text(encoding="utf-8")
        case _:
            starts = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}
            assert file.read_bytes().startswith(starts[ending])
    with pytest.raises(ps.PenstockError, match=r"the file must end in one of \.csv"):
        swept.save(tmp_path / "runs.xls")


def test_a_plot_has_a_curve_for_each_scheme(swept: ps.Runs) -> None:
    (axes,) = swept.plot("delay_mean_s").axes
    labels = [text.get_text() for legend in axes.figure.legends for text in legend.get_texts()]
    assert labels == ["droptail", "red:gentle=true"]
    assert axes.get_xlabel() == "bulk flows"


def test_a_run_as_rows_of_other_libraries(run: ps.Run) -> None:
    assert set(run.to_pandas().columns) == {"part", "place", "metric", "value"}
    assert str(run.to_arrow().schema.field("value").type) == "double"
    assert run.to_pandas(flows=True)["flow"].to_list() == [0, 1, 2]


def test_a_missing_package_is_named(run: ps.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackageError, match=r"pandas is not installed.*pip install pandas"):
        run.to_pandas()


class _Outline(HTMLParser):
    """Counts elements and complains about those that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_the_printed_tables_and_charts(swept: ps.Runs) -> None:
    page = swept._repr_html_()
    tags = _Outline(page).tags
    assert tags.count("table") == 2, "means and paired differences"
    assert tags.count("img") == 4
    assert "paired difference to droptail" in page
    assert "bulk.count" in page
    still = _Outline(ps.compare(small(), ["droptail", "red"], runs=2)._repr_html_()).tags
    assert still.count("img") == 4
    alone = _Outline(ps.compare(small(), ["red"], runs=1)._repr_html_()).tags
    assert alone.count("table") == 1


def test_a_notebook_shows_runs_metrics_and_tables(run: ps.Run) -> None:
    for page in (run._repr_html_(), run.links["bottleneck"]._repr_html_(), GRID.run(measure)._repr_html_()):
        assert "table" in _Outline(page).tags
        assert 'class="penstock"' in page


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
    assert ps.compare(tmp_path / "s.toml", "red", runs=1) == ps.compare(small(), "red", runs=1)
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


def test_figures_take_comparisons(swept: ps.Runs) -> None:
    assert metric_vs_swept.draw(swept, "loss_rate").axes
    assert queue_tail.draw(swept, at={"count": 4}).axes
    assert delay_goodput.draw(swept, at={"count": 4}).axes
    for draw in (queue_tail.draw, delay_goodput.draw):
        with pytest.raises(ps.PenstockError, match="2 points of the sweep fit"):
            draw(swept)
    with pytest.raises(ValueError, match='no goodput_bps at blk; did you mean "bulk"'):
        delay_goodput.draw(swept, traffic="blk", at={"count": 4})


def test_a_figure_of_a_grid_names_the_other_paths() -> None:
    result = means_alone(compare_result())
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


def test_the_types_of_metrics_are_those_of_the_catalogue() -> None:
    assert _gen.TARGET.read_text(encoding="utf-8") == _gen.source(), "run `make gen`"
