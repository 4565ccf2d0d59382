"""`penstock reproduce`: the figures, tables and claims of published works."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli.options import OUTPUT, HtmlTarget, Jobs, JsonTarget, StoreFolder
from penstock.cli.output import json_text, notify, output_file, output_folder, print_result, write_json
from penstock.errors import PenstockError

EXAMPLE = "penstock reproduce cc/fig4 --quick"


Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="PAPER[/EXPERIMENT]", help="Papers or experiments, e.g. cc or cc/fig4; default: all."),
]
Quick = Annotated[bool, typer.Option("--quick", help="Few seeds and part of each sweep: a first look.")]
Full = Annotated[bool, typer.Option("--full", help="The number of seeds and the run length of the paper.")]
Recorded = Annotated[bool, typer.Option("--recorded", help="Show the recorded full runs; run nothing.")]
ListThem = Annotated[bool, typer.Option("--list", help="List papers and experiments with their recorded verdicts.")]
FigureFolder = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Write each figure as PDF and SVG to this folder.", rich_help_panel=OUTPUT),
]
Update = Annotated[
    bool, typer.Option("--update", help="In a checkout of penstock: record the outcome in the folder of the paper.")
]


def reproduce(
    names: Names = None,
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
    """Reproduce figures and tables of a published paper, with a verdict on each claim.

    By default the whole sweep is run with at most 10 seeds; with --full the claims are also decided in the
    author's set-up as reconstructed.
    Finished runs are kept: rerun an interrupted command to resume it.
    """
    from penstock.reproduce import effort, experiment_run, page, paper, record, text

    experiments = paper.find(names or [])
    if list_them:
        print_result(text.listed(experiments))
        return
    if quick + full + recorded > 1:
        raise PenstockError("--quick, --full and --recorded exclude each other")
    json_file, html_file = output_file(json_target, "--json"), output_file(html, "--html")
    figure_folder = output_folder(figures, "--figures")
    if recorded:
        outcomes = record.recorded(experiments)
        missing = [outcome.experiment.name for outcome in outcomes if outcome.undrawn]
        if missing and (figure_folder is not None or html_file is not None):
            notify(f"not drawn, because no points are recorded: {', '.join(missing)}")
    else:
        mode: effort.Mode = "quick" if quick else "full" if full else "normal"
        outcomes = _run(experiments, mode, store, jobs)
    if json_target != "-":
        print_result(text.text(outcomes))
    written = page.figures(outcomes, figure_folder) if figure_folder is not None else {}
    if json_target is not None:
        write_json(json_text(experiment_run.to_dict(outcomes, written)), json_file)
    if html_file is not None:
        for file in page.write(outcomes, html_file):
            notify(f"page: {file}")
    if update:
        record.update(outcomes, notify)
    if failed := [f"{outcome.experiment.paper.alias}/{claim}" for outcome in outcomes for claim in outcome.failed]:
        notify(f"claims that must hold and are not confirmed: {', '.join(failed)}")
        raise typer.Exit(3)


def _run(experiments: list[Any], mode: Any, store: str | None, jobs: int | None) -> list[Any]:
    """Run experiments; after Ctrl-C the finished runs stay in the store."""
    from penstock.engine.progress import Watch
    from penstock.engine.run import cores
    from penstock.reproduce import experiment_run
    from penstock.reproduce.effort import Effort
    from penstock.studies.store import Store

    kept = Store(store)
    outcomes = []
    for experiment in experiments:
        notify(f"{experiment.name}: {experiment.title}")
        watch = Watch(0)
        try:
            with watch:
                effort = Effort(mode=mode, store=kept, jobs=jobs or cores(), progress=watch.update)
                outcomes.append(experiment_run.run(experiment, effort))
        except KeyboardInterrupt:
            notify(
                f"interrupted in {experiment.name}; finished runs are kept in {kept.folder}; "
                "rerun the same command to resume"
            )
            raise typer.Exit(130) from None
    if kept.problem:
        notify(kept.problem)
    return outcomes
