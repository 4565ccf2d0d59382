"""Commands of a script or transcript with lines of `tc`: comments, prompts, variables, continued lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.dialects.conversion import DialectError, escape_line_breaks

__all__ = ["ShellLine", "shell_lines"]

_PROMPT = re.compile(r"(?:\[?[\w.-]+@[^#$]*[#$]|[#$])\s*(?=(?:sudo\s+)?(?:/?(?:usr/)?s?bin/)?tc\s)")
_ASSIGNMENT = re.compile(r"(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=(\"[^\"]*\"|'[^']*'|[^\s;\"'`]*)$")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_REDIRECTION = re.compile(r"\s[0-9&]?>{1,2}\s*(?:&[0-9]|\S+)")
_CONTROL = re.compile(r"\s*(for|while|until|if|case|function|select)\s|.*\(\)\s*\{|.*`|.*\$\(")
_UCI = re.compile(r"\s*config\s+[\w-]+\s+'[\w.@-]+'\s*$|\s*option\s+\w+\s+'")
_HARMLESS = re.compile(r"(\|\|\s*(true|:|exit\b[^;&|]*|echo\b[^;&|]*))\s*$")


@dataclass(frozen=True)
class ShellLine:
    """A line of a text without its comment.

    Attributes:
        text: the words, with variables replaced.
        is_indented: whether it belongs to the line before, as tc prints it.

    """

    text: str
    is_indented: bool = False


def shell_lines(text: str) -> list[ShellLine]:
    """The commands and printed lines of a text. Raises `DialectError` for control flow of a shell.

    A line after `#` is a comment, unless the text has nothing else: then the sign is the prompt of a manual page.
    """
    joined = re.sub(r"\\[ \t]*\r?\n[ \t]*", " ", text)
    lines = [part for raw in joined.splitlines() for part in _one_lines(raw)]
    has_plain = any(_plain(line).strip() and not _PROMPT.match(line.strip()) for line in lines)
    return [*_expanded(lines, prompts=not has_plain)]


def _one_lines(raw: str) -> list[str]:
    r"""The lines of `tc -oneline`, which has `\` for the end of a line."""
    if "\\" not in raw:
        return [raw]
    parts = re.split(r"\\(?=\s*(?:Sent |backlog |qdisc |class |filter |lended: |linklayer |rate \S+ \d+pps))", raw)
    return [parts[0].replace("\\", " "), *(f" {part.strip()}" if not _is_head(part) else part for part in parts[1:])]


def _is_head(part: str) -> bool:
    return part.startswith(("qdisc ", "class ", "filter "))


def _expanded(lines: list[str], *, prompts: bool) -> Iterator[ShellLine]:
    variables: dict[str, str] = {}
    for line in lines:
        stripped = line.strip()
        is_prompt = bool(_PROMPT.match(stripped)) and (prompts or not stripped.startswith("#"))
        plain = _PROMPT.sub("", stripped) if is_prompt else _plain(line)
        plain = re.sub(r"[ \t]+", " ", _plain(plain))
        if not plain.strip():
            continue
        if assignment := _ASSIGNMENT.fullmatch(plain.strip().rstrip(";")):
            variables[assignment[1]] = _replaced(assignment[2].strip("\"'"), variables)
            continue
        if _UCI.match(plain):
            raise DialectError(
                f'"{escape_line_breaks(plain.strip())}" is from an OpenWrt file: paste the output of tc -s -d qdisc '
                "show instead (of these files, convert reads /etc/config/sqm)"
            )
        if _CONTROL.match(plain) and not is_prompt:
            raise DialectError(
                f'"{escape_line_breaks(plain.strip())}" is shell code: paste what tc -s -d qdisc show prints on the '
                "device"
            )
        replaced = _replaced(plain, variables)
        for part in re.split(r";|&&", _HARMLESS.sub("", _REDIRECTION.sub("", replaced))):
            if bare := part.strip().strip("\"'").strip():
                yield ShellLine(bare, part[0].isspace() and not is_prompt)


def _plain(line: str) -> str:
    """A line without its comment."""
    return re.sub(r"(^|\s)#.*$", "", line)


def _replaced(text: str, variables: dict[str, str]) -> str:
    def variable_value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name not in variables:
            raise DialectError(f"${name} is not set in this text: replace it with its value")
        return variables[name]

    return _VARIABLE.sub(variable_value, text).replace('"', "")
