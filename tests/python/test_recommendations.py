"""The page of the works' advice with today's TCP: what stands on it follows from the committed data."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def advice() -> ModuleType:
    return importlib.import_module("recommendations")


def test_the_page_is_made_of_the_data(advice: ModuleType) -> None:
    """`make recommendations` writes the page from the data; nothing was changed by hand."""
    page = importlib.import_module("recommendations_page").page(advice.Results.load())
    assert page == advice.PAGE.read_text(encoding="utf-8")


def test_every_cell_is_measured_with_all_seeds(advice: ModuleType) -> None:
    results = advice.Results.load().cells
    assert list(results) == [cell.name for cell in advice.cells()]
    assert {len(values) for cell in results.values() for values in cell.values()} == {len(advice.SEEDS)}


def test_senders_are_limited_by_the_network_alone(advice: ModuleType) -> None:
    """Tail-drop loses packets of CUBIC and Reno at both loads, so that every queue is full at times."""
    results = advice.Results.load()
    for sender in ("Reno", "CUBIC"):
        for flows in advice.LOADS:
            assert results.of("loss", "tail-drop", sender, flows).mean > 0


def test_the_script_measures_a_cell_as_it_was_recorded(
    advice: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded, cell = advice.Results.load().cells, advice.Cell("PIE", "CUBIC", 8)
    page = importlib.import_module("recommendations_page")
    monkeypatch.setattr(page, "page", lambda _: "made")
    monkeypatch.setattr(advice, "cells", lambda: [cell])
    for name in ("DATA", "PAGE"):
        monkeypatch.setattr(advice, name, tmp_path / name)
    monkeypatch.setattr(sys, "argv", ["recommendations.py", "--measure", "--store", str(tmp_path / "store")])
    advice.main()
    assert advice.Results.load().cells == {cell.name: recorded[cell.name]}
    assert (tmp_path / "PAGE").read_text(encoding="utf-8") == "made"
