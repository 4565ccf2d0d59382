"""Reproduction of published works: run experiments, decide their claims, record the outcome beside the work."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.figure import Figure

from penstock import _native
from penstock.files import write_text
from penstock.reproduce import points
from penstock.reproduce.claim import Decided, counts, decide
from penstock.reproduce.effort import Effort
from penstock.reproduce.paper import Experiment, Paper
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["Outcome", "recorded", "run", "to_dict", "update", "whole_cost"]

# Seeds of the rounds of a normal reproduction, which ends once every claim is decided.
ROUNDS = (5, 10, 20, 50, 100)

# Fields that are left out of the record when they have these values.
SILENT = {"measured": None, "ci95": None, "must_hold": False}


@dataclass(frozen=True)
class Outcome:
    """The outcome of an experiment.

    Attributes:
        experiment: the experiment.
        runs: number of distinct runs, including those of first passes.
        seeds: largest number of runs of a cell.
        cpu_s: processor time of all these runs in seconds, including runs found in the store.
        claims: the decided claims.
        shown: the numbers of its figure; `None` if the outcome is from a record that lacks them.
        cost: processor time of each run in seconds, by scenario and seed; `None` if the outcome is from the record.

    """

    experiment: Experiment
    runs: int
    seeds: int
    cpu_s: float
    claims: Sequence[Mapping[str, Any]]
    shown: SummaryTable | None
    cost: Mapping[tuple[str, int], float] | None = None

    @property
    def undrawn(self) -> bool:
        """Whether the figure cannot be drawn for lack of recorded points."""
        return self.shown is None and self.experiment.draw is not None

    @property
    def failed(self) -> list[str]:
        """The claims that must hold and are not confirmed."""
        return [claim["id"] for claim in self.claims if claim["must_hold"] and claim["verdict"] != "confirmed"]

    def figure(self) -> Figure | None:
        """The figure, if the experiment has one and its numbers are known."""
        draw = self.experiment.draw
        return None if draw is None or self.shown is None else draw(self.shown)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as `penstock reproduce --json` writes it."""
        return {
            "id": self.experiment.id,
            "title": self.experiment.title,
            "runs": self.runs,
            "seeds": self.seeds,
            "cpu_s": round(self.cpu_s, 1),
            "claims": list(self.claims),
        }


def run(experiment: Experiment, effort: Effort) -> Outcome:
    """Run an experiment and decide its claims."""
    module, effort = experiment.module, replace(effort, cost={})
    if hasattr(module, "rows") or hasattr(module, "table"):
        table = experiment.table(effort)
        return _outcome(experiment, effort, table, decide(experiment.claims(table)))
    study: Study = module.study(effort)
    rounds = [*(n for n in ROUNDS if n < study.most_seeds), study.most_seeds] if effort.mode == "normal" else [None]
    for seeds in rounds:
        table = effort.table(study if seeds is None else study.limited(seeds), experiment.measure)
        decided = decide(experiment.claims(table))
        if all(one.finding.verdict != "inconclusive" for one in decided):
            break
    return _outcome(experiment, effort, table, decided)


def _outcome(experiment: Experiment, effort: Effort, table: Table, decided: Iterable[Decided]) -> Outcome:
    claims = [_with_reason(experiment.paper, one.to_dict()) for one in decided]
    cost = effort.cost
    return Outcome(experiment, len(cost), table.seeds, sum(cost.values()), claims, SummaryTable.of(table), cost)


def _with_reason(paper: Paper, claim: dict[str, Any]) -> dict[str, Any]:
    """The claim with the reason of `why.toml`, if it is contradicted and has no reason of its own."""
    alone = claim["verdict"] == "contradicted" and not claim.get("reading") and not claim.get("because")
    reason = paper.reasons.get(claim["id"]) if alone else None
    return {**claim, "because": reason} if reason else claim


