"""The files that `penstock new` writes: templates of laws and of reproduced papers that run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

from penstock.errors import PenstockError, nearest
from penstock.laws import catalog

__all__ = ["create"]

_KINDS = ("aqm", "paper")
_TEMPLATES = Path(__file__).with_name("templates")


def create(kind: str, name: str, rust: bool, into: Path) -> str:
    """Write the files of a new law or paper; returns their names and the next commands."""
    if kind not in _KINDS:
        raise PenstockError(f'no template "{kind}"{nearest(kind, _KINDS)}; available: {", ".join(_KINDS)}')
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise PenstockError(
            f'"{name}": the name must consist of lower-case letters, digits and hyphens, such as my-red'
        )
    if kind == "paper":
        return _paper(name, into)
    if name in catalog.scheme_names():
        raise PenstockError(f'the scheme "{name}" exists already; choose another name')
    return _rust(name, into) if rust else _python(name, into)


def _python(name: str, into: Path) -> str:
    module = name.replace("-", "_")
    law, test = into / f"{module}.py", into / f"test_{module}.py"
    _write({law: _filled("law.py", name), test: _filled("test_law.py", name)})
    return (
        f"{law}: the law\n{test}: its tests\n\n"
        f"pytest {test}\npenstock compare SCENARIO.toml --scheme red --scheme {law}:{name}\n"
    )


def _paper(name: str, into: Path) -> str:
    folder = into / name.replace("-", "_")
    files = sorted(file.name.removesuffix(".txt") for file in (_TEMPLATES / "paper").glob("*.txt"))
    _write({folder / file: _filled(f"paper/{file}", name) for file in files})
    return f"{folder}: {', '.join(files)}\n\npenstock reproduce {folder} --quick\n"


def _rust(name: str, checkout: Path) -> str:
    module = name.replace("-", "_")
    source = checkout / "crates" / "penstock-aqm" / "src"
    laws, registry = source / "law.rs", source / "registry.rs"
    try:
        modules, entries = laws.read_text(encoding="utf-8"), registry.read_text(encoding="utf-8")
    except OSError:
        raise PenstockError(f"{checkout}: not a checkout of penstock; name one with --into DIR") from None
    end = entries.find("    // Disciplines.\n")
    if end < 0:
        raise PenstockError(f"{registry}: no list of laws found")
    entry = f"    crate::law::{module}::{_class(name)},\n"
    known = sorted([*re.findall(r"^(?:pub )?mod (\w+);$", modules, re.M), module])
    after = known.index(module)
    line = f"pub mod {module};\n"
    if after == 0:
        first = re.search(r"^(?:pub )?mod \w+;\n", modules, re.M)
        at = first.start() if first else len(modules)
    else:
        found = re.search(rf"^(?:pub )?mod {known[after - 1]};\n", modules, re.M)
        at = found.end() if found else len(modules)
    law = source / "law" / f"{module}.rs"
    _write({law: _filled("law.rs", name)})
    laws.write_text(modules[:at] + line + modules[at:], encoding="utf-8")
    registry.write_text(entries[:end] + entry + entries[end:], encoding="utf-8")
    return (
        f"{law}: the law with its tests\n{laws}: its module\n{registry}: its line in the list\n\n"
        "cargo test -p penstock-aqm --lib\ncargo test -p penstock-aqm --test integration conformance\n"
        "make gen\nmake schemes\n\n"
        f"Then write its oracle, crates/penstock-aqm/tests/integration/oracle/{module}.rs: "
        'see "Add a law" in CONTRIBUTING.md.\n'
    )


def _filled(template: str, name: str) -> str:
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    words = {"NAME": name, "MODULE": name.replace("-", "_"), "CLASS": _class(name), "TITLE": _title(name)}
    return re.sub(r"@(NAME|MODULE|CLASS|TITLE)@", lambda found: words[found[1]], text)


def _class(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _write(files: dict[Path, str]) -> None:
    """Write all files or none; never overwrite an existing file."""
    for file in files:
        if file.exists():
            raise PenstockError(f"{file}: exists already and is not overwritten")
    for file, text in files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise PenstockError(f"{file}: cannot be written: {error.strerror}") from None
