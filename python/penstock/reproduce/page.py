"""The pages of `penstock reproduce --html`: of each paper or chapter, and an index of papers; figures as files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
    """Write the page of one paper to `file`; for several papers an index to `file`, and their pages next to it.

    A paper with chapters has a page for each of them next to its own page (`WorkPages`).
    """
    works = [WorkPages(paper, own) for paper, own in outcomes_by_paper(outcomes)]
    if len(works) == 1:
        return works[0].write(file, index=None)
    pages = {work: file.with_name(f"{file.stem}-{work.paper.name}.html") for work in works}
    written = [page for work in works for page in work.write(pages[work], index=file.name)]
    entries = [
        {
            "paper": work.paper,
            "page": pages[work].name,
            "counts": _counted(work.outcomes),
            "answer": answer.answer_text(work.outcomes),
            "messages": answer.main_message_claims(work.paper.main_message_ids, _claims(work.outcomes)),
            "cost": _cost(work.paper, work.outcomes),
        }
        for work in works
    ]
    write_text(file, _rendered("reproduction_index.html.jinja", title="Published works, reproduced", entries=entries))
    return [file, *written]


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


@dataclass(frozen=True, eq=False)
class WorkPages:
    """The pages of a paper: one page, or an overview and a page for each chapter.

    The overview has the answer, the main messages, a list of all experiments and the text of the README; a chapter has
    the sections of its experiments. Up to `FEW` experiments share a page, whatever their chapters are.

    Attributes:
        paper: the paper.
        outcomes: the outcomes of its experiments, in the paper's order.
    """

    paper: Paper
    outcomes: Sequence[Outcome]

    def write(self, file: Path, index: str | None) -> list[Path]:
        """Write the pages: the first to `file`, those of chapters next to it. `index` is the page of all papers."""
        chapters, to_index = self._chapters, (index, "All papers")
        if len(chapters) == 1:
            write_text(file, self._page(_title(self.paper, self.outcomes), self.outcomes, self.outcomes, to_index, {}))
            return [file]
        files = [file.with_name(f"{file.stem}-{number}.html") for number in range(1, len(chapters) + 1)]
        hrefs = {
            outcome.experiment.id: page.name
            for page, own in zip(files, chapters.values(), strict=True)
            for outcome in own
        }
        write_text(file, self._page(self.paper.metadata["title"], self.outcomes, [], to_index, hrefs))
        for page, (title, own) in zip(files, chapters.items(), strict=True):
            here = {id_: name for id_, name in hrefs.items() if name != page.name}
            write_text(page, self._page(title, own, own, (file.name, "The whole work"), here))
        return [file, *files]

    @cached_property
    def _chapters(self) -> dict[str, list[Outcome]]:
        """The outcomes by the title of their chapter; a single entry if they share a page."""
        chapters: dict[str, list[Outcome]] = {}
        for outcome in self.outcomes:
            chapters.setdefault(self.paper.chapter_of(outcome.experiment.id), []).append(outcome)
        return chapters if len(self.outcomes) > FEW else {"": list(self.outcomes)}

    @cached_property
    def _claim_rows(self) -> list[Mapping[str, Any]]:
        return _rows(self.outcomes)

    def _page(
        self,
        title: str,
        covered: Sequence[Outcome],
        sections: Sequence[Outcome],
        up: tuple[str | None, str],
        hrefs: Mapping[str, str],
    ) -> str:
        """A page that lists the `covered` experiments, and has the `sections` of all or none of them.

        `up` is the link to the page above and its text; `hrefs` has the files of experiments on other pages.
        """
        is_chapter = len(covered) < len(self.outcomes)
        deciding = {row["id"]: row for row in self._claim_rows if not row["reading"]}
        experiments = [_section(number, outcome, deciding) for number, outcome in enumerate(sections)]
        own_ids = {outcome.experiment.id for outcome in sections}
        rows = [row for row in self._claim_rows if row["in"] in own_ids]
        anchors = _anchors(self.paper, self.outcomes, deciding, hrefs)
        return _rendered(
            "reproduction.html.jinja",
            title=title,
            paper=self.paper,
            up=up,
            contents=[_entry(outcome) for outcome in covered],
            experiments=experiments,
            is_single=len(self.outcomes) == 1,
            anchors=anchors,
            messages=[] if is_chapter else answer.main_message_claims(self.paper.main_message_ids, self._claim_rows),
            answer=answer.answer_text(covered),
            is_reconstructed=any(claim.get("printed") for claim in self._claim_rows),
            prose=[] if is_chapter else readme_sections(self.paper, anchors),
            counts=_counted(covered),
            filters=_filters(rows),
            cost=_cost(self.paper, covered),
            figures=figure_data([section["figure"] for section in experiments if section["figure"]]),
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


def _anchors(
    paper: Paper, own: Sequence[Outcome], deciding: Mapping[str, Mapping[str, Any]], hrefs: Mapping[str, str]
) -> dict[str, str]:
    """The links to experiments, and to claims with and without the work's alias, by their names in the README."""
    anchors = {id_: f"{hrefs.get(id_, '')}#{id_}" for id_ in (outcome.experiment.id for outcome in own)}
    for id_, row in deciding.items():
        link = f"{hrefs.get(row['in'], '')}#{paper.alias}/{id_}"
        anchors |= {id_: link, f"{paper.alias}/{id_}": link}
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


def _entry(outcome: Outcome) -> dict[str, Any]:
    """The entry of an experiment in the list of figures and tables."""
    return {"id": outcome.experiment.id, "title": outcome.experiment.title, "counts": _counted([outcome])}


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
        "terms": _terms(outcome),
        "counts": _counted([outcome]),
        "claims": claims,
    }


def _terms(outcome: Outcome) -> dict[str, str]:
    """The terms of the paper in the title or a claim of an experiment, with their meanings."""
    words = [outcome.experiment.title, *(f"{claim['says']} {claim['expected']}" for claim in outcome.claims)]
    text = " ".join(words)
    terms: Mapping[str, str] = outcome.experiment.paper.metadata.get("terms", {})
    return {term: meaning for term, meaning in terms.items() if re.search(rf"\b{re.escape(term)}\b", text)}


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
