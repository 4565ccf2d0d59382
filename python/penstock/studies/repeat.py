"""Shell scripts that repeat a result on another machine: the necessary files, and one command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

from penstock.errors import PenstockError
from penstock.files import read_json
from penstock.report.shell_script import command_text, shell_script
from penstock.results.conclusion import MARGIN
from penstock.results.display import scheme_argument, setting_text
from penstock.results.run_table import StudyDesign
from penstock.scenario.document import Document, read_document
from penstock.studies.portable import aqm_files, scenario_files
from penstock.studies.recorded import STUDY, recorded_files, write_files
from penstock.studies.study_file import StudyFile

__all__ = ["command_script", "comparison_script", "record_comparison", "recorded_script", "study_script"]

SCENARIO = "scenario.toml"
OPTIONS = "options.json"
COMPARISONS = "comparisons"

COMPARE = ("penstock", "compare")

Options = Iterable[Sequence[str]]


def command_script(
    verb: Sequence[str],
    document: Document | None = None,
    options: Options = (),
    schemes: Sequence[tuple[str, Mapping[str, Any]]] = (),
) -> str:
    """The script of a command that starts with `verb`, with a scenario and AQMs in Python; it loads their files.

    `schemes` are the schemes in `verb` or `options`. Raises `PenstockError` for an AQM without a source file.
    """
    tree = {} if document is None else document.tree
    aqms, files = aqm_files([tree, schemes], [name for name, _ in schemes])
    if document is not None:
        files |= scenario_files(tree, SCENARIO)
    command = [*verb, *([] if document is None else [SCENARIO])]
    return shell_script(files, command_text(command, [*options, *(["--load", aqm] for aqm in aqms)]))


def study_script(file: StudyFile, margin: float = MARGIN) -> str:
    """The script of a study."""
    return shell_script(recorded_files(file), command_text([*COMPARE, STUDY], _margin(margin)))


def comparison_script(design: StudyDesign, runs: int, options: Options = ()) -> str:
    """The script of a comparison on one scenario; empty if the design lacks the scenario as written.

    Raises `PenstockError` for an AQM without a source file.
    """
    if design.written_scenario is None:
        return ""
    document = Document(dict(design.written_scenario))
    return command_script(
        COMPARE, document, [*_options(design, runs, design.replaced_links, document), *options], design.schemes
    )


def _options(design: StudyDesign, runs: int, at: Sequence[str], document: Document) -> Iterator[Sequence[str]]:
    """The options of `penstock compare` for this design, on a scenario."""
    yield from (["--scheme", scheme_argument(name, params)] for name, params in design.schemes)
    if tuple(at) != document.resolve().watched:
        yield from (["--at", place] for place in at)
    yield from (["--vary", f"{path}={','.join(map(setting_text, values))}"] for path, values in design.axes.items())
    if (seed := design.scenario.get("seed", 1)) != document.tree.get("seed", 1):
        yield ["--seed", str(seed)]
    yield from _margin(design.margin)
    if (goal := design.precision) is None:
        yield ["--runs", str(runs)]
    else:
        yield ["--runs", str(goal["looks"][0])]
        yield ["--precision", f"{goal['metric']}={goal['rel_error']}"]


def _margin(margin: float) -> list[Sequence[str]]:
    return [] if margin == MARGIN else [["--margin", f"{100 * margin:g}%"]]


def record_comparison(store: Path, name: str, design: StudyDesign) -> None:
    """Record the scenario and the AQMs of a comparison in a store, for its pages. Raises `PenstockError`."""
    if design.written_scenario is None:
        return
    aqms, files = aqm_files([design.written_scenario], [scheme for scheme, _ in design.schemes])
    files |= scenario_files(design.written_scenario, SCENARIO)
    folder = (
        _folders(store, name) / sha256(json.dumps(design.written_scenario, sort_keys=True).encode()).hexdigest()[:8]
    )
    # A comparison of this scenario with other schemes or values has the same record.
    addresses = {*design.scenarios, *_recorded(folder).get("scenarios", ())}
    options = {"at": list(design.replaced_links), "load": aqms, "scenarios": sorted(addresses)}
    files[OPTIONS] = (json.dumps(options) + "\n").encode()
    write_files(folder, files)


def _recorded(folder: Path) -> dict[str, list[str]]:
    """The options in a record; empty if there is none, or if it is damaged."""
    try:
        options = read_json(folder / OPTIONS)
    except (OSError, ValueError):
        return {}
    if not isinstance(options, dict):
        return {}
    lists = {key: value for key in ("at", "load", "scenarios") if _is_texts(value := options.get(key))}
    return lists if len(lists) == 3 else {}


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def recorded_script(store: Path, name: str, design: StudyDesign, runs: int) -> str:
    """The script of a study or comparison of a store; empty if the store has no record of it.

    The record of a comparison has its scenario; its schemes, swept values and number of runs are those of `design`.
    """
    if (store / "studies" / name / STUDY).is_file():
        folder = store / "studies" / name
        return shell_script(_contents(folder), command_text([*COMPARE, STUDY], _margin(design.margin)))
    for folder in sorted(_folders(store, name).glob("*/")):
        recorded = _recorded(folder)
        if not recorded or not design.scenarios.keys() <= set(recorded["scenarios"]):
            continue
        try:
            options = list(_options(design, runs, recorded["at"], read_document(folder / SCENARIO)))
            files = _contents(folder)
        except (OSError, PenstockError):  # a file of the record is missing
            continue
        del files[OPTIONS]
        loads = [["--load", aqm] for aqm in recorded["load"]]
        return shell_script(files, command_text([*COMPARE, SCENARIO], [*options, *loads]))
    return ""


def _contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _folders(store: Path, name: str) -> Path:
    """The folder with a folder for each scenario of comparisons of this name."""
    words = re.sub(r"\W+", "-", name, flags=re.ASCII).strip("-")[:60]
    return store / COMPARISONS / f"{words}-{sha256(name.encode()).hexdigest()[:8]}"
