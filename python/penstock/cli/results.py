"""`penstock results`: query, export, plot and render stored runs; show or complete the studies of a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli.compare_study import ExecutionPlace
from penstock.cli.fail_if import FailureConditions, ResultNumber, exit_if_failed, result_numbers
from penstock.cli.options import (
    MARGIN,
    OUTPUT,
    FailIf,
    HtmlTarget,
    Jobs,
    JsonTarget,
    Load,
    Margin,
    argument,
    flag_option,
    list_option,
    parse_margin,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, write_page
from penstock.cli.output_files import output_file_except_stdout
from penstock.cli.result_figure import AxisOptions, JournalWidth, draw_figure
from penstock.cli.result_source import ResultSource, not_a_result_error
from penstock.cli.sql import answer_query
from penstock.cli.store_status import resume_studies as resume_studies
from penstock.cli.store_status import show_status
from penstock.errors import PenstockError

EXAMPLE = "penstock results results --sql 'SELECT scheme, avg(delay_mean_s) FROM runs GROUP BY scheme'"

FIGURES = (".pdf", ".svg", ".png")
ROWS = (".csv", ".parquet", ".arrow")
FILES = (".html", *ROWS, ".tex", *FIGURES)

FIGURE = "Figure"
"""Help heading of the options for figures."""

STUDIES = "Studies"
"""Help heading of the options for the studies of a store."""

Name = Annotated[
    str | None,
    argument(
        "[STORE|FILE.json]",
        "Store, or a result that run or compare wrote with --json; default: the store in the user's cache folder.",
    ),
]
Sql = Annotated[
    str | None,
    value_option("--sql", "'SELECT ...'", "Query the store in SQL; tables: runs (one row per run), scenarios."),
]
Study = Annotated[str | None, value_option("--study", "NAME", "Study or comparison to read, if the store has several.")]
Where = Annotated[
    list[str],
    list_option(
        "--where",
        "PATH=VALUE",
        "Only runs with this axis value or scenario value; repeatable; several values of the same path are "
        "alternatives.",
    ),
]
Output = Annotated[
    str | None,
    value_option(
        "-o --output",
        "FILE",
        "File to write. .html: the page; .csv, .parquet, .arrow: one row per run, or the rows of --sql; .tex: a "
        "table of means, or the rows of --sql; .pdf, .svg, .png: a figure of --y against --x.",
        OUTPUT,
    ),
]
X = Annotated[str | None, value_option("--x", "PATH", "Swept key on the horizontal axis.", FIGURE)]
Y = Annotated[str | None, value_option("--y", "METRIC", "Metric: its path, or the last part of it.", FIGURE)]
By = Annotated[str | None, value_option("--by", "PATH", "Swept key with one curve per value; default: scheme.", FIGURE)]
Panel = Annotated[str | None, value_option("--panel", "PATH", "Swept key with one panel per value.", FIGURE)]
FigureWidth = Annotated[
    JournalWidth, typer.Option(help="Width in a journal: one column (3.5 in) or two (7.2 in).", rich_help_panel=FIGURE)
]
Status = Annotated[
    bool, flag_option("--status", "Print how many runs of each study are missing; exit with 5 if any.", STUDIES)
]
Resume = Annotated[bool, flag_option("--resume", "Run the missing runs of the studies in the store.", STUDIES)]
Cluster = Annotated[
    str | None,
    value_option(
        "--cluster",
        "ADDRESS",
        "With --resume: run on a Dask cluster; give the address or the file of its scheduler.",
        STUDIES,
    ),
]


def results(
    *,
    name: Name = None,
    sql: Sql = None,
    study: Study = None,
    where: Where,
    x: X = None,
    y: Y = None,
    by: By = None,
    panel: Panel = None,
    width: FigureWidth = JournalWidth.single,
    status: Status = False,
    resume: Resume = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    load: Load,
    fail_if: FailIf,
    margin: Margin = MARGIN,
    output: Output = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
) -> None:
    """Show, query, export and plot stored runs: a store, or a JSON file written by run or compare.

    The SQL table `runs` has one row per run, and columns for axes, scheme, seed and every metric. Quote column names
    that contain dots ("a.b"); the last part of a name is enough if it is unique.

    A store contains its studies, their scenarios and the source of Python AQMs, so --status and --resume also work on a
    copy. Both --status and --resume execute this source; use them only on stores that you trust.
    """
    source, axes = ResultSource(name, study, where, parse_margin(margin)), AxisOptions(x, y, by, panel)
    outputs, file = Outputs.from_options(json_target, html), _file(output)
    source.check()
    _check_modes({"--sql": sql is not None, "--status": status, "--resume": resume}, fail_if=bool(fail_if))
    load_aqms(load)
    if status:
        show_status(source.store("--status"), study, outputs)
    elif resume:
        resume_studies(source.store("--resume"), study, ExecutionPlace(jobs, cluster), source.margin, outputs)
    elif sql is not None:
        _check_answer(source, file, outputs)
        answer_query(source.store("--sql"), sql, outputs, file)
    else:
        _write(source, axes, width, outputs, file, fail_if)


def _file(output: str | None) -> Path | None:
    """The file of `-o`. Raises `PenstockError` for an unknown suffix."""
    if output is None:
        return None
    file = output_file_except_stdout(output, "-o")
    if file.suffix.lower() not in FILES:
        raise PenstockError(f"-o {output}: the file must end in {', '.join(FILES[:-1])} or {FILES[-1]}")
    return file


def _check_modes(modes: dict[str, bool], *, fail_if: bool) -> None:
    """Raise `PenstockError` for options that exclude each other."""
    chosen = [option for option, is_given in modes.items() if is_given]
    if len(chosen) > 1:
        raise PenstockError(f"{' and '.join(chosen)} exclude each other")
    if chosen and fail_if:
        raise PenstockError(f"--fail-if: cannot be combined with {chosen[0]}; it checks the means of the stored runs")


def _check_answer(source: ResultSource, file: Path | None, outputs: Outputs) -> None:
    if file is not None and file.suffix.lower() not in (*ROWS, ".tex"):
        raise PenstockError(f"-o {file}: rows of --sql can be written only to {', '.join(ROWS)} or .tex")
    if outputs.html is not None:
        raise PenstockError("--html: cannot be combined with --sql, which has no page")
    if source.study is not None or source.where:
        raise PenstockError("--study and --where: cannot be combined with --sql; write WHERE study = '...' in SQL")


def _write(
    source: ResultSource,
    axes: AxisOptions,
    width: JournalWidth,
    outputs: Outputs,
    file: Path | None,
    fail_if: list[str],
) -> None:
    """Write the requested files, or else print the result; then fail by the conditions of `--fail-if`."""
    failures = _failures(source, fail_if)  # refuses a wrong condition before anything is written
    suffix = file.suffix.lower() if file is not None else ""
    if axes.options and suffix not in (*FIGURES, ".tex"):
        raise PenstockError(f"{', '.join(axes.options)}: a figure is written with -o FILE.{{pdf,svg,png}}")
    if file is not None and suffix in FIGURES:
        draw_figure(source, axes, width, file)
        notify(f"figure: {file}")
    elif file is not None and suffix in ROWS:
        _export(source, file)
        notify(f"runs: {file}")
    is_written = file is not None and suffix not in (".html", ".tex")
    if not is_written or outputs.has_json or outputs.html:
        _render(source, axes, outputs, None if is_written else file, quiet=file is not None)
    exit_if_failed(failures)


def _render(source: ResultSource, axes: AxisOptions, outputs: Outputs, file: Path | None, *, quiet: bool) -> None:
    """Print the result, and write its JSON, page and table."""
    result = source.read()
    with _readable(source):
        if not (quiet or outputs.html):
            outputs.show(_text(result))
        for page in [outputs.html, file if file is not None and file.suffix.lower() == ".html" else None]:
            if page is not None:
                write_page({**result, "script": source.script()}, page)
        if file is not None and file.suffix.lower() == ".tex":
            _write_latex(result, axes, file)
    outputs.write_json(result)


def _failures(source: ResultSource, fail_if: list[str]) -> list[str]:
    """A line for each number that satisfies a condition of `--fail-if`. Raises `ScenarioError` for a wrong one."""
    if not fail_if:
        return []
    with _readable(source):
        numbers = list(result_numbers(source.read()))
    return FailureConditions.parse(fail_if, _places(numbers)).failure_lines(numbers)


@contextmanager
def _readable(source: ResultSource) -> Iterator[None]:
    """Raise `PenstockError` for a file whose content is not the JSON of a result."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, ArithmeticError) as error:
        if source.file is None or isinstance(error, PenstockError):
            raise
        raise not_a_result_error(source.file, f"{type(error).__name__}: {error}") from None


