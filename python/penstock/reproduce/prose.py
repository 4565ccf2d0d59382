"""The README of a paper without its verdicts, as parts of its page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from penstock.files import read_text
from penstock.reproduce.paper import Paper

__all__ = ["ReadmeSection", "readme_sections"]


@dataclass(frozen=True)
class ReadmeSection:
    """A section: its heading, empty for the text before the first one, and its text as HTML."""

    title: str
    html: Markup

    @property
    def lists_assumptions(self) -> bool:
        """Whether the section lists the assumptions of the reproduction."""
        return self.title == "Assumptions"


def readme_sections(paper: Paper, links: Mapping[str, str]) -> list[ReadmeSection]:
    """The sections of the README of a paper, without the status table; code in `links` becomes a link."""
    file = paper.folder / "README.md"
    if not file.exists():
        return []
    # No raw HTML, no images, and only links to the web: the page is self-contained.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    markdown.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    parts: list[tuple[str, list[Token]]] = [("", [])]
    tokens = iter(markdown.parse(read_text(file)))
    for token in tokens:
        token.children = token.children and _without_local_links(token.children)
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            title = next(tokens).content
            next(tokens)
            if token.tag == "h2":
                parts.append((title, []))
        else:
            parts[-1][1].append(token)

    def linked(code: re.Match[str]) -> str:
        return f'<a href="{links[code[1]]}">{code[0]}</a>' if code[1] in links else code[0]

    sections = []
    for title, own in parts:
        html = markdown.renderer.render(own, markdown.options, {})
        # Rendered without any HTML from the text.
        sections.append(ReadmeSection(title, Markup(re.sub(r"<code>([\w./-]+)</code>", linked, html))))
    return [part for part in sections if part.title != "Status" and part.html.strip()]


def _without_local_links(tokens: list[Token]) -> list[Token]:
    """The tokens without links to files and headings, which the page does not have; the text of these links is kept."""
    kept, is_web = [], False
    for token in tokens:
        if token.type == "link_open":  # links do not nest
            is_web = str(token.attrs["href"]).startswith(("https://", "http://"))
        if is_web or token.type not in ("link_open", "link_close"):
            kept.append(token)
    return kept
