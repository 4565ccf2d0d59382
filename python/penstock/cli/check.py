"""`penstock check`: the resolved scenario, or all of its errors."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.options import Load, ScenarioFile, Settings
from penstock.cli.output import json_text, load_laws, print_result, write_json

EXAMPLE = "penstock check scenarios/thesis_link.toml"


def check(
    scenario: ScenarioFile,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    as_json: Annotated[bool, typer.Option("--json", help="Print the resolved scenario as JSON.")] = False,
) -> None:
    """Check a scenario without running it: draw its network and show every value, or list all errors."""
    from penstock.scenario.check import resolved_text
    from penstock.scenario.scenario import read_document

    load_laws(load)
    resolved = read_document(scenario, settings).resolve()
    if as_json:
        write_json(json_text(resolved.shown), None)
    else:
        print_result(resolved_text(resolved))
