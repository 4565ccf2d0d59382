"""A scraper for Sphinx-Gallery that finds the figures made by an example of the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

__all__ = ["scraper"]

DPI = 220


def scraper(_block: tuple[Any, ...], block_vars: Mapping[str, Any], gallery_conf: Mapping[str, Any]) -> str:
    """Save each figure of the example that was not saved before, and return the text that shows these figures."""
    paths = []
    for value in block_vars["example_globals"].values():
        if isinstance(value, Figure) and not hasattr(value, "is_in_gallery"):
            value.is_in_gallery = True  # type: ignore[attr-defined]
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=DPI, bbox_inches="tight")
            paths.append(path)
    return str(figure_rst(paths, gallery_conf["src_dir"]))
