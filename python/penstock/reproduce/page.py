"""The pages of `penstock reproduce --html`: one for each paper, and an index of several; figures as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from penstock.files import write_text
from penstock.plots import style
from penstock.report.page_figure import PageFigure, figure_data
from penstock.report.templating import render_document
from penstock.reproduce import answer
from penstock.reproduce.assessment import BADGES, assessment_in_words, badge_rule, deciding_part
from penstock.reproduce.claim import VERDICTS, count_badges, count_verdicts, have_badges, is_counted, readings_by_claim
from penstock.reproduce.experiment_run import Outcome, outcomes_by_paper, paper_cost
from penstock.reproduce.paper import Paper
from penstock.reproduce.prose import readme_sections

__all__ = ["write_figures", "write_pages"]

FEW = 4
"""Maximum number of experiments that the title of a page names."""

SETUPS = {
    "": "",
    "printed": "curves: set-up as printed; verdicts: author's set-up as reconstructed",
    "reconstructed": "author's set-up as reconstructed",
}
"""Notes next to a figure, by the set-up of its runs."""

# Fields of a claim that are present only if they have a text.
EMPTY = {"reading": "", "conflict": "", "cannot_fail": ""}


def write_pages(outcomes: Sequence[Outcome], file: Path) -> list[Path]:
    """Write the page of one paper to `file`; for several papers an index to `file`, and their pages next to it."""
    works = outcomes_by_paper(outcomes)
    if len(works) == 1:
        write_text(file, _work_page(*works[0], index=None))
        return [file]
    pages = {paper.name: file.with_name(f"{file.stem}-{paper.name}.html") for paper, _ in works}
    for paper, own in works:
        write_text(pages[paper.name], _work_page(paper, own, index=file.name))
    entries = [
        {
            "paper": paper,
            "page": pages[paper.name].name,
            "counts": _counted(own),
            "answer": answer.answer_text(own),
            "messages": answer.main_message_claims(paper.main_message_ids, _claims(own)),
            "cost": _cost(paper, own),
        }
        for paper, own in works
    ]
    write_text(file, _rendered("reproduction_index.html.jinja", title="Published works, reproduced", entries=entries))
    return [file, *pages.values()]


def write_figures(outcomes: Sequence[Outcome], folder: Path) -> dict[str, list[str]]:
    """Write the figure of each experiment as PDF and SVG. Returns the files by experiment name."""
    written: dict[str, list[str]] = {}
    for outcome in outcomes:
        figure = outcome.figure()
        if figure is None:
            continue
        for ending in ("pdf", "svg"):
            file = folder / outcome.experiment.paper.name / f"{outcome.experiment.id}.{ending}"
            file.parent.mkdir(parents=True, exist_ok=True)
            style.save(figure, file)
            written.setdefault(outcome.experiment.name, []).append(str(file))
    return written


def _work_page(paper: Paper, own: Sequence[Outcome], index: str | None) -> str:
    rows = _rows(own)
    deciding = {row["id"]: row for row in rows if not row["reading"]}
    sections = [_section(number, outcome, deciding) for number, outcome in enumerate(own)]
    drawn = [section["figure"] for section in sections if section["figure"]]
    return _rendered(
        "reproduction.html.jinja",
        title=_title(paper, own),
        paper=paper,
        index=index,
        experiments=sections,
        messages=answer.main_message_claims(paper.main_message_ids, rows),
        answer=answer.answer_text(own),
        is_reconstructed=any(claim.get("printed") for claim in rows),
        prose=readme_sections(paper, _anchors(paper, own, deciding)),
        counts=_counted(own),
        filters=_filters(rows),
        cost=_cost(paper, own),
        figures=figure_data(drawn),
    )


def _title(paper: Paper, own: Sequence[Outcome]) -> str:
    """The title of a single figure, the names of a few, or the title of the paper for more."""
    titles = [outcome.experiment.title for outcome in own]
    if len(titles) == 1:
        return titles[0]
    if len(titles) > FEW or len(titles) == len(paper.experiments):
        return str(paper.metadata["title"])
    first, *others = (title.partition(":")[0] for title in titles)
    start = first.rpartition(" ")[0] + " "
    return ", ".join([first, *(other.removeprefix(start) for other in others)])


def _anchors(paper: Paper, own: Sequence[Outcome], claims: Iterable[str]) -> dict[str, str]:
    """The anchors on the page by the names in the README: experiments, and claims with and without the work's alias."""
    anchors = {outcome.experiment.id: outcome.experiment.id for outcome in own}
    for id_ in claims:
        anchors |= {id_: f"{paper.alias}/{id_}", f"{paper.alias}/{id_}": f"{paper.alias}/{id_}"}
    return anchors


