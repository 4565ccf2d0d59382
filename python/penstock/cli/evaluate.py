"""`penstock evaluate`: the scenarios of RFC 7928 for a scheme, against drop-tail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from penstock.cli.options import HtmlTarget, Jobs, JsonTarget, Load, StoreFolder, argument, flag, schemes_beginning
from penstock.cli.output import Outputs, load_aqms, notify, open_store, resumable

if TYPE_CHECKING:
    from penstock.evaluation.evaluate import Evaluation

EXAMPLE = "penstock evaluate codel pie --quick --html codel.html"

Schemes = Annotated[
    list[str],
    argument(
        "SCHEME ...",
        "Schemes with parameters, e.g. red:gentle=true, or AQMs in Python; compared with drop-tail.",
        autocompletion=schemes_beginning,
    ),
]
Quick = Annotated[
    bool, flag("--quick", "Shorter runs (120 s instead of 300 s), 5 runs instead of 10, fewer round-trip times.")
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

    Reports one row per section, with trade-off diagrams.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    outputs = Outputs.of(json_target, html)
    load_aqms(load)
    result = _evaluation(schemes, quick, jobs, store)
    if not outputs.json_on_stdout:
        from penstock.evaluation import display

        outputs.show(display.text(result))
    outputs.write_json(result.to_dict())
    if outputs.html is not None:
        from penstock.evaluation import page

        page.write(result, outputs.html, _script(schemes, quick))
        notify(f"page: {outputs.html}")


def _script(schemes: list[str], quick: bool) -> str:
    """The shell script that repeats the evaluation."""
    from penstock.results.display import scheme_argument
    from penstock.studies.candidate import Candidate
    from penstock.studies.repeat import command_script

    candidates = [(each.name, each.params) for each in Candidate.all_of(schemes)]
    verb = ["penstock", "evaluate", *(scheme_argument(*each) for each in candidates)]
    return command_script(verb, options=[["--quick"]] if quick else [], schemes=candidates)


def _evaluation(schemes: list[str], quick: bool, jobs: int | None, store: str | None) -> Evaluation:
    from penstock.evaluation.evaluate import FULL, QUICK, evaluate

    opened = open_store(store)
    with resumable():
        return evaluate(
            schemes,
            QUICK if quick else FULL,
            jobs=jobs,
            progress=lambda title, number, total: notify(f"{number + 1} of {total}: {title}"),
            store=opened,
        )
