"""The figures: their content, and the same bytes each time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from penstock.plots import delay_goodput, drop_function, metric_vs_swept, queue_over_time, queue_tail, save, style
from penstock.plots.curves import CurveFigure
from penstock.report.view import marker_shape_index
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table

from .fake_result import compare_result

XS = [i / 4 for i in range(141)]


def gentle(x: float) -> float:
    """RED's gentle drop function with thresholds 5 and 15 and max_p 0.1."""
    return min(max(0.0, 0.01 * (x - 5)) if x < 15 else 0.1 + 0.06 * (x - 15), 1.0)


def swept() -> Figure:
    return metric_vs_swept.draw(compare_result(), "delay_p99_s")


def over_time() -> Figure:
    return queue_over_time.draw(compare_result()["series"][17]["links"]["bottleneck"])


def drops() -> Figure:
    return drop_function.draw({"gentle": (XS, [gentle(x) for x in XS])}, {"min_th": 5, "max_th": 15})


def tail() -> Figure:
    return queue_tail.draw({"red": [0.5, 0.3, 0.15, 0.05], "droptail": [0.1, 0.2, 0.3, 0.4]})


def trade_off() -> Figure:
    return delay_goodput.draw({"red": ([0.05, 0.052, 0.051], [1.4e6, 1.41e6, 1.39e6]), "one run": ([0.1], [1.42e6])})


@pytest.mark.parametrize("kind", ["pdf", "svg"])
@pytest.mark.parametrize("draw", [swept, over_time, drops, tail, trade_off])
def test_a_figure_has_the_same_bytes_each_time(draw: Callable[[], Figure], kind: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    save(draw(), first)
    save(draw(), second)
    assert first.read_bytes() == second.read_bytes()
    assert b"Type3" not in first.read_bytes()


def test_a_figure_is_one_column_wide() -> None:
    assert swept().get_figwidth() == pytest.approx(3.33)


def test_a_legend_takes_as_many_columns_as_fit() -> None:
    def columns(*labels: str) -> list[int]:
        with style.figure_style():
            figure, ax = style.single_panel()
            for label in labels:
                ax.plot([0, 1], label=label)
            style.add_legend(figure, 4)
        assert all(legend.get_window_extent().width <= figure.bbox.width for legend in figure.legends)
        return [vars(legend)["_ncols"] for legend in figure.legends]

    assert columns("RED", "PIE", "CoDel", "FIFO") == [4]
    assert columns("DTDRR", "DSDRR", "DSDRR-W", "QSDRR") == [2]
    assert columns("RED, gentle, on bytes", "RED, strict, on bytes", "PIE") == [2]
    assert columns() == []


def test_a_cell_may_be_on_several_lines_and_a_printed_value_may_lack_x_or_y() -> None:
    cells = [({"n": n, "by": "DA"}, {"all": 1.0 * n, "out": 2.0 * n}) for n in (1, 2)]
    cells += [({"n": n, "by": "DFQ"}, {"all": 3.0 * n}) for n in (1, 2)]  # `out` was not recorded
    curves = CurveFigure(
        "n", lambda at: {f"{at['by']}, all": "all", f"{at['by']}, out": "out"}, functions={"f": [(0, 5)]}
    )
    figure = curves(
        SummaryTable.from_table(Table.from_formulas(cells)),
        [("DA, out", 1.5, None), ("", None, 4.0), ("DA, all", 2, 2.5)],
    )
    (ax,) = figure.axes
    lines = {str(line.get_label()): line for line in ax.lines if not str(line.get_label()).startswith("_")}
    assert {name: np.asarray(line.get_ydata()).tolist() for name, line in lines.items()} == {
        "DA, all": [1, 2], "DA, out": [2, 4], "DFQ, all": [3, 6], "f": [5],
    }  # fmt: skip
    dotted = [line for line in ax.lines if line.get_linestyle() == ":" and line not in lines.values()]
    assert [np.asarray(line.get_xdata()).tolist() for line in dotted] == [[1.5, 1.5], [0, 1]]
    assert [line.get_color() for line in dotted] == [lines["DA, out"].get_color(), "black"]
    assert [2.5] in [np.asarray(line.get_ydata()).tolist() for line in ax.lines if line.get_marker() == "x"]
    assert figure.legends[0].get_title().get_text() == "x, dotted: printed"


def test_a_legend_of_numbers_says_of_what() -> None:
    def title(*values: object) -> str:
        table = SummaryTable.from_table(
            Table.from_formulas([({"n": n, "by": value}, {"q": 1.0}) for value in values for n in (1, 2)])
        )
        drawn = CurveFigure("n", "q", "by", labels=("n", "queue"))(table)
        return str(drawn.legends[0].get_title().get_text())

    assert title(100, 200) == "lines: by"
    assert title("5Mbit", "10Mbit") == "lines: by"
    assert title("RED", 1) == title("RED", "PIE") == ""


def test_every_scheme_has_a_line_and_the_number_of_runs_stands_on_the_figure() -> None:
    figure = swept()
    legend = figure.legends[0]
    assert [t.get_text() for t in legend.get_texts()] == [
        "droptail",
        "red",
        "red gentle",
        "ared-feng",
        "ared-floyd",
        "psand",
    ]
    assert legend.get_title().get_text() == "95 % intervals, n = 30"


def test_one_run_has_no_interval() -> None:
    figure = metric_vs_swept.draw(compare_result(runs=1), "loss_rate")
    assert figure.legends[0].get_title().get_text() == "n = 1: no interval"


def test_delay_grows_to_the_right() -> None:
    left, right = trade_off().axes[0].get_xlim()
    assert left < right


def test_what_cannot_be_drawn_is_told() -> None:
    with pytest.raises(ValueError, match="nothing was swept"):
        metric_vs_swept.draw(compare_result(vary=False), "loss_rate")
    with pytest.raises(ValueError, match="no such_metric at bottleneck"):
        metric_vs_swept.draw(compare_result(), "such_metric")
    with pytest.raises(ValueError, match=r"saved as \.pdf, \.svg or \.png"):
        save(tail(), "figure.bmp")


def test_more_lines_than_colours_look_different() -> None:
    looks = [style.line_style(index) for index in range(24)]
    assert len({(look["color"], look["marker"]) for look in looks}) == 24
    assert len({(look["color"], str(look["linestyle"])) for look in looks}) == 24
    assert len({(index % len(style.COLOURS), marker_shape_index(index)) for index in range(24)}) == 24
