"""`penstock doctor`: check the environment."""

from __future__ import annotations

from penstock.cli.options import AsJson
from penstock.cli.output import json_text, print_result, write_json

EXAMPLE = "penstock doctor"


def doctor(as_json: AsJson = False) -> None:
    """Check the environment, and show how to install missing parts."""
    from penstock.engine import environment
    from penstock.link import requirements

    findings = [*environment.examine(), *requirements.findings()]
    if as_json:
        write_json(json_text([vars(item) for item in findings]), None)
    else:
        print_result(environment.text(findings))
