"""Reproduction of papers: run experiments and decide their claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from matplotlib.figure import Figure

from penstock import _native
from penstock.errors import PenstockError
from penstock.reproduce.claim import GRADES, DecidedClaim, count_badges, count_verdicts, decide_claims, is_counted
from penstock.reproduce.effort import ReproductionEffort
from penstock.reproduce.paper import Experiment, Paper
from penstock.results.summary_table import SummaryTable
from penstock.studies.runs import Runs
from penstock.studies.stored_runs import study_runs

__all__ = [
    "Outcome",
    "claim_with_reason",
    "outcomes_by_paper",
    "outcomes_to_dict",
    "paper_cost",
    "recorded_paper_cost",
    "run_experiment",
]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an experiment.

    Attributes:
        experiment: the experiment.
        run_count: number of distinct runs, including those of first passes.
        seeds: largest number of runs of a cell.
        cpu_s: processor time of all these runs in seconds, including runs found in the store.
        claims: the decided claims.
        summary: the numbers of its figure; `None` if the outcome is from a record that lacks them.
        effort: the extent of the runs, and their results; `None` if the outcome is from the record.
        setup: the set-up of the figure's runs: "printed" or "reconstructed"; empty if the two do not differ.

    """

    experiment: Experiment
    run_count: int
    seeds: int
    cpu_s: float
    claims: Sequence[Mapping[str, Any]]
    summary: SummaryTable | None
    effort: ReproductionEffort | None = None
    setup: str = ""

    @cached_property
    def runs(self) -> Runs:
        """The runs; the swept keys are the axes of the study and, if an experiment has several studies, `stage` from 1.

        Raises `PenstockError` if the outcome is from the record, or all its numbers are from formulas.
        """
        if self.effort is None or not self.effort.studies:
            reason = "its outcome is recorded" if self.effort is None else "its numbers are from formulas"
            raise PenstockError(f"{self.experiment.name} has no runs: {reason}")
        several = len(self.effort.studies) > 1
        cells = [
            replace(cell, labels={**({"stage": number} if several else {}), **cell.labels})
            for number, cells in enumerate(self.effort.studies, 1)
            for cell in cells
        ]
        return study_runs(cells, self.effort.store)

    @property
    def lacks_figure_points(self) -> bool:
        """Whether the figure cannot be drawn for lack of recorded points."""
        return self.summary is None and self.experiment.draw is not None

    @property
    def failed_claims(self) -> list[str]:
        """The claims that must hold and are not confirmed."""
        return [claim["id"] for claim in self.claims if claim["must_hold"] and claim["verdict"] != "confirmed"]

    def figure(self) -> Figure | None:
        """The figure, if the experiment has one and its numbers are known."""
        draw = self.experiment.draw
        return None if draw is None or self.summary is None else draw(self.summary)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as `penstock reproduce --json` writes it."""
        return {
            "id": self.experiment.id,
            "title": self.experiment.title,
            "runs": self.run_count,
            "seeds": self.seeds,
            "cpu_s": round(self.cpu_s, 1),
            **({"setup": self.setup} if self.setup else {}),
            "claims": list(self.claims),
        }


def run_experiment(experiment: Experiment, effort: ReproductionEffort) -> Outcome:
    """Run an experiment in the author's set-up and decide its claims; a full run also decides them as printed."""
    effort = replace(effort, cost={}, studies=[])
    change = experiment.reconstruction
    table = experiment.table(replace(effort, change=change))
    claims = [decision.to_dict() for decision in decide_claims(experiment.claims(table))]
    if change is not None and effort.mode == "full":
        printed = decide_claims(experiment.claims(experiment.table(effort)))
        of_main = {decision.claim.id: decision for decision in printed if not decision.claim.reading}
        claims = [_beside(claim, of_main.get(claim["id"])) for claim in claims]
    if effort.mode != "full":
        claims = _beside_record(experiment, claims)
    with_reasons = [claim_with_reason(experiment.paper, claim) for claim in claims]
    cost, setup = effort.cost, "" if change is None else "reconstructed"
    return Outcome(
        experiment,
        len(cost),
        table.seeds,
        sum(cost.values()),
        with_reasons,
        SummaryTable.from_table(table),
        effort,
        setup,
    )


