"""The source of the verbs that read results: a store, or the JSON of a result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.errors import PenstockError

Source = Annotated[
    str | None,
    typer.Argument(
        metavar="STORE|RESULT.json",
        help="Store, or a result that another verb wrote with --json; default: the store in the user's cache folder.",
        show_default=False,
    ),
]
StudyName = Annotated[
    str | None, typer.Option("--study", metavar="NAME", help="Name of the study, for a store with several.")
]
Where = Annotated[
    list[str],
    typer.Option(
        "--where",
        metavar="PATH=VALUE",
        help="Only runs with this label or key of the scenario; repeatable, values of one path are alternatives.",
    ),
]


def result_file(source: str | None) -> Path | None:
    """The file with a result; None for a store."""
    if source is None or Path(source).is_dir():
        return None
    path = Path(source)
    return path if path.suffix == ".json" or path.is_file() else None


def read_result(file: Path) -> dict[str, Any]:
    """The result in a file: of a run, with `links` and `traffic`; of a comparison or a study, with `rows`."""
    try:
        answer = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise PenstockError(f"{file}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise not_a_result(file, "it is not JSON") from None
    if not isinstance(answer, dict):
        raise not_a_result(file, "it is not an object")
    needed = ("rows",) if is_study(answer) else ("scenario", *(("rows",) if "rows" in answer else ("links", "traffic")))
    if missing := [key for key in needed if key not in answer]:
        raise not_a_result(file, f"it has no {', '.join(missing)}")
    return dict(answer)


def is_study(result: Mapping[str, Any]) -> bool:
    """Whether a result is that of a study: means of the chosen metrics, with the labels of cells in each row."""
    return "study" in result


def not_a_result(file: Path, reason: str) -> PenstockError:
    """The error of a file that has no result."""
    return PenstockError(f"{file}: not the JSON that run, compare or study writes with --json ({reason})")
