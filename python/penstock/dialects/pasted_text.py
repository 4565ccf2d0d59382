"""Removes additions of terminals, editors and web pages from pasted text, such as prompts and `--More--`."""

from __future__ import annotations

import re

__all__ = ["SHELL_PROMPT", "strip_prompts", "strip_terminal_marks"]

_INVISIBLE = re.compile("[\ufeff\u200b\u200c\u200d\u2060]|\x1b\\[[0-9;?]*[A-Za-z]")
_MORE = re.compile(r"(?:<?-+\s?\(?more(?:\s\d+%)?\)?\s?-+>?)(?:[ ]*[\x08\r]+(?!\n)[\x08\r ]*)?", re.IGNORECASE)

SHELL_PROMPT = (
    r"(?:\[?[\w.-]+@[\w.-]+(?:[: ][^#$%\n]*)?[#$%]"  # root@OpenWrt:~#  [admin@web ~]$  me@mac ~ %
    r"|\[[^\]\n]+\]\[[\w.@-]+\]\S*:"  # [2.7.2-RELEASE][admin@pfSense.home.arpa]/root:
    r"|[\w.-]+:\S+ [\w.-]+\$)(?:[ \t]+|$)"  # mac:~ me$
)
"""A prompt of a shell at the start of a line. `#` and `$` alone do not count: they may begin a comment."""


def strip_terminal_marks(text: str) -> str:
    r"""A text with plain spaces and line ends, and without the marks of pagers and terminals.

    >>> strip_terminal_marks("\ufeffrandom-detect\r\n --More-- \x08\x08\x08   fair-queue")
    'random-detect\n fair-queue'
    """
    text = re.sub(r"\r+\n", "\n", _INVISIBLE.sub("", text).replace("\xa0", " "))
    text = re.sub(
        r"^([ \t]*)" + _MORE.pattern + r"[ \t]*(?=(\n|.))", _page_replacement, text, flags=re.MULTILINE | re.IGNORECASE
    )
    return text if "\n" in text else text.replace("\r", "\n")


def _page_replacement(found: re.Match[str]) -> str:
    return "" if found[2] == "\n" else found[1] or " "


def strip_prompts(text: str, kept: str) -> str:
    """A text without shell prompts. Commands after a prompt are removed too, unless they match `kept`."""
    prompt = re.compile(rf"^[ \t]*{SHELL_PROMPT}")
    lines = []
    for line in text.splitlines():
        if (found := prompt.match(line)) is None:
            lines.append(line)
        elif re.match(rf"(?:sudo\s+)?(?:{kept})", line[found.end() :]):
            lines.append(line[found.end() :])
    return "\n".join(lines)
