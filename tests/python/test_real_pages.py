"""The pages about real links: they are made from the recorded runs, which agree with simulations as the pages say."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(params=["real", "accuracy"])
def module(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


def test_the_page_is_current(module: ModuleType) -> None:
    """Its make target writes the page from the data; nothing was changed by hand."""
    data = json.loads(module.DATA.read_text(encoding="utf-8"))
    assert module.page(data) == module.PAGE.read_text(encoding="utf-8")


@pytest.fixture
def cells() -> list[dict[str, Any]]:
    data = json.loads((DOCS / "data" / "real_and_simulated.json").read_text(encoding="utf-8"))
    entries: list[dict[str, Any]] = data["cells"]
    return entries


def means(cell: dict[str, Any], scheme: str, place: str, metric: str) -> tuple[float, float]:
    """Of the simulated and of the real runs."""
    mean_on = {row["on"]: row["mean"] for row in cell["rows"] if key(row) == (scheme, place, metric)}
    return mean_on["simulation"], mean_on["link"]


def key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["scheme"], row["place"], row["metric"]


def test_all_combinations_are_there(cells: list[dict[str, Any]]) -> None:
    assert len(cells) == 5
    assert sum(len({row["scheme"] for row in cell["rows"]}) for cell in cells) == 13
    assert all(run["valid"] for cell in cells for run in cell["runs"])


def test_real_packets_carry_12_bytes_less_of_user_data(cells: list[dict[str, Any]]) -> None:
    for cell in cells[:4]:
        simulated, real = means(cell, "droptail", "bulk", "goodput_bps")
        assert real / simulated == pytest.approx(1448 / 1460, rel=0.003)
