"""`penstock compare`: compare schemes on one or several scenarios, or run a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from penstock.cli.options import (
    MARGIN,
    MAX_RUNS,
    MAX_SEED,
    Attempts,
    ExecutionMode,
    FailIf,
    HtmlTarget,
    Jobs,
    JsonTarget,
    Links,
    Load,
    Margin,
    MaxEvents,
    MaxMemory,
    Schemes,
    Settings,
    StoreFolder,
    Where,
    argument,
    flag_option,
    list_option,
    parse_margin,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms
from penstock.cli.study_input import StudyChanges, is_study_file, read_study, study_from_scenarios
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.studies.study_file import StudyFile

EXAMPLE = (
    "penstock compare scenarios/thesis_link.toml --scheme droptail --scheme red:gentle=true "
    "--vary traffic.extra.count=25,50 --runs 5"
)
RUNS = 30

CLUSTER = "Many runs"
"""Help heading of the options for large studies."""

Inputs = Annotated[
    list[str],
    argument(
        "SCENARIO.toml|STUDY.toml ...",
        "One or several scenarios, or a study file (base scenarios, axes, schemes, seeds); options override its keys.",
    ),
]
Varied = Annotated[
    list[str], list_option("--vary", "PATH=a,b,c", "Values of a key to sweep; repeatable: several keys form a grid.")
]
Runs = Annotated[
    int | None,
    value_option(
        "--runs",
        "N",
        f"Runs of each scheme at each swept value, with consecutive seeds; default: {RUNS}, or the study's.",
        min=1,
        max=MAX_RUNS,
    ),
]
FirstSeed = Annotated[
    int | None,
    value_option("--seed", "N", "First of the consecutive seeds; default: the scenario's.", min=0, max=MAX_SEED),
]
PrecisionGoal = Annotated[
    str | None,
    value_option(
        "--precision",
        "METRIC=1%",
        "Add runs, up to 1000 per scheme, until the half-width of the metric's 95 % interval is at most this share of "
        "the mean. This is checked after --runs runs, then after about each doubling; the intervals are corrected for "
        "these repeated checks.",
    ),
]
DryRun = Annotated[
    bool, flag_option("--dry-run", "Estimate processor time and disk space from a sample of the runs; store nothing.")
]
ShardText = Annotated[
    str | None,
    value_option("--shard", "I/N", "Run only shard I of N, for job arrays whose jobs share a store.", CLUSTER),
]
ClusterAddress = Annotated[
    str | None,
    value_option(
        "--cluster", "ADDRESS", "Run on a Dask cluster; give the address or the file of its scheduler.", CLUSTER
    ),
]
Slurm = Annotated[
    int | None,
    value_option("--slurm", "N", "Print the script of a SLURM job array with N jobs; run nothing.", CLUSTER, min=1),
]
SlurmTime = Annotated[
    str | None,
    value_option("--time", "TIME", "With --slurm: time limit of a job, as for sbatch; default: 24:00:00.", CLUSTER),
]
SlurmCpus = Annotated[
    int | None, value_option("--cpus-per-task", "N", "With --slurm: threads of a job; default: 4.", CLUSTER, min=1)
]
SlurmMemory = Annotated[
    str | None,
    value_option("--mem", "SIZE", "With --slurm: memory of a job, such as 4G; default: the cluster's.", CLUSTER),
]


def compare(
    *,
    inputs: Inputs,
    schemes: Schemes,
    at: Links,
    vary: Varied,
    runs: Runs = None,
    precision: PrecisionGoal = None,
    on: Where = ExecutionMode.simulation,
    attempts: Attempts = 3,
    jobs: Jobs = None,
    seed: FirstSeed = None,
    settings: Settings,
    load: Load,
    fail_if: FailIf,
    margin: Margin = MARGIN,
    dry_run: DryRun = False,
    shard: ShardText = None,
    cluster: ClusterAddress = None,
    slurm: Slurm = None,
    time: SlurmTime = None,
    cpus: SlurmCpus = None,
    memory: SlurmMemory = None,
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    max_events: MaxEvents = None,
    max_memory: MaxMemory = None,
) -> None:
    """Compare schemes on the same traffic: means, and differences paired by seed, with 95 % confidence intervals.

    Each scheme replaces the queue of the watched links. The seeds are consecutive and start with the scenario's seed.

    Finished simulations are stored. If you repeat the command, for example with more values, schemes or runs, it
    executes only the missing ones. Several machines can use the same store at the same time.
    """
    from penstock.cli.compare_scenario import ScenarioRequest, compare_scenario
    from penstock.cli.compare_study import StudyRequest, compare_study
    from penstock.cli.slurm_array import SlurmOptions

    outputs = Outputs.from_options(json_target, html)
    load_aqms(load)
    changes = StudyChanges(schemes, at, vary, runs, seed, settings)
    array = SlurmOptions(slurm, time, cpus, memory, load)
    large = {"--dry-run": dry_run, "--shard": shard, "--cluster": cluster, "--slurm": slurm}
    used = [option for option, value in large.items() if value]
    array.check()
    share = parse_margin(margin)
    file = _study(inputs, changes, as_study=bool(used))
    if file is None:
        budget = (max_events, max_memory)
        request = ScenarioRequest(inputs[0], changes, runs or RUNS, precision, jobs, store, fail_if, share, budget)
        compare_scenario(request, outputs, attempts=attempts if on == ExecutionMode.link else None)
        return
    _refuse(on=on, precision=precision)
    study = StudyRequest(file, inputs, changes, jobs, store, fail_if, share, cluster, shard, dry_run, array)
    compare_study(study, outputs)


def _study(inputs: list[str], changes: StudyChanges, *, as_study: bool) -> StudyFile | None:
    """The study to run; None for a single scenario, unless it is run `as_study`."""
    studies = [path for path in inputs if is_study_file(path)]
    if studies and len(inputs) > 1:
        raise PenstockError(
            f"{studies[0]}: a study file must be the only input; list further scenarios in its key base"
        )
    if studies:
        return read_study(studies[0], changes)
    if len(inputs) == 1 and not as_study:
        return None
    return study_from_scenarios(inputs, changes, changes.runs or RUNS)


def _refuse(*, on: ExecutionMode, precision: str | None) -> None:
    """Raise `PenstockError` for options that only a comparison on one scenario accepts."""
    is_set = {"--on link": on == ExecutionMode.link, f"--precision {precision}": precision is not None}
    for option in (option for option, is_given in is_set.items() if is_given):
        raise PenstockError(
            f"{option}: requires a single scenario, and cannot be combined with --shard, --cluster, --slurm or "
            "--dry-run"
        )
