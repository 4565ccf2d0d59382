"""`penstock check`: the resolved scenario, or all of its errors."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.options import Load, MaxEvents, MaxMemory, ScenarioFile, Settings
from penstock.cli.output import json_text, load_laws, notify, print_result, write_json

EXAMPLE = "penstock check scenarios/thesis_link.toml"


def check(
    scenario: ScenarioFile,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    max_events: MaxEvents = None,
    max_memory: MaxMemory = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the resolved scenario as JSON.")] = False,
) -> None:
    """Check a scenario without running it: draw its network and show every value, or list all errors."""
    from penstock.explain.warnings import of_scenario
    from penstock.scenario.budget import Limits, check_budget
    from penstock.scenario.check import resolved_text
    from penstock.scenario.scenario import read_document

    load_laws(load)
    document = read_document(scenario, settings)
    resolved = document.resolve()
    for note in check_budget([resolved], Limits.parse(max_events, max_memory), document.origins):
        notify(note)
    warnings = of_scenario(resolved)
    for warned in warnings:
        notify(f"warning: {warned.text}")
    if as_json:
        write_json(json_text({**resolved.shown, "warnings": [warned.to_dict() for warned in warnings]}), None)
    else:
        print_result(resolved_text(resolved))
