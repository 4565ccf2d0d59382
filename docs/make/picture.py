"""Redraw the screenshots of pages: `make pictures`, which needs Chromium.

`docs/images/page.png` and `page-dark.png` show the first page of `make demo`. `live.png` and the moving `live.webp`
show the page of `penstock live`. Pictures are reduced to a palette: PNG files stay below 300 kB, the moving picture
below 2 MB.
"""

from __future__ import annotations

import io
import itertools
import sys
import tempfile
from pathlib import Path

from penstock.live.page import bench_page
from penstock.live.page_data import DEFAULT, DEFAULT_SCHEMES, live_page_data
from penstock.scenario.document import read_document
from PIL import Image
from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the driver of the browser is that of the tests

from tests.python.browser import launched, opened, resize, wait  # noqa: E402

IMAGES = ROOT / "docs" / "images"
DEMO = ROOT / "out" / "home_uplink.html"
MAX_PNG_BYTES = 300_000
MAX_MOVING_BYTES = 2_000_000
LIVE_S = 48
"""Simulated time of the live bench in its still picture: its charts show the last 40 seconds."""
FRAME_S = 0.3
"""Minimum simulated time between two frames of the moving picture."""
NOW = "bench.panes?.[0].states.at(-1)?.time ?? 0"


def main() -> None:
    """Draw all pictures."""
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        for theme, name in (("light", "page.png"), ("dark", "page-dark.png")):
            with opened(browser, color_scheme=theme, viewport={"width": 1280, "height": 1560}) as tab:
                tab.goto(DEMO.as_uri())
                save(tab.screenshot(), IMAGES / name)
        bench = Path(folder) / "live.html"
        bench.write_text(bench_page(live_page_data(read_document(DEFAULT), DEFAULT_SCHEMES, None)), encoding="utf-8")
        with opened(browser, color_scheme="light", viewport={"width": 1040, "height": 738}) as tab:
            tab.goto(bench.as_uri())
            save_moving(frames(tab), IMAGES / "live.webp")
            resize(tab, 1400, 930)
            wait(tab, f"({NOW}) > {LIVE_S}", seconds=60)
            save(tab.screenshot(), IMAGES / "live.png")


def save(content: bytes, target: Path) -> None:
    """Save a PNG with the largest palette that keeps it below `MAX_PNG_BYTES`."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    for colours in (256, 128, 64, 32):
        image.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size < MAX_PNG_BYTES:
            return
    raise SystemExit(f"{target} is larger than {MAX_PNG_BYTES} bytes")


def frames(tab: Page) -> list[tuple[float, bytes]]:
    """Screenshots of the open bench during its first 40 seconds, each with its simulated time."""
    found: list[tuple[float, bytes]] = []
    due = FRAME_S
    while due < LIVE_S - 8:
        wait(tab, f"({NOW}) >= {due}")
        now = float(tab.evaluate(NOW))
        found.append((now, tab.screenshot()))
        due = now + FRAME_S
    return found


def save_moving(shots: list[tuple[float, bytes]], target: Path) -> None:
    """Save frames as an endless WebP at five times the simulated pace; the last frame stays for three seconds."""
    images = [Image.open(io.BytesIO(content)).convert("RGB") for _, content in shots]
    palette = images[-1].quantize(128, Image.Quantize.MAXCOVERAGE)
    reduced = [image.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB") for image in images]
    lasting_ms = [round((after - before) * 1000 / 5) for (before, _), (after, _) in itertools.pairwise(shots)] + [3000]
    reduced[0].save(
        target, save_all=True, append_images=reduced[1:], duration=lasting_ms, loop=0, lossless=True, method=4
    )
    if target.stat().st_size > MAX_MOVING_BYTES:
        raise SystemExit(f"{target} is larger than {MAX_MOVING_BYTES} bytes")


if __name__ == "__main__":
    main()
