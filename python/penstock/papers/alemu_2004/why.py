"""Why claims are contradicted: they are decided again with something changed in all runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from penstock.plots import style
from penstock.reproduce import paper, why
from penstock.reproduce.claim import decide
from penstock.reproduce.figure import Claim, Effort, Exhibit, Statement, Study, SummaryTable, by_table, metric
from penstock.reproduce.paper import Experiment
from penstock.results.condition import Condition, Finding
from penstock.results.sample import Sample
from penstock.results.table import Labels, Table

from .changes import CHANGES, CITED, NAMED, OF_CODES, PAIRS, changed
from .setup import claim

# A cell of the table is a claim, and its number for each change is 1 if the claim is confirmed, -1 if contradicted and
# 0 if undecided. `why.toml` lists the changes with which a claim holds; these experiments claim that the runs agree.
SEEDS = 5
"""Runs of each cell: at most a tenth of those of the claims themselves."""
FEW = 8
"""Number of changes that are tried where only few loads are run."""
CODES = {"confirmed": 1.0, "contradicted": -1.0}
Row = Mapping[str, str]


class Holds(NamedTuple):
    """The changes with which a claim holds, its experiment, its loads as in `why.toml`, and the runs."""

    experiment: str
    loads: str
    changes: Sequence[str]
    seeds: int


def own(experiment: str) -> Callable[..., Claim]:
    """A function for the claims of an experiment that are the reproduction's own, not the thesis'."""

    def own_claim(name: str, holds: Statement, expected: str = "", *, says: str = "", **more: Any) -> Claim:
        words = {"expected": expected, "reading": "own", **more}
        id_ = f"{experiment}/{name}"
        return Claim(id_, says, holds, **words) if says else claim(id_, holds, **words)

    return own_claim


def among(chosen: Callable[[Labels], bool], holds: Statement, without: str) -> Statement:
    """A statement on the cells whose labels fulfil a condition; the label `without` is taken off them."""

    def condition(table: Table) -> Condition:
        own = [cell for cell in table.cells if chosen(cell[0])]
        return holds.on(Table([({**labels, without: None}, samples) for labels, samples in own]))

    return by_table(condition, holds.text)


def named(experiment: str) -> Experiment:
    """Another experiment of the thesis."""
    (match,) = paper.find([f"alemu/{experiment}"])
    return match


def reasons(name: str) -> list[Row]:
    """The entries of `why.toml` whose runs an experiment has."""
    entries = why.entries(Path(__file__).parent)
    return [{"claim": claim, **entry} for claim, entry in entries.items() if entry["shown_by"] == name]


def verdicts(other: Experiment, runs: Table) -> dict[str, Sample]:
    """The main claims of an experiment on a table: 1 confirmed, -1 contradicted, 0 undecided."""
    decided = decide(claim for claim in other.claims(runs) if not claim.reading)
    return {decision.claim.id: Sample(CODES.get(decision.finding.verdict, 0.0)) for decision in decided}


def study_of(effort: Effort, other: Experiment, loads: str) -> Study:
    """The study of an experiment; with "few" loads that of a quick reproduction, which has fewer points."""
    study: Study = other.module.study(replace(effort, mode="quick") if loads == "few" else effort)
    return study


def changes_shown(name: str, quick: str = "", changes: Iterable[str] = CHANGES) -> Callable[[Effort], Table]:
    """A `table`: the verdict of each claim that an experiment explains, with each change.

    A quick reproduction has only the claims of the experiment `quick`; "few" loads have only the first changes.
    """

    def table(effort: Effort) -> Table:
        rows = reasons(name)
        codes_of: dict[str, dict[str, Sample]] = {row["claim"]: {} for row in rows}
        for experiment, loads in dict.fromkeys((row["experiment"], row["loads"]) for row in rows):
            if effort.quick and experiment != quick:
                continue
            other = named(experiment)
            own = {row["claim"] for row in rows if (row["experiment"], row["loads"]) == (experiment, loads)}
            tested = list(changes)[: 2 if effort.quick else FEW if loads == "few" else None]
            for change in tested if effort.quick or experiment in NAMED else [*tested, *PAIRS]:
                runs = effort.table(changed(study_of(effort, other, loads), change, SEEDS), other.measure)
                for id_, code in verdicts(other, runs).items():
                    if id_ in own:
                        codes_of[id_][change] = code
        return Table([({"claim": id_}, codes) for id_, codes in codes_of.items() if codes], seeds=SEEDS)

    return table


def as_explained(name: str) -> tuple[Claim, ...]:
    """A claim for each experiment: its claims hold with the changes that `why.toml` names, and with no other."""
    claims = []
    for experiment in dict.fromkeys(row["experiment"] for row in reasons(name)):
        rows = [row for row in reasons(name) if row["experiment"] == experiment]
        claims.append(
            own(name)(
                experiment,
                by_table(partial(_as_claimed, rows), f"the same verdicts in each set-up, with {SEEDS} runs"),
                needs={"claim": rows[0]["claim"]},
                says=f"what makes claims of {experiment} hold is what why.toml says: {len(rows)} of them",
            )
        )
    return tuple(claims)


def _as_claimed(rows: Sequence[Row], table: Table) -> Condition:
    codes_of = {labels["claim"]: codes for labels, codes in table.cells}
    own = {row["claim"]: _differs(row, codes_of[row["claim"]]) for row in rows if row["claim"] in codes_of}
    wrong = [f"{claim} with {', '.join(changes)}" for claim, changes in own.items() if changes]
    why = "; ".join(wrong) or f"{len(own)} of {len(own)} hold"
    return Condition(lambda _: Finding("contradicted" if wrong else "confirmed", None, why))


def _differs(row: Row, codes: Mapping[str, Sample]) -> list[str]:
    """The changes whose verdict differs from the reason: the claim holds and they are not listed, or the reverse."""
    listed = row["holds_with"].split("; ")
    return [change for change, code in codes.items() if (change in listed) != (code.mean > 0)]


def decided(holds: Mapping[str, Holds]) -> Callable[[Effort], Table]:
    """A `table`: the verdict of each claim with its changes. Quick: only those with few loads."""

    def table(effort: Effort) -> Table:
        cells = []
        for id_, (experiment, loads, changes, seeds) in holds.items():
            if effort.quick and loads == "all":
                continue
            other = named(experiment)
            study = study_of(effort, other, loads)
            others = tuple(replace(part, seeds=max(part.seeds, seeds)) for part in study.others)
            study = replace(study, seeds=max(study.seeds, seeds), others=others)
            for change in changes:
                study = changed(study, change, seeds)
            cells.append(({"claim": id_}, {"verdict": verdicts(other, effort.table(study, other.measure))[id_]}))
        return Table(cells, seeds=SEEDS)

    return table


def held(name: str, holds: Mapping[str, Holds]) -> tuple[Claim, ...]:
    """A claim for each: it holds with its changes."""
    return tuple(
        own(name)(
            claim,
            metric("verdict")(claim=claim) > 0.5,
            f"{seeds} runs a cell",
            needs={"claim": claim},
            says=f"holds with {' and '.join(changes)}",
        )
        for claim, (_, _, changes, seeds) in holds.items()
    )


def drawn(summary: SummaryTable) -> Figure:
    """Claims against changes: a full circle where a claim holds, an empty one where it is undecided."""
    names = summary.axis("claim")
    changes = list(dict.fromkeys(change for _, verdicts in summary.cells for change in verdicts))
    with style.styled():
        figure = Figure(figsize=(style.WIDTH * 1.3, 0.11 * len(names) + 1.6), layout="constrained")
        ax = figure.add_subplot()
        for face, code in (("black", 1.0), ("white", 0.0)):
            at = [
                (changes.index(change), names.index(labels["claim"]))
                for labels, verdicts in summary.cells
                for change in verdicts
                if verdicts[change].mean == code
            ]
            if at:
                xs, ys = zip(*at, strict=True)
                ax.scatter(xs, ys, s=9, color=face, edgecolors="black", linewidths=0.4)
        ax.set_xticks(range(len(changes)), changes, rotation=90, fontsize=5)
        ax.set_yticks(range(len(names)), names, fontsize=5)
        ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
        ax.grid(linewidth=0.2)
    return figure


def _with_each_change(number: int, of: str, quick: str = "", changes: Iterable[str] = CHANGES) -> Exhibit:
    name = f"why-{number}"
    title = f"Why claims of {of} are contradicted: each with one thing changed in all runs"
    return Exhibit(title, *as_explained(name), table=changes_shown(name, quick, changes), draw=drawn)


why_1 = _with_each_change(1, "chapter 1", changes=CITED)
why_2 = _with_each_change(2, "chapter 2", "tab2-2")
why_3 = _with_each_change(3, "chapter 3", "tab3-1")
why_4 = _with_each_change(4, "chapter 4 and of the conclusions")
why_5 = _with_each_change(5, "chapter 5", changes=OF_CODES)

SINGLE = {
    "tab2.2/c7": Holds("tab2-2", "all", ("adaptive REDs by themselves",), 10),
    "fig2.15a/c1": Holds("fig2-15", "all", ("strict",), 60),
    "fig3.1-2/c6": Holds("fig3-1-4", "few", ("ramp of ns-2", "delayed acknowledgements", "max_p up to 1"), 5),
    "fig4.5a/c4": Holds("fig4-5", "all", ("LRED over 1 s", "max_p up to 1"), 5),
    "ch1.dsred/c1": Holds("ch1", "all", ("DSRED up to the buffer",), 20),
    "concl/c4": Holds("ch4", "few", ("PSAND (1, 1) with 3 flows",), 100),
}

# The algorithms of chapter 1 drop each packet by itself, those of ns-2 space their drops. Section 2.4.5 speaks of
# "100 % drops" above Max: the strict mode. Neither the interval of LRED is printed nor the threshold at which DSRED
# drops everything.
why_single = Exhibit(
    "Why claims are contradicted that hold if single schemes are otherwise: the adaptive REDs, LRED, DSRED, thresholds",
    *held("why-single", SINGLE),
    table=decided(SINGLE),
)


SEVERAL = {
    "fig2.10d/c1": Holds("fig2-10", "all", ("delayed acknowledgements", "PSAND (2, 0.25)"), SEEDS),
    "fig3.7/c1": Holds("fig3-7", "few", ("delayed acknowledgements", "PSAND (2, 0.25)", "max_p up to 1"), 30),
    "fig4.5c/c1": Holds("fig4-5", "few", ("PSAND (1, 1)",), 30),
}
why_both = Exhibit(
    "Why claims are contradicted that seem to hold with none of the changes: several of them at once, or more runs",
    *held("why-both", SEVERAL),
    table=decided(SEVERAL),
)
