"""A configuration of Junos as statements, each a path of words, as after `set`.

It reads braces and `set` lines, with `inactive:`, `deactivate`, `delete`, `edit`, comments, lists and quoted words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.dialects.conversion import DialectError
from penstock.dialects.junos_lines import split_into_parts

__all__ = ["Path", "read_statements", "statements_below"]

Path = tuple[str, ...]

_COMMENT = re.compile(r"/\*.*?\*/|#[^\n]*", re.DOTALL)
_TOKEN = re.compile(r'"[^"]*"|[{}\[\];]|[^\s{}\[\];"]+')
_COMMANDS = ("set", "deactivate", "activate", "delete", "edit", "top", "up", "exit")
_MARKS = ("inactive:", "protect:", "replace:", "active:")


def read_statements(text: str) -> list[Path]:
    """The active statements, in their order. Raises `DialectError` for braces that do not match."""
    statements: list[Path] = []
    for part in split_into_parts(text):
        bare = _COMMENT.sub(" ", "\n".join(part.lines))
        if "/*" in bare:
            raise DialectError("a comment /* without an end")
        lines = [line.split() for line in bare.splitlines() if line.strip()]
        if any(words[0] in _COMMANDS for words in lines):
            statements = _of_commands(lines, statements)
            continue
        level = [mark for word in part.hierarchy_level for mark in (word, "{")]
        tokens = [token.strip('"') if token != '""' else token for token in _TOKEN.findall(bare)]
        statements += _of_braces([*level, *tokens, *(["}"] * len(part.hierarchy_level))])
    return [*filter(None, statements)]


def _of_commands(lines: list[list[str]], before: list[Path]) -> list[Path]:
    """The statements that result if commands change the statements `before` them."""
    statements = [*before]
    inactive: list[Path] = []
    place: Path = ()
    for words in lines:
        command, tokens = words[0], _TOKEN.findall(" ".join(words[1:]).rstrip(";"))
        if command not in _COMMANDS:
            raise DialectError(f"{' '.join(words)[:60]}: expected one of {', '.join(_COMMANDS)}")
        path = (*place, *(token.strip('"') for token in tokens))
        match command:
            case "set":
                statements += [statement for statement in _lists(path) if statement not in statements]
            case "delete":
                statements = [statement for statement in statements if statement[: len(path)] != path]
            case "deactivate":
                inactive.append(path)
            case "activate":
                inactive = [statement for statement in inactive if statement != path]
            case "edit":
                place = path
            case "up":
                place = place[:-1]
            case _:
                place = ()
    return [statement for statement in statements if not any(statement[: len(path)] == path for path in inactive)]


def _lists(path: Path) -> list[Path]:
    """A statement for each member of its lists, as in `fill-level [ 25 75 ] drop-probability [ 0 100 ]`."""
    statements: list[Path] = []
    while "[" in path:
        start = path.index("[")
        end = path.index("]", start) if "]" in path[start:] else start
        if start == 0 or end == start or "[" in path[start + 1 : end]:
            raise DialectError(f"{' '.join(path)[:60]}: expected a list such as [ 25 75 ] after a word")
        statements += [(*path[:start], member) for member in path[start + 1 : end]]
        if end + 1 == len(path):
            return statements
        path = (*path[: start - 1], *path[end + 1 :])
    if "]" in path:
        raise DialectError(f"{' '.join(path)[:60]}: a bracket ] without an opening [")
    return [*statements, path]


def _of_braces(tokens: list[str]) -> Iterator[Path]:
    """The statements of nested blocks; those in inactive ones are left out."""
    stack: list[tuple[Path, bool]] = [((), True)]
    words: list[str] = []
    for token in tokens:
        if token not in ("{", "}", ";"):
            words.append(token)
            continue
        place, is_active = stack[-1]
        is_active = is_active and "inactive:" not in words
        path = (*place, *(word for word in words if word not in _MARKS))
        if token == "{":
            stack.append((path, is_active))
        elif (token == ";" or words) and is_active and words:
            yield from _lists(path)
        words = []
        if token == "}":
            stack.pop()
            if not stack:
                raise DialectError("a brace } without its {")
    if words and len(stack) == 1:
        yield from _lists(tuple(word for word in words if word not in _MARKS))
    elif len(stack) > 1:
        raise DialectError(f"{' '.join(stack[-1][0])[:60]} {{: a brace without its end")


def statements_below(statements: list[Path], *names: str) -> list[Path]:
    """The statements below a hierarchy level, without its words, wherever that level is."""
    paths = []
    for statement in statements:
        for start in range(len(statement) - len(names)):
            if statement[start : start + len(names)] == names:
                paths.append(statement[start + len(names) :])
                break
    return paths
