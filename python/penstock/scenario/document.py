"""Scenarios as plain values: read from TOML, changed by path, resolved."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from penstock import _native
from penstock.aqms import python_aqm
from penstock.errors import ErrorDetail, ScenarioError, append_errors_to, did_you_mean, format_value, nearest_name
from penstock.files import read_text
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.resolve.files import content_key, tables_with_files
from penstock.scenario.resolve.resolved_tables import sorted_text
from penstock.scenario.scheme_text import parse_value

Tree = dict[str, Any]


@dataclass(frozen=True)
class Document:
    """A scenario as plain values with the source of each key, as used by the command line.

    Documents share branches of their trees; never change a branch in place.
    """

    tree: Tree
    origins: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Document:
        """Read a scenario file. Raises `ScenarioError` if the file is not TOML, is not UTF-8 or cannot be opened."""
        document = cls.parse(_read_text(path), str(path))
        for table, key in tables_with_files(document.tree):
            table[key] = str((_folder(path) / table[key]).absolute())
        return document

    @classmethod
    def parse(cls, text: str, name: str = "scenario") -> Document:
        """Read the text of a scenario; `name` is its name in messages."""
        tree, lines = _parse(text, name)
        if not tree:
            raise ScenarioError(
                [ErrorDetail("", "is empty; a scenario needs duration, [links.NAME] and [traffic.NAME]", None, name)]
            )
        return cls(tree, {"": name} | {path: f"{name}:{line}" for path, line in lines.items()})

    def set(self, path: str, value: Any, origin: str = "--set") -> Document:
        """A copy with another value at a path such as `links.bottleneck.queue.max_p`; all other branches are shared."""
        return Document(tree_with_value(self.tree, path, value, origin), {**self.origins, path: origin})

    def resolve(self) -> Resolved:
        """In canonical form. Raises `ScenarioError` with every error."""
        resolved = resolve(self.tree, self.origins)
        if resolved.errors:
            raise ScenarioError(resolved.errors)
        return resolved


class HasDocument(Protocol):
    """A scenario built in Python."""

    def document(self) -> Document:
        """As plain values."""


ScenarioLike = HasDocument | Document | str | Path
"""A scenario, or the path of its file."""


def as_document(scenario: ScenarioLike) -> Document:
    """A scenario as plain values; a string or path names a scenario file."""
    if isinstance(scenario, Document):
        return scenario
    return Document.read(scenario) if isinstance(scenario, (str, Path)) else scenario.document()


def scenario_key(resolved: Resolved) -> str:
    """The key of a resolved scenario, as returned by `Scenario.key`."""
    aqms = python_aqm.code_keys(python_aqm.scenario_schemes(resolved.readable))
    traces = [trace for form in resolved.links for trace in form.file_contents]
    groups = [form.canonical for form in resolved.traffic]
    replayed = [content_key(group["replay"]["file"]) for group in groups if "replay" in group]
    parts = [str(_native.meaning), resolved.content(), *map(sorted_text, filter(None, (aqms, traces, replayed)))]
    return hashlib.sha256(f"[{', '.join(parts)}]".encode()).hexdigest()[:32]


def tree_with_value(tree: Tree, path: str, value: Any, origin: str) -> Tree:
    """A copy of a tree with another value at a path; all other branches are shared.

    Missing tables below a link, traffic or a workload are created. `origin` is the source of the path in errors.
    """
    keys = _keys(path)
    if not keys:
        raise ScenarioError([ErrorDetail(path, "is not a path such as links.bottleneck.queue.max_p", None, origin)])
    changed = dict(tree)
    place: Any = changed
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        item: Any = key
        if key.startswith("[") or isinstance(place, list):
            item = _index(place, key, _joined(keys[: depth + 1]), origin)
        elif not isinstance(place, dict):
            message = f"{_joined(keys[:depth])} is not a table, but {format_value(place)}"
            raise ScenarioError([ErrorDetail(path, message, None, origin)])
        elif not last and key not in place:
            if depth == 1 and keys[0] in ("links", "traffic", "workloads"):
                message = f"no such name{did_you_mean(key, place)}; available: {', '.join(place) or 'none'}"
                raise ScenarioError([ErrorDetail(_joined(keys[: depth + 1]), message, None, origin)])
            place[key] = {}
        place[item] = value if last else _copied(place[item])
        place = place[item]
    return changed


@lru_cache
def _keys(path: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"\.|(?=\[)", path) if part)


def _joined(keys: Sequence[str]) -> str:
    return ".".join(keys).replace(".[", "[")


def _copied(branch: Any) -> Any:
    """A table or list with the same branches; any other value as it is."""
    if isinstance(branch, dict):
        return dict(branch)
    return list(branch) if isinstance(branch, list) else branch


def _index(place: Any, key: str, here: str, origin: str) -> int:
    match = re.fullmatch(r"\[(\d+)\]", key)
    if not isinstance(place, list) or match is None or int(match[1]) >= len(place):
        message = "there is no such item of a list; write an item as in change[0].rate"
        raise ScenarioError([ErrorDetail(here, message, None, origin)])
    return int(match[1])


def read_document(path: str | Path, settings: Iterable[str] = ()) -> Document:
    """A scenario file with `--set PATH=VALUE` applied."""
    document = Document.read(path)
    errors: list[ErrorDetail] = []
    seen: set[str] = set()
    for text in settings:
        key, sign, value = text.partition("=")
        if key.strip() in seen:
            errors.append(ErrorDetail("", f"{key.strip()} is set twice", None, f"--set {text}"))
            continue
        seen.add(key.strip())
        if not sign or not key.strip():
            errors.append(
                ErrorDetail("", "is not PATH=VALUE, such as links.bottleneck.rate=2Mbit", None, f"--set {text}")
            )
            continue
        with append_errors_to(errors):
            document = document.set(key.strip(), parse_value(value.strip()))
    if errors:
        raise ScenarioError([*errors, *resolve(document.tree, document.origins).errors])
    return document


def read_toml_tree(path: str | Path) -> tuple[Tree, Mapping[str, str]]:
    """A TOML file as plain values, with the source of each key."""
    tree, lines = _parse(_read_text(path), str(path))
    return tree, {"": str(path)} | {key: f"{path}:{line}" for key, line in lines.items()}


def _read_text(path: str | Path) -> str:
    try:
        return read_text(path)
    except UnicodeDecodeError as error:
        raise ScenarioError(
            [ErrorDetail("", f"is not UTF-8 text (byte {error.start}); save it as UTF-8", None, str(path))]
        ) from None
    except FileNotFoundError:
        close = _nearest_file(Path(path))
        raise ScenarioError([ErrorDetail("", f"no such file{close}", None, str(path))]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ScenarioError([ErrorDetail("", f"cannot be read: {reason}", None, str(path))]) from None


def _nearest_file(path: Path) -> str:
    """The scenario with the nearest name in the folder, compared without the common ending."""
    files = {item.stem: str(item) for item in _folder(path).glob("*.toml")}
    name = nearest_name(path.stem, files)
    return f'; did you mean "{files[name]}"?' if name is not None else ""


def _folder(path: str | Path) -> Path:
    folder = Path(path).parent
    return folder if folder.is_dir() else Path()


def _parse(text: str, name: str) -> tuple[Tree, Mapping[str, int]]:
    try:
        return _native.parse_toml(text)
    except ValueError as error:
        errors = [
            ErrorDetail("", f"not TOML: {error['message']}", None, f"{name}:{error['line']}" if error["line"] else name)
            for error in json.loads(str(error))
        ]
        raise ScenarioError(errors) from None
