"""The gallery: every picture of the pages, with its caption and a link to the page that explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["page", "pictures"]

FOLDERS = ("tutorial", "howto", "explanation", "reference", ".")
PICTURE = re.compile(r"!\[([^\]]+)\]\((?:\.\./)?(images/[^)]+)\)")


def pictures(docs: Path) -> Iterator[tuple[str, str, str, str]]:
    """(caption, picture, page, its title) of each picture in the pages, but for the start page."""
    for folder in FOLDERS:
        for path in sorted((docs / folder).glob("*.md")):
            text = path.read_text(encoding="utf-8")
            if path.name != "index.md":
                for caption, picture in PICTURE.findall(text):
                    title = text[text.index("# ") :].removeprefix("# ").partition("\n")[0]
                    yield " ".join(caption.split()), picture, path.relative_to(docs).as_posix(), title


def page(docs: Path) -> str:
    """The page, a folder below `docs`."""
    lines = [
        "# Gallery",
        "",
        "The pictures of these pages. A title leads to the page that explains the picture.",
        "",
    ]
    lines += ["::::{container} gallery", ""]
    for caption, picture, at, title in pictures(docs):
        lines += [
            ":::{container} picture",
            f"![{caption}](../{picture})",
            "",
            f"[{title}](../{at}): {caption}",
            ":::",
            "",
        ]
    return "\n".join([*lines, "::::", ""])
