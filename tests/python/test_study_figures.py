"""The figures of the how-to on studies are those that its commands draw now."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_committed_figures_are_those_of_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After an edit that changes results, `make study-figures` draws them again."""
    figures = importlib.import_module("study_figures")
    monkeypatch.setattr(figures, "FIGURES", tmp_path)
    figures.main()
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    committed = {path.name: path.read_bytes() for path in (DOCS / "images").glob("cluster-*")}
    assert drawn.keys() == committed.keys()
    assert [name for name in drawn if drawn[name] != committed[name]] == []
    page = figures.PAGE.read_text(encoding="utf-8")
    assert all(f"../images/{name}" in page for name in committed)
