"""The margin of utilization within which a scheme can be the best, in Python, on the command line and in a store."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock as ps
import pytest

# A short queue that leaves about a tenth of the link idle, and a long one that fills it.
LINK = """
duration = "20s"
warmup = "5s"
[links.line]
from = "a"
to = "b"
rate = "10Mbit"
delay = "40ms"
[traffic.bulk]
kind = "tcp"
count = 1
flavour = "newreno"
from = "a"
to = "b"
"""
SCHEMES = ("droptail:limit=70p", "droptail:limit=10p")


@pytest.fixture
def link(tmp_path: Path) -> Path:
    file = tmp_path / "link.toml"
    file.write_text(LINK, encoding="utf-8")
    return file


def best(result: dict[str, Any]) -> list[str]:
    (point,) = result["conclusions"][0]["points"]
    return list(point["best"])


def test_a_wider_margin_admits_the_scheme_with_the_shorter_queue(link: Path) -> None:
    runs = ps.compare(link, SCHEMES, runs=5)
    used = [runs.estimate("utilization", "line", scheme=scheme).mean for scheme in SCHEMES]
    assert 0.02 < used[0] - used[1] < 0.4
    assert best(runs.to_dict()) == [SCHEMES[0]]
    assert "within 2 points of the highest utilization" in repr(runs)
    wide = runs.with_margin(0.4)
    assert best(wide.to_dict()) == [SCHEMES[1]]
    assert wide.to_dict()["margin"] == 0.4
    assert best(ps.compare(link, SCHEMES, runs=5, margin=0.4).to_dict()) == [SCHEMES[1]]
    with pytest.raises(ps.PenstockError, match="margin=2: must be a fraction from 0 to 1"):
        runs.with_margin(2)


def penstock(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "penstock", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_compare_and_results_have_the_option(link: Path) -> None:
    schemes = [text for scheme in SCHEMES for text in ("--scheme", scheme)]
    compare = ("compare", "link.toml", *schemes, "--runs", "5", "--store", "store")
    process = penstock(link.parent, *compare, "--margin", "40%", "--html", "page.html")
    assert process.returncode == 0, process.stderr
    assert "has the lowest 99th percentile" in process.stdout
    assert "--margin 40%" in (link.parent / "page.html").read_text(encoding="utf-8")
    for options, expected in ((("--margin", "40%"), SCHEMES[1]), ((), SCHEMES[0])):
        process = penstock(link.parent, "results", "store", "--json", "-", *options)
        assert best(json.loads(process.stdout)) == [expected]
    process = penstock(link.parent, *compare, "--margin", "5")
    assert (process.returncode, process.stderr) == (
        2,
        "--margin 5: must be a share of the utilization from 0 to 1, such as 2% or 0.02\n",
    )
