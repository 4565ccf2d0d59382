"""The figures of the closed forms: measured points are those of the tables, and the same bytes come each time."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def figures() -> ModuleType:
    return importlib.import_module("model_figures")


def test_points_come_from_the_measured_tables(figures: ModuleType) -> None:
    random = figures.table("sack")
    assert [row["p"] for row in random] == [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]
    for row in random:
        assert row["rate"] / row["law"] == pytest.approx(row["rate/law"], abs=0.002)
    assert [len(row) for row in figures.table("others")] == [6] * 5
    for row in figures.table("cubic"):
        assert row["measured from 1.2"] / row["CUBIC"] == pytest.approx(row["ratio from 1.2"], abs=0.001)


def test_each_figure_is_on_a_page_and_drawn_to_the_same_bytes(
    figures: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(figures, "FIGURES", tmp_path / name)
        figures.main()
        drawn.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert drawn[0] == drawn[1]
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*/*.md"))
    committed = {path.name for path in (DOCS / "images").glob("model-*")}
    assert set(drawn[0]) == committed
    assert all(f"../images/{name}" in pages for name in committed)
