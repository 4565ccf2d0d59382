"""What the README of a work says beside the verdicts, as parts of its page."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from penstock.reproduce.paper import Paper

__all__ = ["Part", "prose"]


@dataclass(frozen=True)
class Part:
    """A section: its heading, none of what stands before the first, and its text as HTML."""

    title: str
    html: Markup

    @property
    def guesses(self) -> bool:
        """Whether it tells what was guessed."""
        return "guessed" in self.title


def prose(paper: Paper, anchors: Collection[str]) -> list[Part]:
    """The sections of a work's README but the status table; code that is one of the anchors of the page leads there."""
    file = paper.folder / "README.md"
    if not file.exists():
        return []
    # No HTML of its own, no image, and no link but to the web: the page has nothing beside it.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    markdown.add_render_rule("table_open", lambda *_: '<div class="scroll"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    markdown.validateLink = lambda url: url.startswith(("https://", "http://"))  # type: ignore[method-assign]
    parts: list[tuple[str, list[Token]]] = [("", [])]
    tokens = iter(markdown.parse(file.read_text(encoding="utf-8")))
    for token in tokens:
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            title = next(tokens).content
            next(tokens)
            if token.tag == "h2":
                parts.append((title, []))
        else:
            parts[-1][1].append(token)

    def linked(code: re.Match[str]) -> str:
        return f'<a href="#{code[1]}">{code[0]}</a>' if code[1] in anchors else code[0]

    found = []
    for title, own in parts:
        html = markdown.renderer.render(own, markdown.options, {})
        # Rendered without any HTML of the text's own.
        found.append(Part(title, Markup(re.sub(r"<code>([\w.-]+)</code>", linked, html))))
    return [part for part in found if part.title != "Status" and part.html.strip()]
