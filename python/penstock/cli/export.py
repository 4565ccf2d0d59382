"""`penstock export`: a row for each run, as a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import OUTPUT
from penstock.cli.output import notify, output_file
from penstock.cli.source import Source, StudyName, not_a_result, read_result, result_file
from penstock.errors import PenstockError

EXAMPLE = "penstock export results -o runs.csv"


def export(
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.{csv,parquet,arrow}",
            help="File to write; Arrow needs the package pyarrow.",
            rich_help_panel=OUTPUT,
        ),
    ],
    source: Source = None,
    study: StudyName = None,
) -> None:
    """Write a row for each run: axes, scheme, seed, and every metric as a column.

    The source is a store or the JSON of run.
    """
    from penstock.studies.export import KINDS, export_store

    file = output_file(output, "--output")
    if file is None or file.suffix.lower() not in KINDS:
        raise PenstockError(f"--output {output}: the file must end in {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    result = result_file(source)
    if result is None:
        export_store(source, file, study)
    else:
        _export_result(result, file, study)
    notify(f"runs: {file}")


def _export_result(result: Path, file: Path, study: str | None) -> None:
    from penstock.studies.export import export_run

    answer = read_result(result)
    if study is not None:
        raise PenstockError(f"--study: {result} is a result, not a store")
    if "rows" in answer:
        raise PenstockError(
            f"{result}: has the means over the runs of compare or study, not the runs; these are in their store: "
            f"penstock export STORE -o {file}"
        )
    try:
        export_run(answer, file)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise not_a_result(result, f"{type(error).__name__}: {error}") from None
