"""`penstock challenge`: the network in which a scheme loses most compared with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from penstock.cli.options import (
    MAX_RUNS,
    MAX_SEED,
    OUTPUT,
    Jobs,
    JsonTarget,
    Load,
    StoreFolder,
    argument,
    list_option,
    schemes_beginning,
    seconds_of,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, open_store, resumable
from penstock.cli.output_files import page_file
from penstock.errors import PenstockError, collect_errors
from penstock.files import write_text

if TYPE_CHECKING:
    from penstock.studies.candidate import SchemeLike

EXAMPLE = "penstock challenge codel --against droptail --metric utilization --budget 15s -o worst.toml"

Scheme = Annotated[
    str,
    argument(
        "SCHEME",
        "Scheme with parameters, e.g. red:gentle=true, or FILE.py:NAME for an AQM in Python.",
        autocompletion=schemes_beginning,
    ),
]
Against = Annotated[
    list[str],
    list_option(
        "--against",
        "SCHEME",
        "Rival; the best rival in each network counts; repeatable.",
        autocompletion=schemes_beginning,
    ),
]
MetricName = Annotated[
    str | None,
    value_option(
        "--metric",
        "METRIC",
        "utilization, delay_p99, loss, fairness, far_goodput or completion; default: the worst of the first four.",
    ),
]
BudgetTime = Annotated[
    str, value_option("--budget", "TIME", "Planned time on two cores; sets the number of networks tried.")
]
Runs = Annotated[
    int, value_option("--runs", "N", "Runs of each scheme in the confirmation, with fresh seeds.", min=2, max=MAX_RUNS)
]
FirstSeed = Annotated[int, value_option("--seed", "N", "Seed of the search.", min=0, max=MAX_SEED)]
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
    seed: FirstSeed = 1,
    jobs: Jobs = None,
    load: Load,
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    output: Output = None,
) -> None:
    """Find the network in which a scheme loses most compared with the best of its rivals; confirm it with fresh seeds.

    The network is simplified while most of the loss persists, and printed as a scenario file for `compare`. A rule
    describes the networks in which the scheme loses.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    outputs = Outputs.of(json_target)
    file = page_file(output, "-o") if output is not None else None
    load_aqms(load)
    if not against:
        raise PenstockError("--against: is missing; name the schemes to compare with, such as --against fq-codel")
    from penstock.challenges import display
    from penstock.challenges.challenge import challenge as search
    from penstock.engine.progress import Watch

    own, *rivals = _candidates(scheme, against)
    seconds = seconds_of(budget, "--budget")
    with resumable(), (watch := Watch(0)):
        result = search(
            own, rivals, metric=metric, runs=runs, seed=seed, budget_s=seconds, jobs=jobs, progress=watch.update,
            store=open_store(store),
        )  # fmt: skip
    notify(f"{result.run_count} runs in {len(result.trials)} networks")
    repeat = display.command([scheme, *against], runs, output, load)
    outputs.show(display.text(result, repeat))
    outputs.write_json(result.to_dict())
    if file is not None:
        write_text(file, display.scenario_file(result, repeat))
        notify(f"scenario: {file}")


def _candidates(scheme: str, against: list[str]) -> list[SchemeLike]:
    """The schemes of the command line. Raises `ScenarioError` with all their errors."""
    from penstock.studies.candidate import ALL, Candidate

    def candidate(named: tuple[str, str]) -> SchemeLike:
        text, origin = named
        return text if named == (ALL, "--against") else Candidate.parse(text, f"{origin} {text}")

    return collect_errors(candidate, [(scheme, "SCHEME"), *((each, "--against") for each in against)])