def _text(result: dict[str, Any]) -> str:
    """The tables of a run or a comparison."""
    from penstock.results.comparison import Comparison
    from penstock.results.grid import format_tables, run_grids

    return repr(Comparison(result)) if "rows" in result else format_tables(run_grids(result))


def _write_latex(result: dict[str, Any], axes: AxisOptions, file: Path) -> None:
    from penstock.files import write_text
    from penstock.results.latex import latex_link_means, latex_means

    if "rows" not in result:
        raise PenstockError(f"-o {file}: a single run has no table of means; use .csv")
    if axes.y is None:
        write_text(file, latex_link_means(result))
    else:
        place, _, name = axes.y.rpartition(".")
        rows = [row for row in result["rows"] if place in ("", row["place"])]
        if not any(row["metric"] == name for row in rows):
            raise PenstockError(f"-o {file}: no run has {name}; choose another metric with --y")
        write_text(file, latex_means({**result, "rows": rows}, [name]))
    notify(f"table: {file}")


def _export(source: ResultSource, file: Path) -> None:
    """Write one row per run."""
    from penstock.studies.export import export_run, export_store

    if source.file is None:
        if source.where:
            raise PenstockError("--where: does not apply to exported runs; use --sql 'SELECT * FROM runs WHERE ...'")
        export_store(source.name, file, source.study)
        return
    answer = source.read()
    if "rows" in answer:
        raise PenstockError(
            f"{source.file}: contains means, not single runs; export the runs from the store: "
            f"penstock results STORE -o {file}"
        )
    try:
        export_run(answer, file)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise not_a_result_error(source.file, f"{type(error).__name__}: {error}") from None


def _places(numbers: list[ResultNumber]) -> dict[str, list[str]]:
    """The places of the numbers, for `FailureConditions.parse`."""
    links = list(dict.fromkeys(number.place for number in numbers if number.is_at_link))
    others = list(dict.fromkeys(number.place for number in numbers if not number.is_at_link))
    return {"links": links, "traffic": others, "dscp": []}
