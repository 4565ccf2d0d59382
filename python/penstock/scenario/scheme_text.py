"""A scheme with its parameters as text, in the notation of `--scheme`: `red:max_p=0.2,gentle=true`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from penstock import _native
from penstock.aqms import python_aqm
from penstock.aqms.catalog import find_scheme
from penstock.errors import ErrorDetail, PenstockError, ScenarioError, did_you_mean

__all__ = ["parse_scheme", "parse_value", "resolve_scheme_alias", "split_at_commas"]


def parse_scheme(text: str, origin: str) -> tuple[str, dict[str, Any]]:
    """Name and parameters of `NAME:key=value,...`, or of the same after `FILE.py:` for an AQM in Python.

    `origin` names the source of the text in errors. Raises `ScenarioError`.
    """
    name, _, settings = text.partition(":")
    if name.endswith(".py"):
        name, settings = _from_python(name, settings, origin)
    params: dict[str, Any] = {}
    for item in split_at_commas(settings):
        key, sign, value = item.partition("=")
        if not sign or not key.strip():
            raise ScenarioError([ErrorDetail("", f'"{item}" is not a setting such as max_p=0.1', None, origin)])
        name_of_key = key.strip().replace("-", "_")
        if name_of_key in params:
            raise ScenarioError([ErrorDetail("", f"{name_of_key} is given twice", None, origin)])
        params[name_of_key] = parse_value(value.strip())
    return resolve_scheme_alias(name, origin), params


def parse_queue(text: str, origin: str) -> Mapping[str, Any]:
    """The table of a queue given as text."""
    name, params = parse_scheme(text, origin)
    return {"scheme": name, **params}


def resolve_scheme_alias(name: str, origin: str) -> str:
    """The name of a scheme for its name or alias. Raises `ScenarioError`."""
    try:
        return find_scheme(name).name
    except PenstockError as error:
        raise ScenarioError([ErrorDetail("", str(error), None, origin)]) from None


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that are outside quotes and brackets."""
    parts, depth, quote, part = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(part)
            part = ""
            continue
        part += char
    return [item for item in [*parts, part] if item.strip()]


def parse_value(text: str) -> Any:
    """A value as on the command line: a TOML value (`0.2`, `true`, `[1, 2]`, `"x"`) if it is one, else the text itself.

    `inf` remains a string, as in scenario files.
    """
    try:
        tree, _ = _native.parse_toml(f"value = {text}\n")
    except ValueError:
        return text
    value = tree.get("value")
    infinite = isinstance(value, float) and not math.isfinite(value)
    return text if isinstance(value, bytes) or infinite or len(tree) != 1 else value


def _from_python(file: str, rest: str, origin: str) -> tuple[str, str]:
    """The AQM and the settings of `FILE.py:NAME:key=value,...`; a file with one AQM need not name it."""
    names = python_aqm.load_aqm_file(file)
    name, _, settings = rest.partition(":")
    if "=" in name:
        name, settings = "", rest
    if not name and len(names) == 1:
        return names[0], settings
    if name in names:
        return name, settings
    allowed = f"available: {', '.join(names)}" if names else 'it declares none with @ps.aqm("name")'
    message = (
        f'{file} has no AQM "{name}"{did_you_mean(name, names)}; {allowed}'
        if name
        else f"name an AQM of {file}; {allowed}"
    )
    raise ScenarioError([ErrorDetail("", message, None, origin)])
