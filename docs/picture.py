"""Draw the pictures of pages again: docs/images/page.png from the page of `make demo`, and docs/images/live.png.

`make pictures`; needs Chromium. Pictures are reduced to a palette so that they stay below 300 kB.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from penstock.live.material import DEFAULT, DEFAULT_SCHEMES, material
from penstock.live.page import page
from penstock.scenario.scenario import read_document
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the driver of the browser is that of the tests

from tests.python.browser import Browser  # noqa: E402

IMAGES = ROOT / "docs" / "images"
DEMO = ROOT / "out" / "thesis_link.html"
LARGEST = 300_000
LIVE_S = 48
"""Simulated time of the live bench at its picture: its charts show the last 40 seconds."""


def main() -> None:
    """Draw both pictures."""
    with tempfile.TemporaryDirectory() as folder, Browser(Path(folder) / "profile") as browser:
        browser.prefer("light")
        browser.resize(1280, 1560)
        browser.open(DEMO, "point=1")
        save(browser.window(), IMAGES / "page.png")

        bench = Path(folder) / "live.html"
        bench.write_text(page(material(read_document(DEFAULT), DEFAULT_SCHEMES, None)), encoding="utf-8")
        browser.resize(1400, 930)
        browser.open(bench)
        browser.wait(f"bench.panes?.[0].states.at(-1)?.time > {LIVE_S}", seconds=60)
        save(browser.window(), IMAGES / "live.png")


def save(content: bytes, target: Path) -> None:
    """Save a PNG with as many colours as keep it below `LARGEST` bytes."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    for colours in (256, 128, 64, 32):
        image.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size < LARGEST:
            return
    raise SystemExit(f"{target} is larger than {LARGEST} bytes")


if __name__ == "__main__":
    main()
