"""The environment shared by all page templates."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from penstock.report import view

__all__ = ["render_template", "template_text"]


def render_template(template: str, **context: Any) -> str:
    """A page rendered from a template of this package; texts are escaped, unknown names are errors."""
    return _environment().get_template(template).render(**context)


def template_text(*names: str) -> Markup:
    """The content of files beside the templates, joined: style sheets and scripts included in a page."""
    folder = resources.files("penstock.report") / "templates"
    return Markup("".join((folder / name).read_text(encoding="utf-8") for name in names))


@cache
def _environment() -> Environment:
    pages = Environment(
        loader=PackageLoader("penstock.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.globals.update(marker=view.marker)
    return pages
