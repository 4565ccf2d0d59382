"""The command `penstock` and its verbs. Modules beyond `penstock.errors` are imported when a verb runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from penstock.cli import (
    challenge,
    check,
    compare,
    convert,
    doctor,
    evaluate,
    explain,
    fit,
    link,
    live,
    new,
    reproduce,
    results,
    run,
    tune,
)
from penstock.cli.command import EXAMPLE, VerbCommand
from penstock.cli.errors import report_errors
from penstock.cli.options import flag_option

app = typer.Typer(
    help=(
        "A laboratory for router queue management: simulate networks, compare queue schemes, explain them and "
        "reproduce published results."
    ),
    epilog="penstock VERB --help shows the options of a verb and an example.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    subcommand_metavar="VERB ...",
    context_settings={"help_option_names": ["-h", "--help"]},
)

VERBS: dict[str, tuple[Callable[..., None], str]] = {
    "run": (run.run, run.EXAMPLE),
    "compare": (compare.compare, compare.EXAMPLE),
    "evaluate": (evaluate.evaluate, evaluate.EXAMPLE),
    "tune": (tune.tune, tune.EXAMPLE),
    "fit": (fit.fit, fit.EXAMPLE),
    "challenge": (challenge.challenge, challenge.EXAMPLE),
    "link": (link.link, link.EXAMPLE),
    "live": (live.live, live.EXAMPLE),
    "check": (check.check, check.EXAMPLE),
    "explain": (explain.explain, explain.EXAMPLE),
    "convert": (convert.convert, convert.EXAMPLE),
    "results": (results.results, results.EXAMPLE),
    "reproduce": (reproduce.reproduce, reproduce.EXAMPLE),
    "doctor": (doctor.doctor, doctor.EXAMPLE),
    "new": (new.new, new.EXAMPLE),
}

for _name, (_verb, _example) in VERBS.items():
    app.command(_name, cls=VerbCommand, epilog=f"{EXAMPLE}{_example}")(report_errors(_verb))


@app.callback(invoke_without_command=True)
def _main(version: Annotated[bool, flag_option("--version", "Print the version.")] = False) -> None:
    if version:
        from penstock import _native

        print(f"penstock {_native.version}")
        raise typer.Exit
