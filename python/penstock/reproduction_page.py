"""The pages of `penstock reproduce --html`, one for each work and an index of several; figures as files."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from penstock import _native
from penstock.claims import VERDICTS, counts
from penstock.machine import provenance
from penstock.papers import Paper
from penstock.plots import style
from penstock.reproduce import Outcome, by_paper

__all__ = ["figures", "write"]


def write(outcomes: Sequence[Outcome], file: Path) -> list[Path]:
    """Write the page of a work to `file`; of several works an index there, and their pages beside it."""
    works = by_paper(outcomes)
    if len(works) == 1:
        _emit(file, _work_page(*works[0], index=None))
        return [file]
    pages = {paper.name: file.with_name(f"{file.stem}-{paper.name}.html") for paper, _ in works}
    for paper, own in works:
        _emit(pages[paper.name], _work_page(paper, own, index=file.name))
    entries = [
        {"paper": paper, "page": pages[paper.name].name, "counts": _counted(own), "cost": _cost(own)}
        for paper, own in works
    ]
    _emit(file, _rendered("reproduction_index.html.jinja", title="Published works, reproduced", entries=entries))
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
    experiments = [
        {
            "outcome": outcome,
            "name": outcome.experiment.name,
            "id": outcome.experiment.id,
            "title": outcome.experiment.title,
            "svg": _inline(outcome),
            "counts": _counted([outcome]),
        }
        for outcome in own
    ]
    claims = sorted(
        ({**claim, "experiment": outcome.experiment.id} for outcome in own for claim in outcome.claims),
        key=lambda claim: _natural(claim["id"]),
    )
    return _rendered(
        "reproduction.html.jinja",
        title=paper.about["title"],
        paper=paper,
        index=index,
        experiments=experiments,
        claims=claims,
        counts=_counted(own),
        cost=_cost(own),
    )


def _inline(outcome: Outcome) -> Markup:
    """The figure as SVG for a page: no prolog; ids of its own, as several stand on one page."""
    buffer = io.StringIO()
    with style.styled():
        figure = outcome.figure()
        if figure is None:
            return Markup("")
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    own = re.sub(r"\W", "-", outcome.experiment.name)
    svg = re.sub(r'(\bid="|"#|url\(#)', lambda found: f"{found[1]}{own}-", svg)
    # The drawing is ours: nothing in it comes from outside.
    return Markup(svg)


def _rendered(template: str, **context: Any) -> str:
    pages = Environment(
        loader=PackageLoader("penstock"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates = resources.files("penstock") / "templates"
    css = "".join((templates / name).read_text(encoding="utf-8") for name in ("page.css", "reproduction.css"))
    return pages.get_template(template).render(
        **context,
        css=Markup(css),
        version=_native.version,
        provenance=provenance(),
        verdicts=VERDICTS,
    )


def _counted(own: Sequence[Outcome]) -> Mapping[str, int]:
    return counts(claim for outcome in own for claim in outcome.claims)


def _cost(own: Sequence[Outcome]) -> str:
    runs, cpu = sum(outcome.runs for outcome in own), sum(outcome.cpu_s for outcome in own)
    time = f"{cpu / 60:.0f} min" if cpu >= 120 else f"{cpu:.0f} s"
    shared = "; what experiments share counts with each" if len(own) > 1 else ""
    return f"{runs} runs, {time} of CPU time{shared}"


def _natural(text: str) -> list[Any]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def _emit(file: Path, text: str) -> None:
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
