"""The files that `penstock new` writes: templates of AQMs and of reproduced papers that run unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.aqms import catalog
from penstock.errors import PenstockError, did_you_mean
from penstock.files import FileError, write_text

__all__ = ["CreatedFiles", "create_from_template"]

_KINDS = ("aqm", "paper")
_PAPER_FILES = {
    "README.md": "claims, set-up and assumptions",
    "__init__.py": "the package",
    "fig1.py": "an experiment with a claim",
    "paper.toml": "authors, title, experiments",
    "setup.py": "the common scenario",
}
_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class CreatedFiles:
    """The result of `penstock new`: files with descriptions, the commands to run next, and a remark."""

    described_files: Sequence[tuple[Path, str]]
    commands: Sequence[str]
    remark: str = ""

    @property
    def files(self) -> list[Path]:
        """The files that were written or changed."""
        return [file for file, _ in self.described_files]

    @property
    def text(self) -> str:
        """The result as text."""
        lines = [*(f"{file}: {what}" for file, what in self.described_files), "", *self.commands]
        return "\n".join([*lines, *(["", self.remark] if self.remark else []), ""])


def create_from_template(kind: str, name: str, rust: bool, into: Path) -> CreatedFiles:
    """Write the files of a new AQM or paper."""
    if kind not in _KINDS:
        raise PenstockError(f'no template "{kind}"{did_you_mean(kind, _KINDS)}; available: {", ".join(_KINDS)}')
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise PenstockError(
            f'"{name}": the name must consist of lower-case letters, digits and hyphens, such as my-red'
        )
    if not into.is_dir():
        raise PenstockError(f"--into {into}: there is no such folder")
    if kind == "paper":
        return _paper(name, into)
    if name in catalog.scheme_names():
        raise PenstockError(f'the scheme "{name}" exists already; choose another name')
    return _rust(name, into) if rust else _python(name, into)


def _python(name: str, into: Path) -> CreatedFiles:
    module = name.replace("-", "_")
    aqm, test = into / f"{module}.py", into / f"test_{module}.py"
    _write({aqm: _filled("aqm.py", name), test: _filled("test_aqm.py", name)})
    commands = (f"pytest {test}", f"penstock compare SCENARIO.toml --scheme red --scheme {aqm}:{name}")
    return CreatedFiles(((aqm, "the AQM"), (test, "its tests")), commands)


def _paper(name: str, into: Path) -> CreatedFiles:
    folder = into / name.replace("-", "_")
    files = sorted(file.name.removesuffix(".txt") for file in (_TEMPLATES / "paper").glob("*.txt"))
    _write({folder / file: _filled(f"paper/{file}", name) for file in files})
    described = [(folder / file, _PAPER_FILES[file]) for file in files]
    return CreatedFiles(described, (f"penstock reproduce {folder} --quick",))


def _rust(name: str, checkout: Path) -> CreatedFiles:
    module = name.replace("-", "_")
    source = checkout / "crates" / "penstock-aqm" / "src"
    aqms, registry = source / "algorithm.rs", source / "registry.rs"
    try:
        modules, entries = aqms.read_text(encoding="utf-8"), registry.read_text(encoding="utf-8")
    except OSError:
        raise PenstockError(f"{checkout}: not a checkout of penstock; name one with --into DIR") from None
    end = entries.find("    // Disciplines.\n")
    if end < 0:
        raise PenstockError(f"{registry}: no list of AQMs found")
    entry = f"    crate::algorithm::{module}::{_class(name)},\n"
    module_names = sorted([*re.findall(r"^(?:pub )?mod (\w+);$", modules, re.M), module])
    after = module_names.index(module)
    line = f"pub mod {module};\n"
    if after == 0:
        first = re.search(r"^(?:pub )?mod \w+;\n", modules, re.M)
        at = first.start() if first else len(modules)
    else:
        declaration = re.search(rf"^(?:pub )?mod {module_names[after - 1]};\n", modules, re.M)
        at = declaration.end() if declaration else len(modules)
    aqm = source / "algorithm" / f"{module}.rs"
    _write({aqm: _filled("aqm.rs", name)})
    aqms.write_text(modules[:at] + line + modules[at:], encoding="utf-8")
    registry.write_text(entries[:end] + entry + entries[end:], encoding="utf-8")
    files = ((aqm, "the AQM with its tests"), (aqms, "its module"), (registry, "its entry in the list of AQMs"))
    commands = (
        "cargo test -p penstock-aqm --lib",
        "cargo test -p penstock-aqm --test integration conformance",
        "make gen",
        "make schemes",
    )
    oracle = f"crates/penstock-aqm/tests/integration/oracle/{module}.rs"
    return CreatedFiles(files, commands, f'Then write its oracle, {oracle}: see "Add an AQM" in CONTRIBUTING.md.')


def _filled(template: str, name: str) -> str:
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    words = {"NAME": name, "MODULE": name.replace("-", "_"), "CLASS": _class(name), "TITLE": _title(name)}
    return re.sub(r"@(NAME|MODULE|CLASS|TITLE)@", lambda match: words[match[1]], text)


def _class(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _write(files: dict[Path, str]) -> None:
    """Write all files or none; never overwrite an existing file."""
    for file in files:
        if file.exists():
            raise PenstockError(f"{file}: exists already and is not overwritten")
    folders = [folder for folder in dict.fromkeys(file.parent for file in files) if not folder.exists()]
    written: list[Path] = []
    try:
        for folder in folders:
            folder.mkdir()
        for file, text in files.items():
            write_text(file, text)
            written.append(file)
    except OSError as error:
        for file in written:
            file.unlink()
        for folder in folders:
            if folder.is_dir():
                folder.rmdir()
        if isinstance(error, PenstockError):
            raise
        raise FileError(f"{error.filename}: cannot be written: {error.strerror}") from None
