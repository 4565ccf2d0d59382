"""`penstock check`: the resolved scenario or study, or all of its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from penstock.cli.options import JsonTarget, Load, MaxEvents, MaxMemory, Settings, argument
from penstock.cli.output import Outputs, load_aqms, notify, notify_all
from penstock.cli.study_input import is_study_file

if TYPE_CHECKING:
    from penstock.scenario.budget import BudgetLimits
    from penstock.scenario.document import Document
    from penstock.scenario.resolve import Resolved
    from penstock.studies.study_file import StudyFile

EXAMPLE = "penstock check scenarios/thesis_link.toml"

MAX_PILOT_EVENTS = 5e6
"""Largest estimated number of events of a pilot run that `check` makes: about a second."""

Input = Annotated[str, argument("FILE.toml", "Scenario or study file.")]


def check(
    *,
    file: Input,
    settings: Settings,
    load: Load,
    max_events: MaxEvents = None,
    max_memory: MaxMemory = None,
    json_target: JsonTarget = None,
) -> None:
    """Check a scenario or study without running it: draw its network and show every value, or list all errors."""
    from penstock.scenario.budget import BudgetLimits

    outputs = Outputs.from_options(json_target)
    load_aqms(load)
    limits = BudgetLimits.parse(max_events, max_memory)
    if is_study_file(file):
        _check_study(file, settings, limits, outputs)
        return
    from penstock.scenario.document import read_document

    text, values = _checked(read_document(file, settings), limits)
    outputs.show(text)
    outputs.write_json(values)


def _checked(document: Document, limits: BudgetLimits) -> tuple[str, dict[str, Any]]:
    """Print the warnings of a scenario; return its resolved form as text and as plain values."""
    from penstock.explain.warnings import scenario_warnings
    from penstock.scenario.budget import check_budget
    from penstock.scenario.check import resolved_text

    resolved = document.resolve()
    notify_all(check_budget([resolved], limits, document.origins))
    warmup = _warmup(document, resolved)
    warnings = scenario_warnings(resolved)
    for warned in warnings:
        notify(f"warning: {warned.text}")
    values = {**resolved.readable, "warnings": [warned.to_dict() for warned in warnings]}
    if resolved.head.has_automatic_warmup:
        values["determined_warmup"] = warmup
    return resolved_text(resolved, warmup), values


def _warmup(document: Document, resolved: Resolved) -> str | None:
    """The value of a warm-up that is "auto", from a pilot run; None if there is none, or if the run takes long."""
    from penstock.engine.run import run_batch
    from penstock.engine.warmup import with_warmup
    from penstock.scenario.budget.estimate import estimate_run

    if not resolved.head.has_automatic_warmup or estimate_run(resolved).total_events > MAX_PILOT_EVENTS:
        return None
    return str(with_warmup(document, run_batch).tree["warmup"])


def _check_study(path: str, settings: list[str], limits: BudgetLimits, outputs: Outputs) -> None:
    from penstock.results.display import count_phrase
    from penstock.studies.study import StudyRuns
    from penstock.studies.study_file import StudyFile

    file = StudyFile.read(path, settings=settings)
    StudyRuns(file.study, None)  # raises the errors of all cells
    scenarios = {label: _checked(document, limits) for label, document in file.bases.items()}
    head = _head(file)
    cells, seeds, runs = (count_phrase(head[f"{noun}s"], noun) for noun in ("cell", "seed", "run"))
    size = f"{cells} x {seeds} = {runs}"
    lines = [f"# study {file.study.name}: {size}"]
    lines += [f"# {name}: {', '.join(map(str, values))}" for name, values in head["axes"].items()]
    outputs.show(
        "\n".join(lines) + "\n" + "".join(f"\n# base {label}\n\n{text}" for label, (text, _) in scenarios.items())
    )
    outputs.write_json({**head, "base": {label: values for label, (_, values) in scenarios.items()}})


def _head(file: StudyFile) -> dict[str, Any]:
    """The name, size, axes and metrics of a study."""
    study, cells = file.study, file.cells()
    return {
        "study": study.name,
        "cells": cells,
        "seeds": study.seeds,
        "first_seed": study.first_seed,
        "runs": cells * study.seeds,
        "axes": {name: list(values) for name, values in study.vary.items()},
        "metrics": list(file.metrics),
    }
