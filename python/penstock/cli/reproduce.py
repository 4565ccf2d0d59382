"""`penstock reproduce`: the figures, tables and claims of published works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.exit_codes import ExitCode
from penstock.cli.options import OUTPUT, HtmlTarget, Jobs, JsonTarget, StoreFolder, flag_option, value_option
from penstock.cli.output import Outputs, notify, show_progress
from penstock.cli.output_files import output_folder
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.reproduce.effort import Mode

EXAMPLE = "penstock reproduce cc/fig4 --quick"


Names = Annotated[
    list[str],
    typer.Argument(
        metavar="[PAPER[/EXPERIMENT] ...]",
        help="Papers or experiments, e.g. cc or cc/fig4; default: all.",
        default_factory=list,
    ),
]
Quick = Annotated[
    bool, flag_option("--quick", "A first look: fewer seeds, part of each sweep, and in some experiments shorter runs.")
]
Full = Annotated[
    bool,
    flag_option("--full", "Run all planned seeds, and also decide the claims in the set-up as printed."),
]
Recorded = Annotated[bool, flag_option("--recorded", "Show the recorded outcome; run nothing.")]
ListThem = Annotated[bool, flag_option("--list", "List papers and experiments with their recorded verdicts.")]
FigureFolder = Annotated[
    str | None, value_option("--figures", "DIR", "Write each figure as PDF and SVG to this folder.", OUTPUT)
]
Update = Annotated[bool, flag_option("--update", "Record the outcome in the folder of the paper.")]


def reproduce(
    *,
    names: Names,
    quick: Quick = False,
    full: Full = False,
    recorded: Recorded = False,
    list_them: ListThem = False,
    store: StoreFolder = None,
    jobs: Jobs = None,
    figures: FigureFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    update: Update = False,
) -> None:
    """Reproduce figures and tables of published papers, with a verdict on each claim.

    If a paper's set-up has been reconstructed, the runs use this set-up instead of the one printed in the paper. By
    default, the whole sweep runs, with at most 10 seeds.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    from penstock.reproduce import experiment_run, page, paper, record, text

    outputs = Outputs.from_options(json_target, html)
    if quick + full + recorded > 1:
        raise PenstockError("--quick, --full and --recorded exclude each other")
    experiments = paper.find_experiments(names)
    if list_them:
        outputs.show(text.experiment_list(experiments))
        outputs.write_json([_listed(experiment) for experiment in experiments])
        return
    figure_folder = output_folder(figures, "--figures")
    if recorded:
        outcomes = record.recorded_outcomes(experiments)
        missing = [outcome.experiment.name for outcome in outcomes if outcome.lacks_figure_points]
        if missing and (figure_folder is not None or outputs.html is not None):
            notify(f"not drawn, because no points are recorded: {', '.join(missing)}")
    else:
        outcomes = _run(experiments, "quick" if quick else "full" if full else "normal", store, jobs)
    outputs.show(text.outcomes_text(outcomes))
    written = page.write_figures(outcomes, figure_folder) if figure_folder is not None else {}
    outputs.write_json(experiment_run.outcomes_to_dict(outcomes, written))
    if outputs.html is not None:
        for file in page.write_pages(outcomes, outputs.html):
            notify(f"page: {file}")
    if update:
        record.update_record(outcomes, notify)
    if failed := [
        f"{outcome.experiment.paper.alias}/{claim}" for outcome in outcomes for claim in outcome.failed_claims
    ]:
        notify(f"required claims not confirmed: {', '.join(failed)}")
        raise typer.Exit(ExitCode.REFUTED)


def _listed(experiment: Any) -> dict[str, str]:
    """An experiment in the JSON of the list."""
    return {"paper": experiment.paper.name, "id": experiment.id, "name": experiment.name, "title": experiment.title}


def _run(experiments: list[Any], mode: Mode, store: str | None, jobs: int | None) -> list[Any]:
    """Run experiments; after Ctrl-C the finished runs stay in the store."""
    from penstock.engine.run import core_count
    from penstock.reproduce import experiment_run
    from penstock.reproduce.effort import ReproductionEffort
    from penstock.studies.store import Store

    results = Store(store)
    outcomes = []
    for experiment in experiments:
        notify(f"{experiment.name}: {experiment.title}")
        with show_progress(results) as watch:
            effort = ReproductionEffort(mode=mode, store=results, jobs=jobs or core_count(), progress=watch.update)
            outcomes.append(experiment_run.run_experiment(experiment, effort))
    return outcomes
