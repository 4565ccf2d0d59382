"""What `penstock reproduce` prints: the verdicts, and the list of works."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.claims import VERDICTS, counts
from penstock.papers import Experiment
from penstock.reproduce import Outcome, by_paper

__all__ = ["listed", "text"]


def text(outcomes: Sequence[Outcome]) -> str:
    """The verdicts, a line a claim, and their number for each work."""
    lines = []
    for paper, own in by_paper(outcomes):
        lines.append(paper.label)
        for outcome in own:
            cost = f"{outcome.runs} runs, {outcome.cpu_s:.0f} s of CPU time" if outcome.runs else "formulas"
            lines.append(f"\n  {outcome.experiment.name}  {outcome.experiment.title} ({cost})")
            for claim in outcome.claims:
                name = f"{paper.alias}/{claim['id']}"
                lines.append(f"    {claim['verdict']:<15} {name}  {claim['says']}: {claim['expected']}")
                lines.append(f"    {'':<15} {claim['why']}")
                if claim.get("reading"):
                    lines.append(f"    {'':<15} another reading: {claim['reading']}")
                if claim.get("because"):
                    lines.append(f"    {'':<15} {claim['because']}")
        total = counts(claim for outcome in own for claim in outcome.claims)
        lines.append("\n  " + ", ".join(f"{total[verdict]} {verdict}" for verdict in VERDICTS) + "\n")
    return "\n".join(lines)


def listed(experiments: Sequence[Experiment]) -> str:
    """Names and titles, by work, with the verdicts of the recorded full runs."""
    lines: list[str] = []
    paper = None
    for experiment in experiments:
        if experiment.paper != paper:
            paper = experiment.paper
            lines += [*([""] if lines else []), f"{paper.name} ({paper.alias}): {paper.label}"]
            recorded = {entry["id"]: entry for entry in (paper.recorded() or {}).get("experiments", [])}
        entry = recorded.get(experiment.id)
        found = counts(entry["claims"]) if entry else {}
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in found.items() if number)
        lines.append(f"  {experiment.name:<22} {experiment.title}" + (f" [{verdicts}]" if verdicts else ""))
    return "\n".join(lines) + "\n"
