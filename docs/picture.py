"""Make the README's picture of a page: `python docs/picture.py out/thesis_link.html docs/images/page.png`.

Needs Chromium; the picture is reduced to a palette so that it stays below 300 kB.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

WIDTH, HEIGHT = 1280, 1560
LARGEST = 300_000


def picture(page: Path, target: Path) -> None:
    """A screenshot of the top of ``page``, in light colours, as a PNG below `LARGEST` bytes."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no chromium on this machine: apt install chromium")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "page.png"
        subprocess.run(
            [
                chromium,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                f"--user-data-dir={folder}/profile",
                f"--window-size={WIDTH},{HEIGHT}",
                f"--screenshot={shot}",
                "--virtual-time-budget=3000",
                page.resolve().as_uri() + "#point=1",
            ],
            check=True,
            capture_output=True,
        )
        image = Image.open(shot).convert("RGB")
        for colours in (256, 128, 64, 32):
            image.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)
            if target.stat().st_size < LARGEST:
                return
    raise SystemExit(f"{target} is larger than {LARGEST} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    picture(Path(sys.argv[1]), Path(sys.argv[2]))
