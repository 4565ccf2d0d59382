"""The verbs. Results go to standard output; progress and warnings to standard error."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from penstock.errors import PenstockError, ScenarioError, nearest

app = typer.Typer(
    help="A laboratory for router queue management: simulate, compare, explain.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ScenarioFile = Annotated[str, typer.Argument(metavar="SCENARIO.toml", help="The scenario's file.", show_default=False)]
Settings = Annotated[
    list[str],
    typer.Option("--set", metavar="PATH=VALUE", help="Another value, such as links.bottleneck.rate=2Mbit; repeatable."),
]
Load = Annotated[list[str], typer.Option("--load", metavar="FILE.py", help="A file with laws in Python; repeatable.")]
JsonTarget = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="Write the result as JSON; - is stdout.")
]
HtmlTarget = Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a page that works offline.")]


def told(command: Callable[..., None]) -> Callable[..., None]:
    """Errors become messages and exit codes."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except PenstockError as error:
            fail(error)
        except BrokenPipeError:
            # Whoever read the output has seen enough; nothing more can be written at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None

    return wrapped


def fail(error: PenstockError) -> NoReturn:
    """Tell an error and leave."""
    print(error, file=sys.stderr)
    if isinstance(error, ScenarioError) and len(error.faults) > 1:
        print(f"{len(error.faults)} faults; nothing was run", file=sys.stderr)
    raise typer.Exit(error.exit_code)


@app.callback(invoke_without_command=True)
def _main(version: Annotated[bool, typer.Option("--version", help="Say the version.")] = False) -> None:
    if version:
        from penstock import _native

        print(f"penstock {_native.version}")
        raise typer.Exit


@app.command(epilog="Example: penstock run scenarios/thesis_link.toml --seed 7 --set traffic.extra.count=50")
@told
def run(
    scenario: ScenarioFile,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed; the scenario's own if not given.")] = None,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    trace: Annotated[
        str | None, typer.Option(metavar="DIR", help="Write packets.parquet and series.parquet into this folder.")
    ] = None,
    pcap: Annotated[
        list[str],
        typer.Option(metavar="[NAME=]FILE", help="Write what crosses the watched link, or link NAME; repeatable."),
    ] = [],  # noqa: B006
    flows: Annotated[
        bool, typer.Option("--flows", help="Results of each flow, also with more than 1000 flows.")
    ] = False,
) -> None:
    """Run a scenario once."""
    from penstock.engine import run as runs
    from penstock.scenario.scenario import read_document
    from penstock.studies.tables import run_grids, text

    json_file, html_file = target(json_target, "--json"), target(html, "--html")
    wanted = pcap_targets(pcap)
    load_laws(load)
    document = read_document(scenario, settings)
    if trace is not None or wanted:
        from penstock.engine.pcap import captures
        from penstock.engine.trace import run_kept

        resolved = document.resolve()
        result = run_kept(
            resolved,
            int(resolved.shown["seed"]) if seed is None else seed,
            None if trace is None else Path(trace),
            captures(resolved.canonical["links"], wanted),
            flows=flows or runs.count_flows(resolved) <= runs.MOST_FLOWS,
            series=html_file is not None,
        )
    else:
        result = runs.run(document, seed, flows=True if flows else None, series=html_file is not None)
    say(f"1 run of {result.scenario['duration']}, seed {result.seed}: {result.events} events in {result.cpu_s:.3g} s")
    answer = result.to_dict()
    if html_file is not None:
        write_page(answer, html_file)
    answer.pop("series", None)
    if json_target is not None:
        emit(json.dumps(answer, indent=1, ensure_ascii=False) + "\n", json_file)
    if json_target != "-":
        out(text(run_grids(result)))


