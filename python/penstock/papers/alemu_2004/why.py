"""Why claims are contradicted: the claims of other experiments, decided again with one thing changed in all runs.

A cell of the table is a claim, and its number for each change is 1 where the claim is confirmed, -1 where it is
contradicted, 0 where it is undecided. What makes a claim hold stands in `why.toml`, from which contradicted claims
get their reason; the claims of these experiments are that the runs show what stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

from penstock.papers.alemu_2004.changes import CHANGES, NAMED, PAIRS, changed
from penstock.plots import style
from penstock.reproduce import paper, why
from penstock.reproduce.claim import Claim, decide
from penstock.reproduce.experiment_run import Effort
from penstock.reproduce.paper import Experiment
from penstock.reproduce.statement import Statement, by_table
from penstock.results.sample import Condition, Finding, Sample
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Labels, Table

SEEDS = 5
"""Runs of each cell: a tenth or less of those of the claims themselves."""
FEW = 8
"""Changes where only few loads are run."""
CODES = {"confirmed": 1.0, "contradicted": -1.0}
NONE = "none"
"""What makes a claim hold, where no change does."""
Row = Mapping[str, str]


def own(experiment: str) -> Callable[..., Claim]:
    """What makes the claims of such an experiment: they are the reproduction's, not the thesis'."""

    def claim(name: str, says: str, holds: Statement, expected: str = "") -> Claim:
        return Claim(f"{experiment}/{name}", says, holds, expected, reading="own")

    return claim


def among(chosen: Callable[[Labels], bool], holds: Statement, without: str) -> Statement:
    """A statement on the cells whose labels fulfil something, which need not have a label of the same name then."""

    def condition(table: Table) -> Condition:
        own = [cell for cell in table.cells if chosen(cell[0])]
        return holds.on(Table([({**labels, without: None}, samples) for labels, samples in own]))

    return by_table(condition, holds.text)


def named(experiment: str) -> Experiment:
    """Another experiment of the thesis."""
    (found,) = paper.find([f"alemu/{experiment}"])
    return found


def reasons(name: str) -> list[Row]:
    """The entries of `why.toml` that an experiment shows."""
    known = why.entries(Path(__file__).parent)
    return [{"claim": claim, **entry} for claim, entry in known.items() if entry["shown_by"] == name]


def table(effort: Effort, name: str, quick: str = "", changes: Iterable[str] = CHANGES) -> Table:
    """Verdicts of the claims that the experiment explains; in a quick reproduction of those of `quick` only.

    Where `loads` is "few" the study is that of a quick reproduction: the same sweep with fewer points, and the first
    changes only.
    """
    rows = reasons(name)
    verdicts: dict[str, dict[str, Sample]] = {row["claim"]: {} for row in rows}
    for experiment, loads in dict.fromkeys((row["experiment"], row["loads"]) for row in rows):
        if effort.quick and experiment != quick:
            continue
        own = {row["claim"] for row in rows if (row["experiment"], row["loads"]) == (experiment, loads)}
        made = list(changes)[: 2 if effort.quick else FEW if loads == "few" else None]
        for change in made if effort.quick or experiment in NAMED else [*made, *PAIRS]:
            for claim, code in _verdicts(effort, experiment, loads == "few", change):
                if claim in own:
                    verdicts[claim][change] = Sample(code)
    return Table([({"claim": claim}, found) for claim, found in verdicts.items() if found], seeds=SEEDS)


def _verdicts(effort: Effort, experiment: str, few: bool, change: str) -> Iterator[tuple[str, float]]:
    """The claims of an experiment with something changed."""
    other = named(experiment)
    study = other.module.study(replace(effort, mode="quick") if few else effort)
    runs = effort.table(changed(study, change, SEEDS), other.measure)
    for one in decide(claim for claim in other.claims(runs) if not claim.reading):
        yield one.claim.id, CODES.get(one.finding.verdict, 0.0)


def claims(found: Table, name: str) -> Iterator[Claim]:
    """For each experiment: its reasons are what the runs show, of the changes that were made."""
    known = {labels["claim"]: verdicts for labels, verdicts in found.cells}
    rows = [row for row in reasons(name) if row["claim"] in known]
    for experiment in dict.fromkeys(row["experiment"] for row in rows):
        own = [row for row in rows if row["experiment"] == experiment]
        yield Claim(
            id=f"{name}/{experiment}",
            says=f"what makes claims of {experiment} hold is what why.toml says: {len(own)} of them",
            expected=f"the same verdicts in {len(known[own[0]['claim']])} set-ups with {SEEDS} runs",
            holds=_told({row["claim"]: _differs(row, known[row["claim"]]) for row in own}),
            reading="own",
        )


def _differs(row: Row, verdicts: Mapping[str, Sample]) -> list[str]:
    """The changes with which a claim holds though the reason does not say so, or the other way round."""
    listed = row["holds_with"].split("; ")
    return [change for change, code in verdicts.items() if (change in listed) != (code.mean > 0)]


def _told(differences: Mapping[str, Sequence[str]]) -> Condition:
    wrong = [f"{claim} with {', '.join(changes)}" for claim, changes in differences.items() if changes]
    why = "; ".join(wrong) or f"{len(differences)} of {len(differences)} hold"
    return Condition(lambda: Finding("contradicted" if wrong else "confirmed", None, why))


def draw(shown: SummaryTable) -> Figure:
    """Claims against changes: a full circle where a claim holds, an empty one where it is undecided."""
    names = shown.axis("claim")
    changes = list(dict.fromkeys(change for _, verdicts in shown.cells for change in verdicts))
    with style.styled():
        figure = Figure(figsize=(style.WIDTH * 1.3, 0.11 * len(names) + 1.6), layout="constrained")
        ax = figure.add_subplot()
        for face, code in (("black", 1.0), ("white", 0.0)):
            at = [
                (changes.index(change), names.index(labels["claim"]))
                for labels, verdicts in shown.cells
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
