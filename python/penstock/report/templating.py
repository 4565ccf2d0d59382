"""The environment shared by all page templates."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from penstock.report import view

__all__ = ["joined_script", "render_template", "template_text"]

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "(\.[\w./-]+\.js)";\n', re.M)
_EXPORTED: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) )", re.M)
_EXPORT: Final = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.M)


def render_template(template: str, **context: Any) -> str:
    """A page rendered from a template of this package; texts are escaped, unknown names are errors."""
    return _environment().get_template(template).render(**context)


def template_text(*names: str) -> Markup:
    """The content of files beside the templates, joined: style sheets and scripts included in a page."""
    folder = resources.files("penstock.report") / "templates"
    return Markup("".join((folder / name).read_text(encoding="utf-8") for name in names))


def joined_script(name: str) -> Markup:
    """A module of this package, such as `live/main.js`, and those that it imports, as one script.

    Each module stands once, before its first use, in a function of its own, so that names of two modules do not meet.
    """
    package = resources.files("penstock")
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = package.joinpath(*name.split("/")).read_text(encoding="utf-8")
        parts[name] = ""  # a circle of imports ends here, and fails in the browser
        for _, imported in _IMPORT.findall(text):
            if (other := _path(name, imported)) not in parts:
                add(other)
        del parts[name]
        parts[name] = _as_function(name, text)

    add(name)
    return Markup("const modules = {};\n" + "\n".join(parts.values()))


def _as_function(name: str, text: str) -> str:
    """A module as a function that returns what the module exports."""
    exported = ", ".join(_EXPORT.findall(text))
    body = _IMPORT.sub(lambda found: f'const {{{found[1]}}} = modules["{_path(name, found[2])}"];\n', text)
    return f'modules["{name}"] = (() => {{\n{_EXPORTED.sub("", body)}return {{ {exported} }};\n}})();'


def _path(name: str, imported: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


@cache
def _environment() -> Environment:
    pages = Environment(
        loader=PackageLoader("penstock.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.globals.update(marker=view.marker, markers=view.markers)
    return pages