@app.command(
    epilog="Example: penstock compare scenarios/thesis_link.toml --scheme droptail --scheme red:gentle=true "
    "--vary traffic.extra.count=25,50 --runs 5"
)
@told
def compare(
    scenario: ScenarioFile,
    scheme: Annotated[
        list[str],
        typer.Option(
            metavar="[FILE.py:]NAME[:k=v,...]|@FILE.toml",
            help="A scheme with its settings, FILE.py: a law in Python; repeatable.",
            show_default=False,
        ),
    ],
    at: Annotated[
        list[str], typer.Option(metavar="LINK", help="Where the schemes stand; by default at the watched links.")
    ] = [],  # noqa: B006
    vary: Annotated[list[str], typer.Option(metavar="PATH=a,b,c", help="Values to sweep; several make a grid.")] = [],  # noqa: B006
    runs: Annotated[int, typer.Option(min=1, help="Runs of each cell, with seeds seed, seed + 1, ...")] = 30,
    precision: Annotated[
        str | None, typer.Option(metavar="METRIC=1%", help="Repeat until half the interval is below this share.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; by default all cores.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="First seed; the scenario's own if not given.")] = None,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
) -> None:
    """Compare schemes side by side, paired run by run, with confidence intervals."""
    from penstock.engine.progress import Watch
    from penstock.engine.run import cores
    from penstock.scenario.scenario import read_document
    from penstock.studies import compare as comparing
    from penstock.studies.candidate import Precision, parse_varies
    from penstock.studies.tables import plain_text

    json_file, html_file = target(json_target, "--json"), target(html, "--html")
    load_laws(load)
    goal = Precision.parse(precision) if precision else None
    document = read_document(scenario, settings)
    if seed is not None:
        document = document.set("seed", seed, "--seed")
    plan = comparing.Plan.make(document, scheme, parse_varies(vary), at)
    threads = jobs or cores()
    for note in plan.notes:
        say(note)
    say(plan.cost(runs, threads))
    watch = Watch(len(plan.cells) * runs)
    try:
        with watch:
            found = comparing.carry_out(plan, runs, goal, threads, watch.update)
            series = found.series(jobs=threads) if html_file is not None else []
    except KeyboardInterrupt:
        say(f"interrupted: {watch.finished} of {watch.planned} runs were finished; a comparison keeps none of them")
        raise typer.Exit(130) from None
    say(watch.summary())
    if json_target is not None:
        emit(found.to_json(), json_file)
    if json_target != "-":
        out(plain_text(found))
    if html_file is not None:
        write_page({**found.to_dict(), "series": series, "command": command_line()}, html_file)


@app.command("list", epilog="Example: penstock list schemes --json")
@told
def list_(
    what: Annotated[
        str, typer.Argument(metavar="[schemes|conditioners|tcp|traffic|metrics|papers]", help="What to list.")
    ] = "schemes",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List what there is: schemes, conditioners, TCP keys, traffic, metrics, papers."""
    from penstock.cli import listing

    kinds = listing.LISTS
    if what not in kinds:
        raise PenstockError(f'there is no list of "{what}"{nearest(what, kinds)}; there are: {", ".join(kinds)}')
    entries = kinds[what].entries()
    out(json.dumps(entries, indent=1, ensure_ascii=False) + "\n" if as_json else kinds[what].text(entries))


@app.command(epilog="Example: penstock explain red --link 20Mbit --rtt 80ms --flows 50..400")
@told
def explain(
    scheme: Annotated[
        str, typer.Argument(metavar="SCHEME", help="A scheme, with settings as in compare: red:max_p=0.2.")
    ],
    link: Annotated[str, typer.Option(metavar="RATE", help="Rate of the link.")] = "10Mbit",
    rtt: Annotated[str, typer.Option(metavar="TIME", help="Round-trip time without queueing.")] = "100ms",
    flows: Annotated[
        str | None,
        typer.Option(metavar="N|A..B", help="Number of flows, for rules that need it and for the queue law."),
    ] = None,
    limit: Annotated[str, typer.Option(metavar="LENGTH", help="Limit of the queue.")] = "1BDP",
    svg: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write its picture; with --flows, over the queue law.")
    ] = None,
    json_target: JsonTarget = None,
) -> None:
    """Explain a scheme or conditioner: its law, its parameters, its source, a picture, what it is good and bad at."""
    from penstock.explain import explanation
    from penstock.explain.conditioner import conditioner_text

    file, json_file = target(svg, "--svg"), target(json_target, "--json")
    if (text := conditioner_text(scheme, width())) is not None:
        if file is not None:
            raise PenstockError(f"{scheme} is a conditioner and has no drop function to draw")
        if json_target is not None:
            raise PenstockError(f"{scheme} is a conditioner: penstock list conditioners --json has what there is")
        out(text)
        return
    found = explanation.prepare(scheme, link, rtt, flows, limit)
    if json_target is not None:
        emit(json.dumps(found.as_json(), indent=1, ensure_ascii=False) + "\n", json_file)
    if json_target != "-":
        out(found.text(width()))
    if file is not None:
        found.draw(file)


@app.command(epilog="Example: penstock check scenarios/thesis_link.toml")
@told
def check(
    scenario: ScenarioFile,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    as_json: Annotated[bool, typer.Option("--json", help="The resolved scenario as JSON.")] = False,
) -> None:
    """Show the resolved scenario, every value in its canonical unit, or all of its faults at once."""
    from penstock.scenario.check import resolved_text
    from penstock.scenario.scenario import read_document

    load_laws(load)
    resolved = read_document(scenario, settings).resolve()
    out(json.dumps(resolved.shown, indent=1, ensure_ascii=False) + "\n" if as_json else resolved_text(resolved))


@app.command(epilog="Example: penstock report out/result.json -o out/result.html")
@told
def report(
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="What run or compare wrote with --json.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE.html", help="The page.", show_default=False)],
) -> None:
    """Make a self-contained page of a result."""
    file = target(output, "--output")
    try:
        answer = json.loads(Path(result).read_text(encoding="utf-8"))
    except OSError as error:
        raise PenstockError(f"{result}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise PenstockError(f"{result}: is not the JSON that run or compare writes with --json") from None
    if not isinstance(answer, dict) or "scenario" not in answer or not {"rows", "links"} & set(answer):
        raise PenstockError(f"{result}: is JSON, but not what run or compare writes with --json")
    if file is not None:
        write_page(answer, file)


@app.command(epilog="Example: penstock reproduce cc/fig4 --quick")
@told
def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER[/EXPERIMENT] ...]", help="Works or experiments; all if none is named."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few seeds and a part of each sweep.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The work's own seeds and lengths.")] = False,
    recorded: Annotated[bool, typer.Option("--recorded", help="Show the full runs kept with penstock.")] = False,
    list_them: Annotated[
        bool, typer.Option("--list", help="List works and experiments, with recorded verdicts.")
    ] = False,
    store: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where results are kept; by default in the user's cache.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; by default all cores.")] = None,
    figures: Annotated[str | None, typer.Option(metavar="DIR", help="Write each figure as PDF and SVG.")] = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    update: Annotated[
        bool, typer.Option("--update", help="In a checkout: record the outcome beside the work.")
    ] = False,
) -> None:
    """Remake a published work's figures and tables, with a verdict on each of its claims."""
    from penstock.reproduce import experiment_run as reproducing
    from penstock.reproduce import page as reproduction_page
    from penstock.reproduce import paper as papers
    from penstock.reproduce import text as reproduction_text

    experiments = papers.find(what or [])
    if list_them:
        out(reproduction_text.listed(experiments))
        return
    if quick + full + recorded > 1:
        raise PenstockError("--quick, --full and --recorded: give one of them")
    json_file, html_file = target(json_target, "--json"), target(html, "--html")
    if recorded:
        outcomes = reproducing.recorded(experiments)
        undrawn = [outcome.experiment.name for outcome in outcomes if outcome.undrawn]
        if undrawn and (figures is not None or html_file is not None):
            say(f"not drawn, as no points of them are recorded: {', '.join(undrawn)}")
    else:
        mode: reproducing.Mode = "quick" if quick else "full" if full else "normal"
        outcomes = carried_out(experiments, mode, store, jobs)
    written = reproduction_page.figures(outcomes, Path(figures)) if figures is not None else {}
    if json_target is not None:
        emit(json.dumps(reproducing.to_dict(outcomes, written), indent=1, ensure_ascii=False) + "\n", json_file)
    if json_target != "-":
        out(reproduction_text.text(outcomes))
    if html_file is not None:
        for page in reproduction_page.write(outcomes, html_file):
            say(f"page: {page}")
    if update:
        reproducing.update(outcomes, say)
    if failed := [f"{outcome.experiment.paper.alias}/{claim}" for outcome in outcomes for claim in outcome.failed]:
        say(f"claims that must hold and are not confirmed: {', '.join(failed)}")
        raise typer.Exit(3)


def carried_out(experiments: list[Any], mode: Any, store: str | None, jobs: int | None) -> list[Any]:
    """The outcome of each experiment; what an interruption leaves is in the store."""
    from penstock.engine.progress import Watch
    from penstock.engine.run import cores
    from penstock.reproduce import experiment_run as reproducing
    from penstock.studies.store import Store, default_folder

    kept = Store(Path(store) if store else default_folder())
    outcomes = []
    for experiment in experiments:
        say(f"{experiment.name}: {experiment.title}")
        watch = Watch(0)
        try:
            with watch:
                effort = reproducing.Effort(mode=mode, store=kept, jobs=jobs or cores(), progress=watch.update)
                outcomes.append(reproducing.carry_out(experiment, effort))
        except KeyboardInterrupt:
            say(
                f"interrupted in {experiment.name}; finished runs are kept in {kept.file}, and the same command goes on"
            )
            raise typer.Exit(130) from None
    return outcomes


@app.command(epilog="Example: penstock doctor")
@told
def doctor(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Say what this machine can do, and how to get what it cannot."""
    from penstock.engine import machine

    findings = machine.examine()
    out(json.dumps([vars(item) for item in findings], indent=1) + "\n" if as_json else machine.text(findings))


@app.command(epilog="Example: penstock new aqm my-red")
@told
def new(
    what: Annotated[str, typer.Argument(metavar="aqm|paper", help="What to begin.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, in small letters with hyphens.")],
    rust: Annotated[
        bool,
        typer.Option("--rust/--python", help="In Rust, into a checkout of penstock; or in Python, a file of its own."),
    ] = False,
    into: Annotated[str, typer.Option(metavar="DIR", help="The folder, or the checkout.")] = ".",
) -> None:
    """Begin a law or a reproduced work: write a template that works as it stands."""
    from penstock.cli import new as beginning

    out(beginning.begin(what, name, rust, Path(into)))


def load_laws(files: list[str]) -> None:
    """Make the laws of Python files known."""
    if files:
        from penstock.laws import python_law

        for file in files:
            python_law.load(file)


def out(text: str) -> None:
    """Write the result to standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def say(message: str) -> None:
    """A line for whoever watches, on standard error."""
    print(message, file=sys.stderr, flush=True)


def target(name: str | None, option: str) -> Path | None:
    """The file of an option, its folder made; a file that cannot be written is refused before anything is run."""
    if name is None or name == "-":
        return None
    path = Path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        existed = path.exists()
        path.open("a").close()
        if not existed:
            path.unlink()
    except OSError as error:
        raise PenstockError(f"{option} {name}: cannot be written: {error.strerror}") from None
    return path


def pcap_targets(options: list[str]) -> list[tuple[str | None, Path]]:
    """Links by name, `None` for the watched one, with the files of their packets; these cannot be standard output."""
    from penstock.engine.pcap import split

    found = []
    for link, name in map(split, options):
        file = target(name, "--pcap")
        if file is None:
            raise PenstockError("--pcap -: packets go into a file, not to standard output")
        found.append((link, file))
    return found


def emit(text: str, file: Path | None) -> None:
    """Write to a file at once and whole, or to standard output."""
    if file is None:
        out(text)
        return
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def write_page(result: dict[str, Any], file: Path) -> None:
    """The page of a result, with what it was made by."""
    from penstock.engine.machine import provenance
    from penstock.report import page as pages

    pages.write({**result, "provenance": provenance()}, file)
    say(f"page: {file}")


def command_line() -> str:
    """The command as it was given."""
    import shlex

    return shlex.join(["penstock", *sys.argv[1:]])


def width() -> int:
    """Columns for text: those of the terminal, at most 100."""
    import shutil

    return min(shutil.get_terminal_size((100, 24)).columns, 100)