def recorded(experiments: Iterable[Experiment]) -> list[Outcome]:
    """The recorded outcomes of these experiments; those that were never run in full are left out."""
    found = []
    files: dict[str, tuple[Mapping[str, Any], Mapping[str, SummaryTable]]] = {}
    for experiment in experiments:
        paper = experiment.paper
        if paper.name not in files:
            files[paper.name] = _entries(paper), points.read(paper.points_file)
        entries, shown = files[paper.name]
        entry = entries.get(experiment.id)
        if entry is not None:
            cost = entry["runs"], entry["seeds"], entry["cpu_s"]
            found.append(Outcome(experiment, *cost, entry["claims"], _known(experiment, shown)))
    return found


def _entries(paper: Paper) -> dict[str, dict[str, Any]]:
    """The entries of `results.json` by experiment, with all fields of the claims and the current reasons."""
    return {
        entry["id"]: {**entry, "claims": [_with_reason(paper, {**SILENT, **claim}) for claim in entry["claims"]]}
        for entry in (paper.recorded() or {}).get("experiments", [])
    }


def _known(experiment: Experiment, shown: Mapping[str, SummaryTable]) -> SummaryTable | None:
    """The recorded numbers of an experiment; those of formulas are not recorded, but computed again."""
    if hasattr(experiment.module, "rows"):
        return SummaryTable.of(Table.exact(experiment.module.rows(Effort("full"))))
    return shown.get(experiment.id)


def to_dict(outcomes: Sequence[Outcome], files: Mapping[str, Sequence[str]] | None = None) -> Any:
    """As `penstock reproduce --json` writes it: one work, or an array of several."""
    works = []
    for paper, own in by_paper(outcomes):
        experiments = [
            {**outcome.to_dict(), "files": list((files or {}).get(outcome.experiment.name, ()))} for outcome in own
        ]
        summary = counts(claim for outcome in own for claim in outcome.claims)
        head = {"paper": paper.name, "penstock": _native.version, **whole_cost(paper, own)}
        works.append({**head, "experiments": experiments, "summary": summary})
    return works[0] if len(works) == 1 else works


def by_paper(outcomes: Iterable[Outcome]) -> list[tuple[Paper, list[Outcome]]]:
    """The outcomes of each work."""
    found: dict[str, tuple[Paper, list[Outcome]]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.experiment.paper.name, (outcome.experiment.paper, []))[1].append(outcome)
    return list(found.values())


def whole_cost(paper: Paper, own: Sequence[Outcome]) -> Mapping[str, float]:
    """Runs (`runs`) and processor time (`cpu_s`) of a whole work; a run that experiments share counts once.

    Empty if the cost is unknown: for a part of a work, or if its experiments were recorded one by one.
    """
    if {outcome.experiment.id for outcome in own} != set(paper.about["experiments"]):
        return {}
    costs = [outcome.cost for outcome in own if outcome.cost is not None]
    if len(costs) < len(own):
        return _recorded_cost(paper, [outcome.to_dict() for outcome in own])
    runs = {key: cpu_s for cost in costs for key, cpu_s in cost.items()}
    return {"runs": len(runs), "cpu_s": round(sum(runs.values()), 1)}


def _recorded_cost(paper: Paper, entries: Iterable[Mapping[str, Any]]) -> Mapping[str, float]:
    """The recorded cost of a whole work, if the costs of its experiments are still those of the record."""
    record = paper.recorded() or {"experiments": ()}
    now, then = (
        {each["id"]: (each["runs"], each["cpu_s"]) for each in some} for some in (entries, record["experiments"])
    )
    return {name: record[name] for name in ("runs", "cpu_s") if name in record and now == then}


