"""`penstock convert`: a queue's settings from one dialect to another."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from penstock.cli.output import json_text, print_result
from penstock.errors import ErrorDetail, PenstockError, ScenarioError

EXAMPLE = "penstock convert --from penstock --to tc red:min_th=5,max_th=15,max_p=0.1,limit=60p --link 10Mbit"

Text = Annotated[
    str, typer.Argument(metavar="TEXT|-", help="The settings; - reads standard input.", show_default=False)
]
From = Annotated[
    str,
    typer.Option("--from", metavar="DIALECT", help="tc, cisco, junos, sonic, arista, dummynet, ns2, ns3 or penstock."),
]
To = Annotated[str, typer.Option("--to", metavar="DIALECT", help="Likewise.")]
LinkRate = Annotated[
    str | None, typer.Option("--link", metavar="RATE", help="Rate of the link, for values that depend on it.")
]
Packet = Annotated[
    str, typer.Option(metavar="SIZE", help="Mean packet, where one side counts bytes and the other packets.")
]
Device = Annotated[str, typer.Option(metavar="NAME", help="Interface in the lines to paste.")]


def convert(
    text: Text,
    source: From = "tc",
    to: To = "penstock",
    link: LinkRate = None,
    packet: Packet = "1000B",
    device: Device = "eth0",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Convert a queue's settings: those of Linux, routers and other simulators, and penstock's, both ways.

    Says what was rounded, and lists what the other side cannot say.
    """
    from penstock import dialects
    from penstock.units import UnitError, parse_rate, parse_size

    known = ", ".join(dialects.DIALECTS)
    errors = [
        ErrorDetail("", f'no dialect "{name}"; there are: {known}', None, option)
        for option, name in (("--from", source), ("--to", to))
        if name not in dialects.DIALECTS
    ]
    numbers: dict[str, float] = {}
    for option, given, parse in (("--link", link, parse_rate), ("--packet", packet, parse_size)):
        try:
            numbers[option] = 0.0 if given is None else float(parse(given))
        except UnitError as error:
            errors.append(ErrorDetail("", str(error), None, f"{option} {given}"))
    if errors:
        raise ScenarioError(errors)
    facts = dialects.Facts(numbers["--link"] or None, round(numbers["--packet"]), device)
    read = dialects.read(sys.stdin.read() if text == "-" else text, source, facts)
    facts = replace(facts, rate=facts.rate or read.rate)
    try:
        written = dialects.write(read.scheme, read.parameters, to, facts)
    except dialects.DialectError as error:
        raise PenstockError(f"--to {to}: {error}") from None
    notes = [*read.notes, *written.notes]
    found = {
        "scheme": read.scheme,
        "parameters": read.parameters,
        "rate": read.rate,
        "text": written.text,
        "notes": notes,
        "missing": {"unread": read.missing, "unsaid": written.missing},
    }
    print_result(json_text(found) if as_json else _shown(written.text, notes, read.missing, written.missing, to))


def _shown(text: str, notes: list[str], unread: list[str], unsaid: list[str], to: str) -> str:
    lines = [text]
    lines += [f"# {note}" for note in notes]
    lines += [f"# not converted: {item}" for item in unread]
    lines += [f"# {to} cannot say: {item}" for item in unsaid]
    return "\n".join(lines) + "\n"
