"""The figures of the study in `docs/howto/cluster.md`, by the commands of that page: `make study-figures`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "cluster.md"
FIGURES = ROOT / "docs" / "images"

FILE = re.compile(r"^```\{code-block\} toml\n:caption: (?P<name>\S+)\n(?P<text>.*?)^```$", re.M | re.S)
STORE = "results"


def main() -> None:
    """Run the study of the page and draw its figures."""
    page = PAGE.read_text(encoding="utf-8")
    file = FILE.search(page)
    if file is None:
        raise SystemExit(f"{PAGE}: has no study file")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenarios").symlink_to(ROOT / "scenarios")
        (folder / file["name"]).write_text(file["text"], encoding="utf-8")
        _run(f"penstock compare {file['name']} --store {STORE}", folder)
        for command, drawn in re.findall(r"^(penstock results .* -o (\S+))$", page, re.M):
            _run(command, folder)
            (FIGURES / f"cluster-{drawn}").write_bytes((folder / drawn).read_bytes())


def _run(command: str, folder: Path) -> None:
    verb = shlex.split(command)[1:]
    subprocess.run([sys.executable, "-m", "penstock", *verb], cwd=folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
