"""Reads pasted text of SONiC as tables: `config_db.json`, a part of it, or the output of `show ecn` or Redis."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.dialects.pasted_text import strip_prompts

__all__ = ["Tree", "read_tables"]

Tree = dict[str, Any]

_PROFILE = re.compile(r"^\s*Profile:\s*(\S+)\s*$")
_FIELD = re.compile(r"^\s*([a-z_]+)\s+(\S+)\s*$")
_REDIS = re.compile(r"^\s*\d+\)\s*\"([^\"]*)\"\s*$")
_NO_COMMAND = r"\b\B"
"""Matches no text."""


def read_tables(text: str) -> Tree:
    """The tables in a text. Raises `DialectError` for a text that is neither JSON nor output of SONiC."""
    text = strip_prompts(text, _NO_COMMAND).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    if any(_PROFILE.match(line) for line in lines):
        return {"WRED_PROFILE": _printed_profiles(lines)}
    if lines and all(_REDIS.match(line) for line in lines) and len(lines) % 2 == 0:
        words = [found[1] for line in lines if (found := _REDIS.match(line))]
        return dict(zip(words[::2], words[1::2], strict=True))
    if re.match(r"\{\s*'", text):
        return _table(_python_table(text))
    if re.match(r'"[\w|.-]+"\s*:', text):
        text = f"{{{text.rstrip().removesuffix(',')}}}"
    try:
        return _table(json.loads(text, object_pairs_hook=_unique_keys))
    except ValueError as error:
        raise DialectError(f"not JSON: {error}") from None
    except RecursionError:
        raise DialectError("not JSON: it is too deeply nested") from None


def _table(tree: Any) -> Tree:
    if not isinstance(tree, dict):
        raise DialectError('expected a profile such as {"wred_green_enable": "true", ...}')
    return tree


def _unique_keys(pairs: list[tuple[str, Any]]) -> Tree:
    """A table of JSON. Raises `DialectError` for a key that is given twice."""
    tree = dict(pairs)
    if len(tree) < len(pairs):
        names = [name for name, _ in pairs]
        raise DialectError(f"{next(name for name in names if names.count(name) > 1)} is given twice")
    return tree


def _python_table(text: str) -> Any:
    """A table as `sonic-db-cli` prints it."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise DialectError("neither JSON nor the output of sonic-db-cli") from None


def _printed_profiles(lines: list[str]) -> Tree:
    """The profiles that `show ecn` prints."""
    profiles: dict[str, dict[str, str]] = {}
    name = ""
    for line in lines:
        if match := _PROFILE.match(line):
            name = match[1]
            profiles[name] = {}
        elif (match := _FIELD.match(line)) and name:
            profiles[name][match[1]] = match[2]
        elif not re.fullmatch(r"[\s-]+", line):
            raise DialectError(f"{line.strip()[:60]}: not a line that show ecn prints")
    return profiles
