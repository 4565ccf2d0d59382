"""`penstock live`: one page with the engine in it."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.options import Settings, schemes_beginning
from penstock.cli.output import notify, output_file
from penstock.errors import PenstockError

EXAMPLE = "penstock live scenarios/thesis_link.toml --scheme pi -o live.html --no-open"


def live(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO.toml]", help="Scenario file; default: RED swings and PI calms it.", show_default=False
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE.html", help="The page to write.")
    ] = "live.html",
    scheme: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[:k=v,...]",
            help="Scheme of another pane, beside the scenario's own queue; repeatable, up to three.",
            show_default=False,
            autocompletion=schemes_beginning,
        ),
    ] = [],  # noqa: B006
    at: Annotated[
        str | None, typer.Option(metavar="LINK", help="Link to watch; default: the first watched one.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Write the page and do not open it.")] = False,
    settings: Settings = [],  # noqa: B006
) -> None:
    """Make a page to play with, offline: schemes side by side on the same traffic, and a slider for everything."""
    from penstock.files import write_text
    from penstock.live.material import DEFAULT, DEFAULT_SCHEMES, material
    from penstock.live.page import page
    from penstock.scenario.scenario import read_document

    file = output_file(output, "--output")
    if file is None:
        raise PenstockError("--output -: a page goes to a file, not to standard output")
    document = read_document(scenario or DEFAULT, settings)
    schemes = scheme or ([] if scenario else DEFAULT_SCHEMES)
    write_text(file, page(material(document, schemes, at)))
    notify(f"page: {file}")
    if not no_open:
        import webbrowser

        webbrowser.open(file.resolve().as_uri())