def _beside(claim: dict[str, Any], printed: DecidedClaim | None) -> dict[str, Any]:
    """The claim, with its verdict in the set-up as printed if it is a main reading."""
    if printed is None or claim.get("reading"):
        return claim
    decided = printed.to_dict()
    return {**claim, "printed": {name: decided[name] for name in ("verdict", "badge", "why")}}


def _beside_record(experiment: Experiment, claims: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims; main readings with their verdicts in the recorded full runs."""
    entries = (experiment.paper.recorded_results() or {"experiments": ()})["experiments"]
    recorded = {
        claim["id"]: {"verdict": claim["verdict"], "badge": claim.get("badge")}
        for entry in entries
        if entry["id"] == experiment.id
        for claim in entry["claims"]
        if not claim.get("reading")
    }
    return [claim if claim.get("reading") else {**claim, "recorded": recorded.get(claim["id"])} for claim in claims]


def claim_with_reason(paper: Paper, claim: Mapping[str, Any]) -> dict[str, Any]:
    """The claim with the reason of `why.toml`, if it is not confirmed and has no reason of its own."""
    if not is_counted(claim) or claim["verdict"] in ("confirmed", "not comparable"):
        return {**claim}
    own = claim.get("reason")
    listed = paper.reasons.get(claim["id"])
    if own is None or own["grade"] == "none":
        own = {"text": listed.text, "grade": listed.grade} if listed else {"text": GRADES["none"], "grade": "none"}
    return {**claim, "reason": own}


def outcomes_to_dict(outcomes: Sequence[Outcome], files: Mapping[str, Sequence[str]] | None = None) -> Any:
    """The outcomes in the format of `penstock reproduce --json`: one paper, or an array of several."""
    works = []
    for paper, own in outcomes_by_paper(outcomes):
        experiments = [
            {**outcome.to_dict(), "files": list((files or {}).get(outcome.experiment.name, ()))} for outcome in own
        ]
        claims = [claim for outcome in own for claim in outcome.claims]
        head = {"paper": paper.name, "penstock": _native.version, **paper_cost(paper, own)}
        works.append(
            {**head, "experiments": experiments, "summary": count_verdicts(claims), "badges": count_badges(claims)}
        )
    return works[0] if len(works) == 1 else works


def outcomes_by_paper(outcomes: Iterable[Outcome]) -> list[tuple[Paper, list[Outcome]]]:
    """Each paper with the outcomes of its experiments."""
    groups: dict[str, tuple[Paper, list[Outcome]]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.experiment.paper.name, (outcome.experiment.paper, []))[1].append(outcome)
    return list(groups.values())


def paper_cost(paper: Paper, own: Sequence[Outcome]) -> Mapping[str, float]:
    """Runs (`runs`) and processor time (`cpu_s`) of a whole paper; a run that experiments share counts once.

    Empty if the cost is unknown: for a part of a paper, or if its experiments were recorded one by one.
    """
    if {outcome.experiment.id for outcome in own} != set(paper.metadata["experiments"]):
        return {}
    costs = [outcome.effort.cost for outcome in own if outcome.effort is not None]
    if len(costs) < len(own):
        return recorded_paper_cost(paper, [outcome.to_dict() for outcome in own])
    runs = {key: cpu_s for cost in costs for key, cpu_s in cost.items()}
    return {"runs": len(runs), "cpu_s": round(sum(runs.values()), 1)}


def recorded_paper_cost(paper: Paper, entries: Iterable[Mapping[str, Any]]) -> Mapping[str, float]:
    """The recorded cost of a whole paper, if the costs of its experiments still match the record."""
    record = paper.recorded_results() or {"experiments": ()}
    now, then = (
        {each["id"]: (each["runs"], each["cpu_s"]) for each in some} for some in (entries, record["experiments"])
    )
    return {name: record[name] for name in ("runs", "cpu_s") if name in record and now == then}
