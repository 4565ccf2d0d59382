"""The gallery has every picture of the documentation, and each one exists."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_picture_is_in_the_gallery_once_and_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    gallery = importlib.import_module("gallery")

    found = [picture for _, picture, _, _ in gallery.pictures(DOCS)]
    assert len(found) == len(set(found))
    there = {f"images/{path.name}" for path in (DOCS / "images").iterdir()}
    assert set(found) | {"images/page.png"} == there
    text = gallery.page(DOCS)
    assert all(f"(../{picture})" in text for picture in found)
