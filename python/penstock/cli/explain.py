"""`penstock explain`: a scheme or conditioner as text and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import JsonTarget, schemes_beginning
from penstock.cli.output import json_text, output_file, print_result, terminal_width, write_json
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.explain.on_link import OnLink

EXAMPLE = "penstock explain red --link 20Mbit --rtt 80ms --flows 50..400"


def explain(
    scheme: Annotated[
        str,
        typer.Argument(
            metavar="SCHEME",
            help="Scheme or conditioner, with parameters as in red:max_p=0.2.",
            autocompletion=schemes_beginning,
        ),
    ],
    link: Annotated[str, typer.Option(metavar="RATE", help="Rate of the link.")] = "10Mbit",
    rtt: Annotated[str, typer.Option(metavar="TIME", help="Round-trip time without queueing.")] = "100ms",
    flows: Annotated[
        str | None,
        typer.Option(metavar="N|A..B", help="Number of TCP flows or a range: adds the operating point of law and TCP."),
    ] = None,
    limit: Annotated[str, typer.Option(metavar="LENGTH", help="Buffer size.")] = "1BDP",
    scenario: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Scenario: its link, round trip, flows and buffer, in place of the options."),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="LINK", help="Link of it; default: the first watched one.")] = None,
    svg: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the picture as SVG, PDF or PNG; with --flows, the operating point."),
    ] = None,
    json_target: JsonTarget = None,
) -> None:
    """Explain a scheme or conditioner: formulas, parameters, source, picture, strengths and weaknesses."""
    from penstock.explain import explanation
    from penstock.explain.conditioner import conditioner_text
    from penstock.explain.on_link import OnLink

    svg_file, json_file = output_file(svg, "--svg"), output_file(json_target, "--json")
    if (text := conditioner_text(scheme, terminal_width())) is not None:
        if svg_file is not None:
            raise PenstockError(f"--svg: {scheme} is a conditioner and has no drop function to draw")
        if json_target is not None:
            raise PenstockError(f"--json: {scheme} is a conditioner; use penstock list conditioners --json")
        print_result(text)
        return
    if scenario is None:
        found = explanation.prepare(scheme, link, rtt, flows, limit)
        on_link = OnLink.of_options(found)
    else:
        on_link = _on_link(scheme, scenario, at)
        found = explanation.prepare(on_link.scheme, **on_link.options)
    if json_target != "-":
        print_result(found.text(terminal_width()) + ("" if on_link is None else "\n" + on_link.text(found)))
    if json_target is not None:
        write_json(json_text(found.as_json() | ({} if on_link is None else on_link.as_json(found))), json_file)
    if svg_file is not None:
        found.draw(svg_file)


def _on_link(scheme: str, scenario: str, at: str | None) -> OnLink:
    """The scheme on a link of a scenario."""
    from penstock.explain.on_link import OnLink
    from penstock.scenario.scenario import read_document

    return OnLink.of(scheme, read_document(scenario, []), at)
