"""The studies recorded in a store: count and run their missing runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.compare_study import ExecutionPlace, run_study
from penstock.cli.exit_codes import ExitCode
from penstock.cli.output import Outputs
from penstock.errors import PenstockError, UnknownNameError

if TYPE_CHECKING:
    from penstock.studies.store import Store
    from penstock.studies.study_file import StudyFile

__all__ = ["resume_studies", "show_status"]


def show_status(folder: str | None, study: str | None, outputs: Outputs) -> None:
    """Print how many runs of each study the store has. Exits with 5 if some are missing."""
    from penstock.results.display import count_phrase

    store, files = _studies(folder, study)
    states = [_state(file, store) for file in files]
    outputs.show(
        "\n".join(
            f"{state['study']}: {state['runs'] - state['missing']} of {state['runs']} runs, "
            f"{count_phrase(state['cells'], 'cell')}"
            for state in states
        )
    )
    outputs.write_json({"studies": states})
    if any(state["missing"] for state in states):
        raise typer.Exit(ExitCode.INCOMPLETE)


def resume_studies(
    folder: str | None, study: str | None, place: ExecutionPlace, margin: float, outputs: Outputs
) -> None:
    """Execute the missing runs of the studies, and print and write their results."""
    store, files = _studies(folder, study)
    results = [result for file in files if (result := run_study(file, lambda: store, place, margin)) is not None]
    for result in results:
        outputs.show(result.text)
    values = [result.value for result in results]
    outputs.write_json(values[0] if len(values) == 1 else values)


def _studies(folder: str | None, study: str | None) -> tuple[Store, list[StudyFile]]:
    from penstock.studies.recorded import recorded_studies, recorded_study_names
    from penstock.studies.store import Store, default_store_folder

    place = Path(folder) if folder is not None else default_store_folder()
    names = recorded_study_names(place)
    if not names:
        if not place.is_dir():
            raise PenstockError(f"no store {place}: there is no such folder")
        raise PenstockError(f"{place}: contains no study; run penstock compare STUDY.toml --store {place}")
    if study is not None and study not in names:
        raise UnknownNameError("study", study, names)
    files = recorded_studies(place, study)
    return Store(folder), files


def _state(file: StudyFile, store: Store) -> dict[str, Any]:
    from penstock.studies.study import StudyRuns

    missing = cells = 0
    for cell in StudyRuns(file.study, store).cells():
        cells += 1
        missing += len(store.missing(cell.content, cell.seeds))
    return {"study": file.study.name, "cells": cells, "runs": cells * file.study.seeds, "missing": missing}
