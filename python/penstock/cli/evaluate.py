"""`penstock evaluate`: the scenarios of RFC 7928 for a scheme, against drop-tail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import HtmlTarget, Jobs, JsonTarget, Load, StoreFolder, schemes_beginning
from penstock.cli.output import (
    json_text,
    load_laws,
    notify,
    open_store,
    output_file,
    print_result,
    resumable,
    write_json,
)

if TYPE_CHECKING:
    from penstock.evaluation.evaluate import Evaluation

EXAMPLE = "penstock evaluate codel pie --quick --html codel.html"

Schemes = Annotated[
    list[str],
    typer.Argument(
        metavar="SCHEME...",
        help="Schemes with parameters, e.g. red:gentle=true, or laws in Python; drop-tail is always there.",
        show_default=False,
        autocompletion=schemes_beginning,
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="120 s instead of 300 s, 5 runs instead of 10, fewer round trips.")
]


def evaluate(
    schemes: Schemes,
    quick: Quick = False,
    jobs: Jobs = None,
    load: Load = [],  # noqa: B006
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
) -> None:
    """Run the scenarios of RFC 7928 (AQM characterization guidelines), a row a section, with trade-off diagrams.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    json_file, html_file = output_file(json_target, "--json"), output_file(html, "--html")
    load_laws(load)
    found = _evaluation(schemes, quick, jobs, store)
    if json_target != "-":
        from penstock.evaluation import shown

        print_result(shown.text(found))
    if json_target is not None:
        write_json(json_text(found.to_dict()), json_file)
    if html_file is not None:
        from penstock.evaluation import page

        page.write(found, html_file)
        notify(f"page: {html_file}")


def _evaluation(schemes: list[str], quick: bool, jobs: int | None, store: str | None) -> Evaluation:
    from penstock.evaluation.evaluate import FULL, QUICK, evaluate

    kept = open_store(store)
    with resumable():
        return evaluate(
            schemes,
            QUICK if quick else FULL,
            jobs=jobs,
            progress=lambda title, number, total: notify(f"{number + 1} of {total}: {title}"),
            store=kept,
        )