def _rows(own: Sequence[Outcome]) -> list[Mapping[str, Any]]:
    """All claims with the experiment that they are `in`, main readings first.

    The page filters claims by `group`: the badge of a claim, its verdict if it has no badge, or "" if it does not
    count.
    """
    claims = [{**EMPTY, **claim, "in": outcome.experiment.id} for outcome in own for claim in outcome.claims]
    claims.sort(key=lambda claim: bool(claim["reading"]))
    group = "badge" if have_badges(claims) else "verdict"
    return [{**claim, "group": (claim.get(group) or claim["verdict"]) if is_counted(claim) else ""} for claim in claims]


def _filters(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The number of claims by group: badges in the order of `BADGES`, then verdicts."""
    groups = [row["group"] for row in rows]
    return {group: groups.count(group) for group in (*BADGES, *VERDICTS) if group in groups}


def _section(number: int, outcome: Outcome, deciding: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The content of an experiment's section, its claims by badge and distance, worst first.

    A claim that another experiment decides also has the deciding row.
    """
    own = outcome.experiment.id
    tried = readings_by_claim({**EMPTY, **claim} for claim in outcome.claims)
    omitted = [id_ for id_ in outcome.experiment.claim_ids if id_ not in tried]
    claims = []
    for id_, readings in tried.items():
        row = deciding.get(id_)
        is_own = row is not None and row["in"] == own
        main = [row] if row is not None and is_own else []
        further = [reading for reading in readings if reading["reading"]]
        claims.append(([*main, *further], None if is_own else row))
    claims.sort(key=lambda entry: answer.badge_sort_key(entry[0][0]))
    return {
        "outcome": outcome,
        "name": outcome.experiment.name,
        "id": own,
        "title": outcome.experiment.title,
        "claimed": outcome.experiment.claim_ids,
        "omitted": omitted,
        "figure": _figure(number, outcome),
        "answer": answer.answer_text([outcome]),
        "counts": _counted([outcome]),
        "claims": claims,
    }


def _figure(number: int, outcome: Outcome) -> PageFigure | None:
    """The figure of the experiment with this number on the page, if it has one."""
    with style.figure_style():
        figure = outcome.figure()
    if figure is None:
        return None
    title = outcome.experiment.title.partition(":")[0]
    return PageFigure.from_drawings(f"figure{number}", title, {"": figure}, note=SETUPS[outcome.setup])


def _rendered(template: str, **context: Any) -> str:
    words = {
        "gloss": assessment_in_words,
        "rule": badge_rule,
        "deciding": deciding_part,
        "reason": answer.reason_text,
        "label": answer.verdict_label,
    }
    return render_document(template, "reproduction.css", **context, badges=BADGES, **words)


def _claims(own: Sequence[Outcome]) -> list[Mapping[str, Any]]:
    return [{**EMPTY, **claim} for outcome in own for claim in outcome.claims]


def _counted(own: Sequence[Outcome]) -> Mapping[str, int]:
    """The claims by badge; by verdict if claims of an earlier record have no badges."""
    claims = _claims(own)
    return count_badges(claims) if have_badges(claims) else count_verdicts(claims)


def _cost(paper: Paper, own: Sequence[Outcome]) -> str:
    """Runs and CPU time of a paper, or of one experiment; empty if they are known only for each experiment."""
    cost = own[0].to_dict() if len(own) == 1 else paper_cost(paper, own)
    if not cost:
        return ""
    time = f"{cost['cpu_s'] / 60:.0f} min" if cost["cpu_s"] >= 120 else f"{cost['cpu_s']:.0f} s"
    return f"{cost['runs']} runs, {time} of CPU time"
