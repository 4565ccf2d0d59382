"""Each example prints exactly the content of the `.out` file beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_stands_beside_it(example: Path) -> None:
    process = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
    assert process.stdout == example.with_suffix(".out").read_text(encoding="utf-8")
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 60
