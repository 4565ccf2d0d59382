"""`penstock challenge`: the network in which a scheme does worst compared with its rivals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from penstock.cli.options import (
    MAX_RUNS,
    MAX_SEED,
    OUTPUT,
    HtmlTarget,
    Jobs,
    JsonTarget,
    Load,
    StoreFolder,
    argument,
    complete_scheme_names,
    list_option,
    parse_seconds,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, open_store, show_progress
from penstock.cli.output_files import output_file_of_type
from penstock.errors import ErrorDetail, ScenarioError, UnknownNameError, append_errors_to
from penstock.files import write_text

if TYPE_CHECKING:
    from penstock.studies.candidate import Candidate

EXAMPLE = "penstock challenge codel --against droptail --metric utilization --budget 15s -o worst.toml"

Scheme = Annotated[
    str,
    argument(
        "SCHEME",
        "Scheme with parameters, e.g. red:gentle=true, or FILE.py:NAME for an AQM in Python.",
        autocompletion=complete_scheme_names,
    ),
]
Against = Annotated[
    list[str],
    list_option(
        "--against",
        "SCHEME",
        "Rival scheme; repeatable. In each network the best rival counts.",
        autocompletion=complete_scheme_names,
    ),
]
MetricName = Annotated[
    str | None,
    value_option(
        "--metric",
        "METRIC",
        "utilization, delay_p99, loss, fairness, far_goodput or completion; default: in each network, whichever of the "
        "first four has the largest deficit.",
    ),
]
BudgetTime = Annotated[
    str, value_option("--budget", "TIME", "Planned time on two cores; determines how many networks are tried.")
]
Runs = Annotated[
    int, value_option("--runs", "N", "Runs of each scheme in the confirmation, with fresh seeds.", min=2, max=MAX_RUNS)
]
SearchSeed = Annotated[int, value_option("--seed", "N", "Seed of the search.", min=0, max=MAX_SEED)]
Output = Annotated[
    str | None, value_option("-o --output", "FILE.toml", "Write the network as a scenario file.", OUTPUT)
]


def challenge(
    *,
    scheme: Scheme,
    against: Against,
    metric: MetricName = None,
    budget: BudgetTime = "60s",
    runs: Runs = 10,
    seed: SearchSeed = 1,
    jobs: Jobs = None,
    load: Load,
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    output: Output = None,
) -> None:
    """Find the network in which a scheme does worst compared with its best rival; confirm it with fresh seeds.

    Each metric is converted to a benefit, for example loss to the delivery ratio and delay to 1 / round-trip time. The
    deficit is the percentage by which the scheme's benefit is below the rival's. The network is simplified while at
    least 80 % of the deficit remains, and printed as a scenario file for `compare`. If fresh networks confirm a rule
    about the networks with a large deficit, this rule is printed, too.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    from penstock.challenges import display
    from penstock.challenges.challenge import challenge as search

    outputs = Outputs.from_options(json_target, html)
    file = output_file_of_type(output, "-o", ".toml") if output is not None else None
    load_aqms(load)
    (challenged, *rivals), criterion, budget_s = _request(scheme, against, metric, budget)
    opened = open_store(store)
    with show_progress(opened) as watch:
        result = search(
            challenged,
            rivals,
            metric=criterion,
            runs=runs,
            seed=seed,
            budget_s=budget_s,
            jobs=jobs,
            progress=watch.update,
            store=opened,
        )
    notify(f"{result.run_count} runs in {len(result.trials)} networks")
    repeat = display.repeat_command([scheme, *against], runs, output, load)
    outputs.show(display.challenge_text(result, repeat))
    outputs.write_json(result.to_dict())
    if outputs.html is not None:
        from penstock.challenges import page

        page.write(result, outputs.html, repeat, _script(result.schemes, metric, budget, runs, seed))
        notify(f"page: {outputs.html}")
    if file is not None:
        write_text(file, display.scenario_file_text(result, repeat))
        notify(f"scenario: {file}")


def _script(schemes: tuple[Candidate, ...], metric: str | None, budget: str, runs: int, seed: int) -> str:
    """The shell script that repeats the challenge."""
    from penstock.results.display import scheme_argument
    from penstock.studies.repeat import command_script

    candidates = [(each.name, each.params) for each in schemes]
    challenged, *rivals = (scheme_argument(*each) for each in candidates)
    options = [
        *(["--against", rival] for rival in rivals),
        *([] if metric is None else [["--metric", metric]]),
        ["--budget", budget],
        ["--runs", str(runs)],
        ["--seed", str(seed)],
    ]
    return command_script(["penstock", "challenge", challenged], options=options, schemes=candidates)


def _request(
    scheme: str, against: list[str], metric: str | None, budget: str
) -> tuple[tuple[Candidate, ...], str | None, float]:
    """The schemes, the metric and the budget in seconds. Raises `ScenarioError` with all errors."""
    from penstock.challenges.challenge import parse_schemes
    from penstock.challenges.criteria import find_criterion

    errors: list[ErrorDetail] = []
    schemes: tuple[Candidate, ...] = ()
    budget_s = 0.0
    with append_errors_to(errors):
        schemes = parse_schemes(scheme, against)
    try:
        metric = None if metric is None else find_criterion(metric)
    except UnknownNameError as error:
        errors.append(ErrorDetail("", str(error), None, f"--metric {metric}"))
    with append_errors_to(errors):
        budget_s = parse_seconds(budget, "--budget")
    if errors:
        raise ScenarioError(errors)
    return schemes, metric, budget_s