def update(outcomes: Sequence[Outcome], say: Callable[[str], object]) -> None:
    """Write the outcomes into the works' `results.json` and `points.parquet`, and their verdicts into the READMEs."""
    for paper, own in by_paper(outcomes):
        now = {outcome.experiment.id: {**outcome.to_dict(), "meaning": _native.meaning} for outcome in own}
        kept = {**_entries(paper), **now}
        experiments = [kept[item.id] for item in paper.experiments if item.id in kept]
        shown = points.read(paper.points_file)
        shown |= {each.experiment.id: _drawn(each.experiment, each.shown) for each in own if each.shown is not None}
        points.write(
            paper.points_file, {entry["id"]: shown.get(entry["id"], SummaryTable(())) for entry in experiments}
        )
        lines = ",\n".join(_line(paper, entry) for entry in experiments)
        cost = whole_cost(paper, own) or _recorded_cost(paper, experiments)
        head = json.dumps({"paper": paper.name, "penstock": _native.version, **cost})[:-1]
        write_text(paper.results_file, f'{head}, "experiments": [\n{lines}\n]}}\n')
        readme = paper.folder / "README.md"
        text = readme.read_text(encoding="utf-8")
        write_text(readme, _with_status(text, status_table(paper, experiments, cost)))
        say(f"{paper.results_file}: {len(now)} experiments written")


def _drawn(experiment: Experiment, shown: SummaryTable) -> SummaryTable:
    """The numbers that the figure is drawn from; none if they are those of formulas."""
    draw = experiment.draw
    return SummaryTable(()) if draw is None or hasattr(experiment.module, "rows") else shown.drawn_by(draw)


def _line(paper: Paper, entry: Mapping[str, Any]) -> str:
    """The entry of an experiment in `results.json`, without fields that its module and `why.toml` provide."""
    claims = [_brief(paper, claim) for claim in entry["claims"]]
    rest = {name: value for name, value in entry.items() if name != "title"}
    return json.dumps({**rest, "claims": claims}, separators=(",", ":"), ensure_ascii=False)


def _brief(paper: Paper, claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim without empty fields, and without a reason that `why.toml` provides."""
    said = {name: value for name, value in claim.items() if name not in SILENT or value != SILENT[name]}
    bare = {name: value for name, value in said.items() if name != "because"}
    return bare if _with_reason(paper, bare) == said else said


def status_table(paper: Paper, experiments: Sequence[Mapping[str, Any]], cost: Mapping[str, float]) -> str:
    """The verdicts of a work as a table in Markdown, with the cost of each experiment and of the whole work."""
    claims = [(entry["id"], claim) for entry in experiments for claim in entry["claims"]]
    total = counts(claim for _, claim in claims)
    lines = [
        ", ".join(f"{number} {verdict}" for verdict, number in total.items()) + ".",
        "",
        "| claim | says | asked | measured | verdict |",
        "|---|---|---|---|---|",
    ]
    for _, claim in claims:
        reading = f" (reading: {claim['reading']})" if claim.get("reading") else ""
        why = f"{claim['why']}; {claim['because']}" if claim.get("because") else claim["why"]
        cells = (f"{paper.alias}/{claim['id']}{reading}", claim["says"], claim["expected"], why, claim["verdict"])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", *_cost_table(experiments, cost)])


def _cost_table(experiments: Sequence[Mapping[str, Any]], cost: Mapping[str, float]) -> list[str]:
    return [
        "CPU time of all runs of an experiment, first passes included; experiments share runs.",
        "",
        "| experiment | runs | seeds | CPU time (s) |",
        "|---|---|---|---|",
        *(
            f"| {entry['id']} | {entry['runs']} | {entry['seeds']} | {entry['cpu_s']:.0f} |"
            if entry["runs"]
            else f"| {entry['id']} | formulas | | |"
            for entry in experiments
        ),
        *([f"| all, each run once | {cost['runs']} | | {cost['cpu_s']:.0f} |"] if cost else []),
    ]


def _with_status(text: str, table: str) -> str:
    begin, end = "<!-- status: written by reproduce -->", "<!-- end of status -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.S)
    return pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text)
