"""The output of `penstock reproduce`: the verdicts, and the list of papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.reproduce import answer
from penstock.reproduce.assessment import assessment_in_words, badge_rule, deciding_part
from penstock.reproduce.claim import VERDICTS, count_badges, count_verdicts, have_badges, readings_by_claim
from penstock.reproduce.experiment_run import Outcome, outcomes_by_paper
from penstock.reproduce.paper import Experiment, Paper

__all__ = ["experiment_list", "outcomes_text"]


def outcomes_text(outcomes: Sequence[Outcome]) -> str:
    """The answer for each experiment, its claims by badge, and the answer for each paper."""
    lines = []
    for paper, own in outcomes_by_paper(outcomes):
        lines.append(paper.label)
        for outcome in own:
            cost = f"{outcome.run_count} runs, {outcome.cpu_s:.0f} s of CPU time" if outcome.run_count else "formulas"
            lines.append(f"\n  {outcome.experiment.name}  {outcome.experiment.title} ({cost})")
            lines += [f"  {sentences}"] if (sentences := answer.answer_text([outcome])) else []
            for claims in readings_by_claim(outcome.claims).values():
                lines += _claim(paper, claims)
            tried = readings_by_claim(outcome.claims)
            if undecided := [id_ for id_ in outcome.experiment.claim_ids if id_ not in tried]:
                which = "its claims" if not tried else f"{len(undecided)} of its {len(undecided) + len(tried)} claims"
                lines.append(
                    f"    too few runs or cells to decide {which} ({', '.join(undecided)}): run it without --quick"
                )
        lines += _summary(paper, own)
    return "\n".join(lines)


def _summary(paper: Paper, own: Sequence[Outcome]) -> list[str]:
    """The main messages, the number of each strict verdict, and the answer for several experiments together."""
    claims = [claim for outcome in own for claim in outcome.claims]
    messages = [
        f"    {answer.verdict_label(claim):<16} {claim['says']}"
        for claim in answer.main_message_claims(paper.main_message_ids, claims)
    ]
    total = count_verdicts(claims)
    return [
        *(["\n  Main messages", *messages] if messages else []),
        "\n  Strict verdicts: " + ", ".join(f"{total[verdict]} {verdict}" for verdict in VERDICTS),
        f"  {answer.answer_text(own)}\n" if len(own) > 1 else "",
    ]


def _claim(paper: Paper, claims: Sequence[Mapping[str, Any]]) -> list[str]:
    """The lines of a claim: its badge, the outcome, why it is not confirmed, and one line for each other reading."""
    main, first = next((claim for claim in claims if not claim.get("reading")), None), claims[0]
    word = answer.verdict_label(main) if main else "not counted"
    wording = f"{first['says']}: {first['expected']}" if main else first["says"]
    notes = [*(_notes(main) if main else ()), *(_reading(claim) for claim in claims if claim.get("reading"))]
    return [f"    {word:<16} {paper.alias}/{first['id']}  {wording}", *(f"    {'':<16} {note}" for note in notes)]


def _notes(claim: Mapping[str, Any]) -> list[str]:
    """The outcome, the set-up as printed where it differs, the reason, and what limits the verdict."""
    is_confirmed, words, printed = claim["verdict"] == "confirmed", assessment_in_words(claim), claim.get("printed")
    notes = [claim["why"]] if is_confirmed or not words else [f"{words}; {deciding_part(claim)}"]
    if printed and not (is_confirmed and printed["verdict"] == "confirmed"):
        notes.append(f"in the set-up as printed: {answer.verdict_label(printed)}; {printed['why']}")
    notes += [f"why: {reason}"] if (reason := answer.reason_text(claim)) else []
    notes += [f"the work contradicts itself: {claim['conflict']}"] if claim.get("conflict") else []
    because = f"; {claim['badge']}, since {badge_rule(claim)}" if badge_rule(claim) else ""
    notes += [f"strict verdict: {claim['verdict']}{because}"] if answer.verdict_label(claim) != claim["verdict"] else []
    notes += ["on the cells and run lengths of a quick reproduction"] if claim.get("partial") else []
    recorded = claim.get("recorded")
    notes += [f"in the recorded full runs: {answer.verdict_label(recorded)}"] if recorded else []
    return notes + ([f"cannot fail, does not count: {claim['cannot_fail']}"] if claim.get("cannot_fail") else [])


def _reading(claim: Mapping[str, Any]) -> str:
    """Another reading of a claim in one line."""
    parts = claim.get("parts")
    held = f"{parts['held']} of {parts['total']}" if parts and parts["total"] > 1 else claim["why"]
    return f"{claim['reading']} (not counted): {answer.verdict_label(claim)}, {held}"


def experiment_list(experiments: Sequence[Experiment]) -> str:
    """Names and titles, by paper, with the number of claims of the recorded full runs by badge."""
    lines: list[str] = []
    paper = None
    for experiment in experiments:
        if experiment.paper != paper:
            paper = experiment.paper
            lines += [*([""] if lines else []), f"{paper.name} ({paper.alias}): {paper.label}"]
            recorded = {entry["id"]: entry for entry in (paper.recorded_results() or {}).get("experiments", [])}
        entry = recorded.get(experiment.id)
        claims = entry["claims"] if entry else []
        label_counts = count_badges(claims) if have_badges(claims) else count_verdicts(claims)
        labels = ", ".join(f"{number} {label}" for label, number in label_counts.items() if number)
        lines.append(f"  {experiment.name:<22} {experiment.title}" + (f" [{labels}]" if labels else ""))
    return "\n".join(lines) + "\n"
