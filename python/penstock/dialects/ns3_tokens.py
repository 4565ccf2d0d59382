"""Tokens and statements of C++ or Python, without comments and without code that is never compiled or executed.

The code under `#if 0` and `if (false)` is left out, and the other branch of each is read. Statements below other
conditions are read, and noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.dialects.conversion import DialectError, escape_line_breaks

__all__ = ["DEPTH", "Tokens", "split_statements", "tokenize"]

_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<directive>\#(?:\\\n|[^\n])*)|(?P<space>\s+)'
    r"|(?P<number>\.?\d(?:[eE][+-]|[\w.])*+)"
    r"|(?P<name>[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)|(?P<mark>->|.)",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*(.*)", re.DOTALL)
DEPTH = 50
"""Maximum depth of nested expressions and conditions."""

Tokens = list[tuple[str, str]]


@dataclass(frozen=True)
class PreprocessorBranch:
    """The current branch of an open `#if`. An attribute is None if the text does not decide it.

    Attributes:
        is_compiled: whether the branch is compiled.
        is_decided: whether this branch or an earlier one is compiled, so that no later one is.

    """

    is_compiled: bool | None
    is_decided: bool | None


def tokenize(text: str) -> tuple[Tokens, list[str]]:
    """The tokens that take effect, each with its kind, and notes on conditions. Raises `DialectError`."""
    notes: list[str] = []
    tokens = _compiled(text, notes)
    depth = 0
    for kind, mark in tokens:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(mark, 0) if kind == "mark" else 0
        if depth > 4 * DEPTH:
            raise DialectError("too deeply nested")
    return _run(tokens, notes), list(dict.fromkeys(notes))


def _compiled(text: str, notes: list[str]) -> Tokens:
    """The tokens without comments and directives, and without the branches of `#if` that are never compiled."""
    tokens: Tokens = []
    sides: list[PreprocessorBranch] = []
    has_directives = re.search(r"^[ \t]*#[ \t]*endif\b", text, re.MULTILINE) is not None  # else # starts a comment
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind == "directive" and has_directives and (directive := _DIRECTIVE.match(match[0])):
            _follow(sides, directive[1], re.sub(r"//.*|/\*.*?\*/", "", directive[2]).strip())
        if kind in ("comment", "space", "directive") or any(side.is_compiled is False for side in sides):
            continue
        if kind == "mark" and match[0] == '"':
            raise DialectError(
                f"a string without an end: {escape_line_breaks(text[match.start() : match.start() + 40])}"
            )
        if kind == "mark" and text.startswith("/*", match.start()):
            raise DialectError("a comment /* without an end")
        if any(side.is_compiled is None for side in sides) and kind == "name" and _is_setting(match[0]):
            notes.append("settings between #if and #endif are read, whatever the condition")
        tokens.append((kind, re.sub(r"\s", "", match[0]) if kind == "name" else match[0]))
    return tokens


def _follow(sides: list[PreprocessorBranch], word: str, condition: str) -> None:
    """Update the branches of open conditions after a directive."""
    holds = {"0": False, "false": False, "1": True, "true": True}.get(condition)
    if word in ("if", "ifdef", "ifndef"):
        holds = holds if word == "if" else None
        sides.append(PreprocessorBranch(holds, holds))
    elif sides and word == "endif":
        sides.pop()
    elif sides:
        before = sides.pop().is_decided
        holds = True if word == "else" else holds
        is_read = False if before or holds is False else None if before is None else holds
        sides.append(PreprocessorBranch(is_read, before or (None if before is None else is_read)))


def _is_setting(name: str) -> bool:
    method = name.rpartition("::")[2]
    return method in ("Set", "SetDefault", "SetAttribute") or "Queue" in method


def _run(tokens: Tokens, notes: list[str]) -> Tokens:
    """The tokens without statements below `if (false)`; a note where settings are below other conditions."""
    kept: Tokens = []
    at = 0
    while at < len(tokens):
        kind, word = tokens[at]
        if kind != "name" or word not in ("if", "switch", "while"):
            kept.append(tokens[at])
            at += 1
            continue
        has_condition = tokens[at + 1 : at + 2] == [("mark", "(")]  # not in Python, whose blocks have no closing mark
        body = _closing(tokens, at + 1) if has_condition else at + 1
        condition = "".join(text for _, text in tokens[at + 2 : body - 1])
        if word != "switch" and condition in ("false", "0"):
            at = _end(tokens, body, 0)
            at += tokens[at : at + 1] == [("name", "else")]
            continue
        end = _end(tokens, at if word == "if" else body, 0) if has_condition else len(tokens)
        if condition not in ("true", "1") and tokens[at + 1 : at + 2] != [("name", "__name__")]:
            notes += _note(tokens[body:end], f"{word} ({condition})" if condition else word)
        kept += [*tokens[at:body], ("mark", ";")]
        at = body
    return kept


def _note(tokens: Tokens, condition: str) -> list[str]:
    """A note if the tokens have settings, or variables whose values settings may use."""
    if any((kind == "name" and _is_setting(text)) or (kind, text) == ("mark", "=") for kind, text in tokens):
        return [f"statements below {condition} are read, whatever the condition"]
    return []


def _closing(tokens: Tokens, start: int) -> int:
    """The place after the parenthesis or brace that closes the one at `start`."""
    depth = 0
    for place in range(start, len(tokens)):
        kind, text = tokens[place]
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text, 0) if kind == "mark" else 0
        if depth == 0:
            return place + 1
    return len(tokens)


def _end(tokens: Tokens, at: int, depth: int) -> int:
    """The place after the statement that begins here, with all its `else`. Raises `DialectError`."""
    if depth > DEPTH:
        raise DialectError("too deeply nested")
    if tokens[at : at + 1] == [("mark", "{")]:
        return _closing(tokens, at)
    if tokens[at : at + 2] == [("name", "if"), ("mark", "(")]:
        end = _end(tokens, _closing(tokens, at + 1), depth + 1)
        return _end(tokens, end + 1, depth + 1) if tokens[end : end + 1] == [("name", "else")] else end
    while at < len(tokens) and tokens[at] != ("mark", ";"):
        is_block = tokens[at] == ("mark", "{")
        at = _closing(tokens, at) if is_block or tokens[at] == ("mark", "(") else at + 1
        if is_block and tokens[at : at + 1] not in ([("mark", mark)] for mark in ";,.()"):
            return at
    return min(at + 1, len(tokens))


def split_statements(tokens: Tokens) -> Iterator[Tokens]:
    """Statements: the text between semicolons and braces outside parentheses."""
    statement: Tokens = []
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token[1], 0) if token[0] == "mark" else 0
        if token in (("mark", ";"), ("mark", "{"), ("mark", "}")) and depth <= 0:
            yield statement
            statement, depth = [], 0
        else:
            statement.append(token)
    yield statement
