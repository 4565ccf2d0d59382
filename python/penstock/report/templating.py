"""The environment shared by all page templates."""

from __future__ import annotations

import json
import posixpath
import re
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from penstock import _native
from penstock.engine.environment import provenance
from penstock.report import view
from penstock.results.palette import css_colour_rules

__all__ = ["bundled_script", "render_document", "render_template", "script_safe_json", "style_sheet", "template_text"]

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "(\.[\w./-]+\.js)";\n', re.M)
_EXPORTED: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) )", re.M)
_DOCUMENTATION: Final = re.compile(r"^ */\*\*.*?\*/\n", re.M | re.S)
_EXPORT: Final = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.M)


def render_template(template: str, **context: Any) -> str:
    """A page rendered from a template of this package; texts are escaped, unknown names are errors."""
    return _environment().get_template(template).render(**context)


def render_document(template: str, *sheets: str, **context: Any) -> str:
    """A page of text, tables and finished figures with `sheets`, the common style sheets, a script and provenance."""
    return render_template(
        template,
        **context,
        css=style_sheet("page.css", "document.css", *sheets),
        script=bundled_script("report/scripts/document.js"),
        version=_native.version,
        provenance=provenance(),
    )


def script_safe_json(data: Any) -> Markup:
    """JSON text that is safe inside a script element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def template_text(*names: str) -> Markup:
    """The content of files next to the templates, concatenated."""
    folder = resources.files("penstock.report") / "templates"
    return Markup("".join((folder / name).read_text(encoding="utf-8") for name in names))


def style_sheet(*names: str) -> Markup:
    """The palette and the style sheets of a page, concatenated."""
    return Markup(css_colour_rules()) + template_text(*names)


def bundled_script(name: str) -> Markup:
    """A module of this package, such as `live/main.js`, and those that it imports, as one script.

    Each module is included once, before its first use, in a function, so that the names of two modules do not clash.
    Documentation comments are left out.
    """
    package = resources.files("penstock")
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = package.joinpath(*name.split("/")).read_text(encoding="utf-8")
        parts[name] = ""  # an import cycle ends here, and fails in the browser
        for _, imported in _IMPORT.findall(text):
            if (other := _path(name, imported)) not in parts:
                add(other)
        del parts[name]
        parts[name] = _as_function(name, _DOCUMENTATION.sub("", text))

    add(name)
    return Markup("const modules = {};\n" + "\n".join(parts.values()))


def _as_function(name: str, text: str) -> str:
    """A module as a function that returns what the module exports."""
    exported = ", ".join(_EXPORT.findall(text))
    body = _IMPORT.sub(lambda match: f'const {{{match[1]}}} = modules["{_path(name, match[2])}"];\n', text)
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
    pages.globals.update(marker=view.marker_svg, markers=view.marker_definitions)
    return pages
