"""The container image, its lab, and the source distribution: the files that they name exist and reach the build."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
COPIED = [
    source for arguments in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.M) for source in arguments.split()
] + re.findall(r"type=bind,source=([^,]*)", DOCKERFILE)


@pytest.mark.parametrize("source", sorted(set(COPIED)))
def test_a_copied_file_is_in_the_build_context(source: str) -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line[1:] for line in ignored if line.startswith("!")]
    assert (ROOT / source).exists()
    assert any(Path(source).match(pattern) for pattern in patterns)


def made_of() -> set[str]:
    """The files and folders that a wheel is made of, by the description of the project."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = described["tool"]["maturin"]
    paths = [described["project"]["readme"], build["data"], build["python-source"], build["manifest-path"]]
    return {Path(path).parts[0] for path in paths}


def test_the_image_has_every_file_that_its_wheel_is_made_of() -> None:
    assert made_of() <= set(COPIED)


def test_the_source_distribution_has_every_file_that_a_wheel_is_made_of(tmp_path: Path) -> None:
    tool = Path(sys.executable).with_name("maturin")
    subprocess.run([tool, "sdist", "--out", tmp_path], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        names = [Path(name).parts for name in files.getnames()]
    assert made_of() <= {name[1] for name in names}
    assert ("package", "data", "share", "man", "man1", "penstock.1") in {name[1:] for name in names}


def test_every_file_of_the_build_context_is_copied() -> None:
    patterns = re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.M)
    unused = [pattern for pattern in patterns if not any(Path(source).match(pattern) for source in COPIED)]
    assert unused == []


def test_the_lab_runs_a_scenario_of_the_image() -> None:
    (scenario,) = re.findall(r'command: \["([^"]*)"\]', (ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert scenario.split("/")[0] in COPIED
    assert (ROOT / scenario).exists()


def test_the_image_has_the_locked_build_tool() -> None:
    """Its packages come from the lock alone, so the tools that the Dockerfile calls must be in it."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert re.search(r"^maturin==", lock, re.M)
