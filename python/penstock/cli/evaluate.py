"""`penstock evaluate`: the scenarios of RFC 7928 for a scheme, against drop-tail."""

from __future__ import annotations

from typing import Annotated

from penstock.cli.options import (
    HtmlTarget,
    Jobs,
    JsonTarget,
    Load,
    StoreFolder,
    argument,
    complete_scheme_names,
    flag_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, open_store, show_progress

EXAMPLE = "penstock evaluate codel pie --quick --html codel.html"

Schemes = Annotated[
    list[str],
    argument(
        "SCHEME ...",
        "Schemes with parameters, e.g. red:gentle=true, or AQMs in Python; compared with drop-tail.",
        autocompletion=complete_scheme_names,
    ),
]
Quick = Annotated[
    bool, flag_option("--quick", "Shorter runs (120 s instead of 300 s), 5 runs instead of 10, fewer round-trip times.")
]


def evaluate(
    *,
    schemes: Schemes,
    quick: Quick = False,
    jobs: Jobs = None,
    load: Load,
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
) -> None:
    """Run the scenarios of RFC 7928 (AQM characterization guidelines).

    Prints a row for each scenario and scheme. The page of --html also has trade-off diagrams.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    from penstock.evaluation import evaluate as evaluation

    outputs = Outputs.from_options(json_target, html)
    load_aqms(load)
    extent, opened = evaluation.QUICK if quick else evaluation.FULL, open_store(store)
    with show_progress(opened) as watch:
        result = evaluation.evaluate(schemes, extent, jobs=jobs, progress=watch.update, store=opened)
    if not outputs.json_on_stdout:
        from penstock.evaluation import display

        outputs.show(display.evaluation_text(result))
    outputs.write_json(result.to_dict())
    if outputs.html is not None:
        from penstock.evaluation import page
        from penstock.results.display import scheme_argument
        from penstock.studies.candidate import Candidate
        from penstock.studies.repeat import command_script

        candidates = [(each.name, each.params) for each in Candidate.from_schemes(schemes)]
        verb = ["penstock", "evaluate", *(scheme_argument(*each) for each in candidates)]
        page.write(result, outputs.html, command_script(verb, None, [["--quick"]] if quick else [], candidates))
        notify(f"page: {outputs.html}")
