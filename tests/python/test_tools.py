"""Optional programs: continuous integration installs them, and a test whose program is missing is skipped."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .tools import PACKAGES

ROOT = Path(__file__).resolve().parents[2]

NEEDY = """
import pytest

@pytest.mark.needs("tshark")
def test_of_a_program(): pass
"""


@pytest.mark.parametrize("file", [".ci/run", "README.md"])
def test_the_file_installs_the_packages_of_all_optional_programs(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    (arguments,) = re.findall(r"apt(?:-get)? install ([^)\n]*)", text)
    assert [word for word in arguments.split() if not word.startswith("-")] == sorted(set(PACKAGES.values()))


@pytest.mark.parametrize(
    ("required", "status", "start"), [("", 0, "skipped: 1 test: "), ("1", 1, "PENSTOCK_REQUIRE_TOOLS=1, but ")]
)
def test_a_missing_program_skips_a_test_or_fails_it_where_it_is_required(
    required: str, status: int, start: str, tmp_path: Path
) -> None:
    (tmp_path / "test_needy.py").write_text(NEEDY)
    options = ["-p", "tests.python.conftest", "-p", "no:cacheprovider", "-c", "pyproject.toml", "--rootdir"]
    process = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path), tmp_path],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "PENSTOCK_REQUIRE_TOOLS": required},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == status, process.stdout
    assert f"{start}tshark is not installed (Debian: apt install tshark)" in process.stdout
