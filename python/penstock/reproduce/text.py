"""The output of `penstock reproduce`: the verdicts, and the list of papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.reproduce import answer
from penstock.reproduce.assessment import gloss
from penstock.reproduce.claim import GRADES, VERDICTS, badges, by_claim, counts
from penstock.reproduce.experiment_run import Outcome, by_paper
from penstock.reproduce.paper import Experiment, Paper

__all__ = ["listed", "text"]


def text(outcomes: Sequence[Outcome]) -> str:
    """The verdicts, one claim per line, and the number of each verdict for each paper."""
    lines = []
    for paper, own in by_paper(outcomes):
        lines.append(paper.label)
        for outcome in own:
            cost = f"{outcome.run_count} runs, {outcome.cpu_s:.0f} s of CPU time" if outcome.run_count else "formulas"
            lines.append(f"\n  {outcome.experiment.name}  {outcome.experiment.title} ({cost})")
            for claims in by_claim(outcome.claims).values():
                for claim in claims:
                    lines += _claim(f"{paper.alias}/{claim['id']}", claim)
            tried = by_claim(outcome.claims)
            if undecided := [id_ for id_ in outcome.experiment.claimed if id_ not in tried]:
                which = "its claims" if not tried else f"{len(undecided)} of its {len(undecided) + len(tried)} claims"
                lines.append(
                    f"    too few runs or cells to decide {which} ({', '.join(undecided)}): run it without --quick"
                )
        lines += _summary(paper, [claim for outcome in own for claim in outcome.claims])
    return "\n".join(lines)


def _summary(paper: Paper, claims: Sequence[Mapping[str, Any]]) -> list[str]:
    """The main messages, the number of each verdict and badge, and a summary in one sentence."""
    messages = [
        f"    {claim['badge'] or claim['verdict']:<12} {claim['says']}"
        for claim in answer.messages(paper.messages, claims)
    ]
    total, badged = counts(claims), badges(claims)
    sentences = [answer.headline(claims), answer.as_printed(claims)] if sum(badged.values()) else []
    return [
        *(["\n  Main messages", *messages] if messages else []),
        "\n  " + ", ".join(f"{total[verdict]} {verdict}" for verdict in VERDICTS),
        f"  {' '.join(filter(None, sentences))}\n" if sentences else "",
    ]


def _claim(name: str, claim: Mapping[str, Any]) -> list[str]:
    """The lines of a claim; the verdict of a reading that does not count is in brackets."""
    reading = claim.get("reading")
    verdict = f"({claim['verdict']})" if reading else claim["verdict"]
    notes = [f"another reading, which does not count: {reading}"] if reading else []
    notes += [claim["why"]]
    if not reading and claim["verdict"] != "confirmed":
        notes += _further(claim)
    notes += ["on the cells and run lengths of a quick reproduction"] if claim.get("partial") else []
    recorded = claim.get("recorded")
    notes += [f"in the recorded full runs: {recorded['verdict']}"] if recorded else []
    notes += [f"cannot fail, does not count: {claim['cannot_fail']}"] if claim.get("cannot_fail") else []
    head = f"    {verdict:<16} {name}  {claim['says']}: {claim['expected']}"
    return [head, *(f"    {'':<16} {note}" for note in notes)]


def _further(claim: Mapping[str, Any]) -> list[str]:
    """Next to a strict verdict: badge, order and distance, the verdict in the set-up as printed, and the reason."""
    lines = [f"{claim['badge']}: {gloss(claim)}"] if claim.get("badge") else []
    if printed := claim.get("printed"):
        lines.append(f"{printed['verdict']} in the set-up as printed: {printed['why']}")
    if reason := claim.get("reason"):
        lines.append(reason["text"] if reason["grade"] == "none" else f"{reason['text']} ({GRADES[reason['grade']]})")
    return lines + ([f"the work contradicts itself: {claim['conflict']}"] if claim.get("conflict") else [])


def listed(experiments: Sequence[Experiment]) -> str:
    """Names and titles, by paper, with the verdicts of the recorded full runs."""
    lines: list[str] = []
    paper = None
    for experiment in experiments:
        if experiment.paper != paper:
            paper = experiment.paper
            lines += [*([""] if lines else []), f"{paper.name} ({paper.alias}): {paper.label}"]
            recorded = {entry["id"]: entry for entry in (paper.recorded() or {}).get("experiments", [])}
        entry = recorded.get(experiment.id)
        verdict_counts = counts(entry["claims"]) if entry else {}
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in verdict_counts.items() if number)
        lines.append(f"  {experiment.name:<22} {experiment.title}" + (f" [{verdicts}]" if verdicts else ""))
    return "\n".join(lines) + "\n"
