"""The manual page is that of the present command line, and `man` reads it without a warning."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def manual() -> Any:
    return importlib.import_module("manual")


def test_the_page_is_that_of_the_present_command_line(manual: Any) -> None:
    """After an edit of the command line `make man` writes it again."""
    assert manual.TARGET.read_text(encoding="utf-8") == manual.manual()


@pytest.mark.needs("groff")
def test_groff_reads_it_without_a_warning_and_shows_options(manual: Any) -> None:
    command = ["groff", "-man", "-ww", "-Tascii", "-P-c", str(manual.TARGET)]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stderr == ""
    page = re.sub(r".\x08", "", process.stdout)
    assert "penstock tune" in page
    assert "--scheme" in page
