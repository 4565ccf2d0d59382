"""Broken scenarios: each is refused with exit code 2 and a line that names file, key, value and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .broken import refuse_case
from .broken_networks import NETWORKS
from .broken_values import VALUES

BROKEN = VALUES | NETWORKS


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_helpfully(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse_case(BROKEN[case], tmp_path, monkeypatch, capsys)


def test_there_are_enough_of_them() -> None:
    assert len(VALUES) >= 107
    assert len(NETWORKS) >= 51
    assert len(BROKEN) == len(VALUES) + len(NETWORKS), "two cases of one name"
