"""The record of the full runs of a paper: `results.json`, `points.parquet`, and the verdicts in its README."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from penstock import _native
from penstock.files import read_text, write_text
from penstock.reproduce import points
from penstock.reproduce.claim import count_badges, count_verdicts
from penstock.reproduce.effort import ReproductionEffort
from penstock.reproduce.experiment_run import (
    Outcome,
    claim_with_reason,
    outcomes_by_paper,
    paper_cost,
    recorded_paper_cost,
)
from penstock.reproduce.paper import Experiment, Paper
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table

__all__ = ["recorded_outcomes", "update_record"]

# Fields that are left out of the record when they have these values.
SILENT = {
    "measured": None,
    "ci95": None,
    "must_hold": False,
    "parts": None,
    "direction": None,
    "distance": None,
    "badge": None,
    "partial": False,
    "recorded": None,
    "printed": None,
    "reason": None,
}

_EARLIER = ((r"(\d+ of \d+) hold\b", r"\1 confirmed"), (r"(\d+) asked\b", r"\1 required"), (r"\basked\b", "required"))
"""Words of earlier records and of today: "3 of 4 hold, 3 asked" is "3 of 4 confirmed, 3 required"."""


def recorded_outcomes(experiments: Iterable[Experiment]) -> list[Outcome]:
    """The recorded outcomes of these experiments, without experiments that were never run in full."""
    outcomes = []
    files: dict[str, tuple[Mapping[str, Any], Mapping[str, SummaryTable]]] = {}
    for experiment in experiments:
        paper = experiment.paper
        if paper.name not in files:
            files[paper.name] = _entries(paper), points.read_points(paper.points_file)
        entries, summaries = files[paper.name]
        entry = entries.get(experiment.id)
        if entry is not None:
            cost = entry["runs"], entry["seeds"], entry["cpu_s"]
            summary, setup = _summary(experiment, summaries), entry.get("setup", "")
            outcomes.append(Outcome(experiment, *cost, entry["claims"], summary, setup=setup))
    return outcomes


def _entries(paper: Paper) -> dict[str, dict[str, Any]]:
    """The entries of `results.json` by experiment, with all fields of the claims and the current reasons and words."""
    return {
        entry["id"]: {**entry, "claims": [claim_with_reason(paper, _reworded(claim)) for claim in entry["claims"]]}
        for entry in (paper.recorded_results() or {}).get("experiments", [])
    }


def _reworded(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded claim with all its fields, in the words of today."""
    texts = {"printed": _in_todays_words(claim["printed"])} if claim.get("printed") else {}
    return {**SILENT, **_in_todays_words(claim), **texts}


def _in_todays_words(decision: Mapping[str, Any]) -> dict[str, Any]:
    return {**decision, "why": _today(decision["why"])} if "why" in decision else dict(decision)


def _today(text: str) -> str:
    for earlier, word in _EARLIER:
        text = re.sub(earlier, word, text)
    return text


def _summary(experiment: Experiment, summaries: Mapping[str, SummaryTable]) -> SummaryTable | None:
    """The recorded numbers of an experiment; numbers of formulas are not recorded, but computed again."""
    if hasattr(experiment.module, "rows"):
        return SummaryTable.from_table(Table.from_formulas(experiment.module.rows(ReproductionEffort("full"))))
    return summaries.get(experiment.id)


def update_record(outcomes: Sequence[Outcome], say: Callable[[str], object]) -> None:
    """Write the outcomes into the papers' `results.json` and `points.parquet`, and their verdicts into the READMEs."""
    for paper, own in outcomes_by_paper(outcomes):
        now = {outcome.experiment.id: {**outcome.to_dict(), "meaning": _native.meaning} for outcome in own}
        entries = {**_entries(paper), **now}
        experiments = [entries[item.id] for item in paper.experiments if item.id in entries]
        summaries = points.read_points(paper.points_file)
        summaries |= {
            each.experiment.id: _drawn(each.experiment, each.summary) for each in own if each.summary is not None
        }
        points.write_points(
            paper.points_file, {entry["id"]: summaries.get(entry["id"], SummaryTable(())) for entry in experiments}
        )
        lines = ",\n".join(_line(paper, entry) for entry in experiments)
        cost = paper_cost(paper, own) or recorded_paper_cost(paper, experiments)
        head = json.dumps({"paper": paper.name, "penstock": _native.version, **cost})[:-1]
        write_text(paper.results_file, f'{head}, "experiments": [\n{lines}\n]}}\n')
        readme = paper.folder / "README.md"
        text = read_text(readme)
        write_text(readme, _with_status(text, status_table(paper, experiments, cost)))
        say(f"{paper.results_file}: {len(now)} experiments written")


def _drawn(experiment: Experiment, summary: SummaryTable) -> SummaryTable:
    """The numbers from which the figure is drawn; none if they come from formulas."""
    draw = experiment.draw
    return (
        SummaryTable(()) if draw is None or hasattr(experiment.module, "rows") else summary.restricted_to_figure(draw)
    )


def _line(paper: Paper, entry: Mapping[str, Any]) -> str:
    """The entry of an experiment in `results.json`, without fields that its module and `why.toml` provide."""
    claims = [_brief(paper, claim) for claim in entry["claims"]]
    rest = {name: value for name, value in entry.items() if name != "title"}
    return json.dumps({**rest, "claims": claims}, separators=(",", ":"), ensure_ascii=False)


def _brief(paper: Paper, claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim without empty fields, and without a reason that `why.toml` provides."""
    kept = {name: value for name, value in claim.items() if name != "recorded"}
    fields = {name: value for name, value in kept.items() if name not in SILENT or value != SILENT[name]}
    bare = {name: value for name, value in fields.items() if name != "reason"}
    return bare if claim_with_reason(paper, bare) == fields else fields


def status_table(paper: Paper, experiments: Sequence[Mapping[str, Any]], cost: Mapping[str, float]) -> str:
    """The verdicts of a paper as a table in Markdown, with the cost of each experiment and of the whole paper."""
    claims = [(entry["id"], claim) for entry in experiments for claim in entry["claims"]]
    total, badged = (count(claim for _, claim in claims) for count in (count_verdicts, count_badges))
    lines = [
        ", ".join(f"{number} {verdict}" for verdict, number in total.items()) + ".",
        "By badge: " + ", ".join(f"{number} {badge}" for badge, number in badged.items()) + ".",
        "",
        "| claim | says | condition | simulated | verdict | badge | as printed |",
        "|---|---|---|---|---|---|---|",
    ]
    for _, claim in claims:
        reading = f" (reading: {claim['reading']})" if claim.get("reading") else ""
        why = f"{claim['why']}; {claim['reason']['text']}" if claim.get("reason") else claim["why"]
        head = (f"{paper.alias}/{claim['id']}{reading}", claim["says"], claim["expected"], why)
        printed = claim["printed"]["verdict"] if claim.get("printed") else ""
        cells = (*head, claim["verdict"], claim.get("badge") or "", printed)
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
