"""The pages of `penstock reproduce --html`, one for each work and an index of several; figures as files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from penstock import _native
from penstock.engine.environment import provenance
from penstock.files import write_text
from penstock.plots import style
from penstock.plots.inline_svg import inline_svg
from penstock.report.templating import render_template, template_text
from penstock.reproduce import answer
from penstock.reproduce.assessment import BADGES, gloss
from penstock.reproduce.claim import GRADES, badged, badges, by_claim, counted, counts
from penstock.reproduce.experiment_run import Outcome, by_paper, whole_cost
from penstock.reproduce.paper import Paper
from penstock.reproduce.prose import prose

__all__ = ["figures", "write"]

# Fields of a claim that are there only if they have a text.
EMPTY = {"reading": "", "conflict": "", "cannot_fail": ""}


def write(outcomes: Sequence[Outcome], file: Path) -> list[Path]:
    """Write the page of one work to `file`; for several works an index to `file`, and their pages beside it."""
    works = by_paper(outcomes)
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
            "headline": answer.headline(_claims(own)),
            "messages": answer.messages(paper.messages, _claims(own)),
            "cost": _cost(paper, own),
        }
        for paper, own in works
    ]
    write_text(file, _rendered("reproduction_index.html.jinja", title="Published works, reproduced", entries=entries))
    return [file, *pages.values()]


def figures(outcomes: Sequence[Outcome], folder: Path) -> dict[str, list[str]]:
    """Write the figure of each experiment as PDF and SVG; the files by the experiment's name."""
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
    return _rendered(
        "reproduction.html.jinja",
        title=paper.about["title"],
        paper=paper,
        index=index,
        experiments=[_section(number, outcome, deciding) for number, outcome in enumerate(own)],
        rows=rows,
        messages=answer.messages(paper.messages, rows),
        headline=answer.headline(_claims(own)),
        prose=prose(paper, _anchors(paper, own, deciding)),
        counts=_counted(own),
        cost=_cost(paper, own),
    )


def _anchors(paper: Paper, own: Sequence[Outcome], claims: Iterable[str]) -> dict[str, str]:
    """The anchors on the page by the names in the README: experiments, and claims with and without the work's alias."""
    found = {outcome.experiment.id: outcome.experiment.id for outcome in own}
    for id_ in claims:
        found |= {id_: f"{paper.alias}/{id_}", f"{paper.alias}/{id_}": f"{paper.alias}/{id_}"}
    return found


def _rows(own: Sequence[Outcome]) -> list[Mapping[str, Any]]:
    """All claims by badge and distance, each followed by its other readings from all experiments.

    `group` is the badge (or the verdict) of the main reading, which all are filtered by, or "" where there is none.
    """
    claims = [{**EMPTY, **claim, "in": outcome.experiment.id} for outcome in own for claim in outcome.claims]
    claims.sort(key=lambda claim: bool(claim["reading"]))
    group = "badge" if badged(claims) else "verdict"
    sorted_ = sorted(by_claim(claims).values(), key=lambda readings: answer.by_distance(readings[0]))
    return [
        {**reading, "group": readings[0].get(group) or "" if counted(readings[0]) else ""}
        for readings in sorted_
        for reading in readings
    ]


def _section(number: int, outcome: Outcome, deciding: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The content of an experiment's section; a claim that another experiment decides has the deciding row too."""
    svg = _inline(number, outcome)
    width = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    own = outcome.experiment.id
    return {
        "outcome": outcome,
        "name": outcome.experiment.name,
        "id": own,
        "title": outcome.experiment.title,
        "claimed": outcome.experiment.claimed,
        "svg": svg,
        "width": round(float(width[1])) if width else 0,
        "answer": answer.of_figure(outcome.claims),
        "claims": [
            (readings, deciding[id_] if id_ in deciding and deciding[id_]["in"] != own else None)
            for id_, readings in by_claim({**EMPTY, **claim} for claim in outcome.claims).items()
        ],
    }


def _inline(number: int, outcome: Outcome) -> Markup:
    """The figure of the experiment with this number on the page, as inline SVG; empty without one."""
    with style.styled():
        figure = outcome.figure()
    return Markup("") if figure is None else inline_svg(figure, f"figure{number}")


def _rendered(template: str, **context: Any) -> str:
    return render_template(
        template,
        **context,
        css=template_text("page.css", "reproduction.css"),
        version=_native.version,
        provenance=provenance(),
        badges=BADGES,
        grades=GRADES,
        gloss=gloss,
    )


def _claims(own: Sequence[Outcome]) -> list[Mapping[str, Any]]:
    return [{**EMPTY, **claim} for outcome in own for claim in outcome.claims]


def _counted(own: Sequence[Outcome]) -> Mapping[str, int]:
    """The claims by badge; by verdict if those of an earlier record have no badges."""
    claims = _claims(own)
    return badges(claims) if badged(claims) else counts(claims)


def _cost(paper: Paper, own: Sequence[Outcome]) -> str:
    """Runs and CPU time of a work, or of one experiment; empty if only those of each experiment are known."""
    cost = own[0].to_dict() if len(own) == 1 else whole_cost(paper, own)
    if not cost:
        return ""
    time = f"{cost['cpu_s'] / 60:.0f} min" if cost["cpu_s"] >= 120 else f"{cost['cpu_s']:.0f} s"
    return f"{cost['runs']} runs, {time} of CPU time"
