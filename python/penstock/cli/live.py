"""`penstock live`: one page with the engine in it."""

from __future__ import annotations

from typing import Annotated

from penstock.cli.options import (
    OUTPUT,
    JsonTarget,
    Load,
    Settings,
    argument,
    complete_scheme_names,
    flag_option,
    list_option,
    single_link,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms, notify
from penstock.cli.output_files import output_file_of_type

EXAMPLE = "penstock live scenarios/thesis_link.toml --scheme pi -o live.html --no-open"

Input = Annotated[
    str | None,
    argument("[SCENARIO.toml]", "Scenario file; default: an example in which RED oscillates and PI does not."),
]
Output = Annotated[str, value_option("-o --output", "FILE.html", "The page to write.", OUTPUT)]
Schemes = Annotated[
    list[str],
    list_option(
        "--scheme",
        "NAME[:k=v,...]",
        "Scheme for another pane, next to the scenario's own queue; repeatable, up to three times.",
        autocompletion=complete_scheme_names,
    ),
]
Watched = Annotated[list[str], list_option("--at", "LINK", "Link to watch; default: the first watched one.")]


def live(
    *,
    scenario: Input = None,
    schemes: Schemes,
    at: Watched,
    no_open: Annotated[bool, flag_option("--no-open", "Do not open the page in a browser.")] = False,
    settings: Settings,
    load: Load,
    output: Output = "live.html",
    json_target: JsonTarget = None,
) -> None:
    """Write an interactive page that works offline. It simulates schemes side by side under the same traffic."""
    from penstock.files import write_text
    from penstock.live.page import bench_page
    from penstock.live.page_data import DEFAULT, DEFAULT_SCHEMES, live_page_data
    from penstock.scenario.document import read_document

    outputs, file = Outputs.from_options(json_target), output_file_of_type(output, "-o", ".html")
    load_aqms(load)
    document = read_document(scenario or DEFAULT, settings)
    content = live_page_data(document, schemes or ([] if scenario else DEFAULT_SCHEMES), single_link(at, "live"))
    write_text(file, bench_page(content))
    notify(f"page: {file}")
    outputs.write_json({"page": str(file), **{key: content[key] for key in ("name", "seed", "place", "panes")}})
    if not no_open:
        import webbrowser

        webbrowser.open(file.resolve().as_uri())
