"""Every command and every piece of Python in the documentation works as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import penstock as ps
import pytest

ROOT = Path(__file__).resolve().parents[2]
# What is made by a program is not a page of its own: `generated`, and the table that `make validate` writes.
MADE = {"generated", "_build", "validation-results.md"}
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if not MADE & set(p.parts))
FENCE = re.compile(
    r"(?:<!-- test: skip, (?P<why>.*?) -->\n)?^```(?:\{code-block\} )?(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.M | re.S,
)


@dataclass(frozen=True)
class Block:
    """A piece of a page: something to run, or a file that a caption names."""

    language: str
    text: str
    line: int
    caption: str | None
    skipped: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    blocks_of_page = []
    for match in FENCE.finditer(text):
        caption = re.match(r":caption: (.*)\n", match["body"])
        body = match["body"][caption.end() :] if caption else match["body"]
        line = text[: match.start("body")].count("\n") + 1
        blocks_of_page.append(Block(match["language"], body.lstrip("\n"), line, caption and caption[1], match["why"]))
    return blocks_of_page


def with_commands() -> list[object]:
    """The pages with something to run; some need real links or curl."""
    pages = [p for p in PAGES if any(b.language in {"sh", "python"} and not b.skipped for b in blocks(p))]
    name = {p: str(p.relative_to(ROOT / "docs").with_suffix("")) for p in pages}
    texts = {p: p.read_text(encoding="utf-8") for p in pages}
    marks = {
        p: [pytest.mark.link] * ("penstock link" in text) + [pytest.mark.needs("curl")] * ("curl " in text)
        for p, text in texts.items()
    }
    return [pytest.param(p, id=name[p], marks=marks[p]) for p in pages]


@pytest.mark.slow
@pytest.mark.parametrize("page", with_commands())
def test_a_page_works_as_printed(page: Path, tmp_path: Path) -> None:
    """The blocks of a page run in order in one folder, with the project's scenarios and examples beside them.

    A block with a caption is the content of that file; it runs too, unless the file is a part of a package.
    """
    for folder in ("scenarios", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    for block in blocks(page):
        if block.caption:
            file = tmp_path / block.caption
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        packaged = block.caption is not None and "/" in block.caption
        if block.skipped or packaged or block.language not in {"sh", "python"}:
            continue
        command = ["sh", "-e", "-c", block.text] if block.language == "sh" else [sys.executable, "-c", block.text]
        process = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        where = f"{page.relative_to(ROOT)}:{block.line}"
        assert process.returncode == 0, f"{where}\n{block.text}\n{process.stdout[-2000:]}\n{process.stderr[-4000:]}"


def test_every_page_can_be_reached() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in PAGES:
        name = str(page.relative_to(ROOT / "docs").with_suffix(""))
        assert name == "index" or name in index, f"{name} is in no table of contents"


@pytest.mark.slow
def test_the_tour_says_what_its_demo_computes() -> None:
    """The runs of `make demo` on which the sentences rest."""
    tour = " ".join((ROOT / "docs" / "tutorial" / "tour.md").read_text(encoding="utf-8").split())
    home = ps.compare(ROOT / "examples" / "home_uplink.toml", ["droptail", "fq-codel", "cake"], runs=10)
    droptail, *fair = [
        home.estimate("owd_mean_s", scheme=scheme.label, place="call").mean - 0.02 for scheme in home.schemes
    ]
    assert "by a fifth of a second on average; FQ-CoDel and CAKE delay it by less than 1 ms" in tour
    assert round(droptail, 1) == 0.2
    assert max(fair) < 0.001

    schemes = ["droptail", "red", "red:gentle=true", "ared-feng", "ared-floyd", "psand:max_p_high=0.75,target=10p"]
    thesis = ps.compare(
        ROOT / "scenarios" / "thesis_link.toml", schemes, runs=10, vary={"traffic.extra.count": [25, 100]}
    )

    def means(metric: str, extra: int) -> list[float]:
        at = {"traffic.extra.count": extra}
        return [thesis.estimate(metric, "bottleneck", scheme=scheme.label, **at).mean for scheme in thesis.schemes]

    delay, loss = means("delay_mean_s", 25), means("loss_rate", 25)
    assert "to between a third and just over half of drop-tail's; their loss rate is 3 to 5 percentage points" in tour
    assert 0.3 < min(delay[1:]) / delay[0] < max(delay[1:]) / delay[0] < 0.6
    assert 0.025 < min(loss[1:]) - loss[0] < max(loss[1:]) - loss[0] < 0.055
    assert "At 103 flows every scheme loses at least a fifth" in tour
    assert min(means("loss_rate", 100)) > 0.2
