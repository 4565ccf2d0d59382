"""Sphinx configuration. `sphinx-build -W -b html docs docs/_build/html` builds everything, reference pages included."""

from __future__ import annotations

import sys
from pathlib import Path

from penstock import _native
from penstock.live.page import bench_page
from penstock.live.page_data import DEFAULT, DEFAULT_SCHEMES, live_page_data
from penstock.scenario.document import read_document
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "make"))

import generate
import lessons

project = "penstock"
copyright = "the penstock authors"
release = _native.version

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["deflist", "colon_fence", "attrs_block", "attrs_inline"]
myst_heading_anchors = 3
smartquotes = False  # "auto" is typed with straight quotes
exclude_patterns = ["_build", "gallery", "generated/api-list.md", "generated/classes.md", "validation-results.md"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autosummary_generate = False  # docs/make/api.py writes the pages
default_role = "py:obj"  # names of objects in docstrings are links
napoleon_use_ivar = True
add_module_names = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/examples",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("figures.scraper",),
    "reset_modules": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "within_subsection_order": "FileNameSortKey",
}

linkcheck_timeout = 20  # seconds
linkcheck_ignore = [r"http://\$PENSTOCK_PEER"]  # the reader's own machine

html_theme = "furo"
html_title = f"penstock {release}"
html_static_path = ["_static"]
html_css_files = ["penstock.css"]
html_js_files = [("sortable.js", {"defer": "defer"})]
html_show_sourcelink = False
html_theme_options = {
    "source_repository": "https://github.com/penstock/penstock",
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7db8e0", "color-brand-content": "#7db8e0"},
}


def setup(app: Sphinx) -> None:
    """Write the reference pages before Sphinx reads its sources, and the live benches beside its pages."""
    generate.write(Path(__file__).parent / "generated")
    app.connect("html-page-context", _adapt_to_theme, priority=900)  # after the theme's own
    app.connect("build-finished", _write_benches)


def _write_benches(app: Sphinx, failure: Exception | None) -> None:
    if failure is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    benches = {lesson.bench: lesson.material() for lesson in lessons.LESSONS}
    benches["live.html"] = live_page_data(read_document(DEFAULT), DEFAULT_SCHEMES, None)
    for name, content in benches.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(bench_page(content), encoding="utf-8")


def _adapt_to_theme(_app: Sphinx, page: str, _template: str, context: dict[str, object], _tree: object) -> None:
    """Give captions of the navigation the level that a heading needs; generated pages have no link to edit them."""
    if page.startswith("generated/"):
        context["theme_top_of_page_buttons"] = []
    tree = context.get("furo_navigation_tree")
    if isinstance(tree, str):
        context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
