"""Writes `_generated.py`: a class for each queue scheme and one for TCP traffic, from the native registries."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from penstock.aqms.catalog import Param, Scheme, schemes, tcp_keys
from penstock.scenario.resolve.settings import readable_default

TARGET = Path(__file__).with_name("_generated.py")

_HEAD = '''"""One class for each queue scheme, and one for TCP traffic. Made by `make gen`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penstock.aqms.queue import ClassElement, Queue
from penstock.scenario.elements import Traffic, Value
'''

_DATACLASS = "\n\n@dataclass(frozen=True, kw_only=True, repr=False)\n"

# Keys of TCP traffic for the arrival of transfers, with their Python types; they are not keys of a connection.
_TRANSFERS = (
    Param("arrivals", 'Gaps between transfers, each on its own connection, such as {"exp": "10ms"}.', "",
          "Value", None),
    Param("load", "Instead of arrivals: average rate offered by transfers with exponential gaps.", "", "str",
          None),
    Param("classes", "Upper bounds of size classes with completion times of their own.", "", "Sequence[str]",
          None),
    Param("rpm_of", "Groups of TCP flows under whose load these transfers measure the responsiveness (`rpm`).", "",
          "Sequence[str]", None),
)  # fmt: skip

_WATCH = Param("watch", "Whether series include the state of each sender; only for lasting connections.", "",
               "flag", None)  # fmt: skip

_DELAYS = Param("delays", "Whether the one-way delays of data packets are measured, and of web sessions the times of "
                "pages.", "", "flag", None)  # fmt: skip

# Words of scheme names that the literature writes with inner capitals.
_WORDS = {"codel": "CoDel", "droptail": "DropTail", "dualpi2": "DualPi2"}


def class_name(scheme: str) -> str:
    """`ared-floyd` is `AredFloyd`, `fq-codel` is `FqCoDel`."""
    return "".join(_WORDS.get(word, word.capitalize()) for word in scheme.split("-"))


def generated_source() -> str:
    """The text of the generated file."""
    names = [class_name(scheme.name) for scheme in schemes()]
    exported = "".join(f'    "{name}",\n' for name in sorted(["SCHEMES", "Class", *names, "Tcp"], key=_sorting))
    parts = [_HEAD, f"\n__all__ = [\n{exported}]\n"]
    parts.append(_class_of_packets())
    parts += [_scheme_class(scheme) for scheme in schemes()]
    parts.append(_tcp_class())
    entries = "".join(f'    "{scheme.name}": {class_name(scheme.name)},\n' for scheme in schemes())
    parts.append(f"\n\nSCHEMES: dict[str, type[Queue]] = {{\n{entries}}}\n")
    return "".join(parts)


def _sorting(name: str) -> tuple[bool, str]:
    """Sort key for names: constants first, as the linter sorts them; a single letter does not count as a constant."""
    return not (name.isupper() and len(name) > 1), name


def _scheme_class(scheme: Scheme) -> str:
    own = [param for param in scheme.params if param.name not in ("limit", "share")]
    # Required fields first; the order has no effect, since all are keyword arguments.
    lines = [_docs(scheme.title, own, scheme.source), f'    scheme: ClassVar[str] = "{scheme.name}"\n']
    if own:
        lines.append("\n")
    lines += [_field(param, readable_default(param)) for param in own]
    return f"{_DATACLASS}class {class_name(scheme.name)}(Queue):\n" + "".join(lines)


def _class_of_packets() -> str:
    """One class for the classes of all schedulers: each takes some of the keys."""
    params: dict[str, Param] = {}
    owners: dict[str, list[str]] = {}
    for scheme in schemes():
        for param in scheme.class_params:
            params.setdefault(param.name, param)
            owners.setdefault(param.name, []).append(scheme.name)
    sentences = [
        replace(param, doc=f"({', '.join(owners[name])}) {param.doc}", default=None, required=False)
        for name, param in params.items()
    ]
    return (
        f"{_DATACLASS}class Class(ClassElement):\n"
        + _docs("A class of packets of a scheduler; the schedulers that use a key are named in brackets", sentences, "")
        + "".join(_field(param, None) for param in sentences)
    )


def _tcp_class() -> str:
    keys = tcp_keys()
    doc, default = "Bundle of defaults for all other keys.", keys.default_profile
    profile = Param("profile", doc, "", "choice", default, keys.profiles)
    params = [profile, *keys.params, *_TRANSFERS, _WATCH, _DELAYS]
    docs = _docs("TCP flows; keys left out (None) have the default of the profile.", params, "")
    fields = [_field(profile, default), *(_tcp_field(param) for param in keys.params)]
    fields += [f"    {param.name}: {param.kind} | None = None\n" for param in _TRANSFERS]
    fields += [_field(param, None) for param in (_WATCH, _DELAYS)]
    return f"{_DATACLASS}class Tcp(Traffic):\n" + docs + '    kind: ClassVar[str] = "tcp"\n\n' + "".join(fields)


def _tcp_field(param: Param) -> str:
    """A key of TCP; the size of a transfer may be drawn."""
    field = _field(param, None)
    return field.replace(": ", ": Mapping[str, Any] | ", 1) if param.name in ("packets", "bytes") else field


def _docs(title: str, params: Iterable[Param], references: str) -> str:
    lines = [f'    """{title.rstrip(".")}.\n']
    attributes = [_attribute(param) for param in params]
    if attributes:
        lines += ["\n    Attributes:\n", *attributes]
    if references:
        text = textwrap.fill(references, 112, initial_indent=" " * 8, subsequent_indent=" " * 8)
        lines.append(f"\n    References:\n{text}\n")
    return "".join(lines) + '    """\n\n'


def _attribute(param: Param) -> str:
    unit = f" Unit: {param.unit}." if param.unit else ""
    bounds = ""
    if param.range:
        low, high = param.range
        bounds = f" At least {low:g}." if high is None else f" From {low:g} to {high:g}."
    text = f"{param.name}: {param.doc}{unit}{bounds}".replace("\\", "\\\\")
    return textwrap.fill(text, 112, initial_indent=" " * 8, subsequent_indent=" " * 12) + "\n"


def _field(param: Param, default: object) -> str:
    kind = _annotation(param)
    if param.required:
        return f"    {param.name}: {kind}\n"
    if default is None:
        kind = f"{kind} | None"
    return _wrapped(f"    {param.name}: {kind} = {_literal(default)}\n")


def _wrapped(field: str) -> str:
    """The line, broken as the formatter does it if it is too long: around an optional type, else at the brackets."""
    if len(field) <= 121:
        return field
    head, kind = field.split(": ", 1)
    kind, default = kind.rsplit(" = ", 1)
    if kind.endswith("| None") and len(kind) <= 112:
        return f"{head}: (\n        {kind}\n    ) = {default}"
    head, rest = field.split("[", 1)
    words, tail = rest.rsplit("]", 1)
    if len(words) > 112:
        words = words.replace(", ", ",\n        ") + ","
    return f"{head}[\n        {words}\n    ]{tail}"


def _literal(value: object) -> str:
    if isinstance(value, list):  # a default must not be mutable
        return repr(tuple(value))
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _annotation(param: Param) -> str:
    words = f"Literal[{', '.join(map(json.dumps, param.choices))}]"
    match param.kind:
        case "choice":
            return f"{words} | bool" if "on" in param.choices else words
        case "flag":
            return "bool"
        case "integer":
            return "int | str" if param.words else "int"
        case "time":
            return "str | bool" if "off" in param.words else "str"
        case "size":
            return "str"
        case "numbers":
            return "Sequence[float]"
        case "codepoints":
            return "Sequence[int | str]"
        case "writes":
            return "Sequence[Sequence[str]]"
        case "classes":
            return "Sequence[Class]"
        case _:
            return "float | str"


if __name__ == "__main__":
    TARGET.write_text(generated_source(), encoding="utf-8")
