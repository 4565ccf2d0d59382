"""The command line of the scripts that measure a page."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """The options of a script that measures a page.

    Attributes:
        measure: whether to measure before the page is written.
        store: the store of the runs; None for the store of `penstock compare`.

    """

    measure: bool
    store: Path | None

    @classmethod
    def parse(cls, about: str | None) -> Asked:
        """Parse the command line; `about` is the text of `--help`."""
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--measure", action="store_true", help="measure before the page is written")
        parser.add_argument(
            "--store", type=Path, metavar="DIR", help="store of the runs (default: the store of penstock compare)"
        )
        found = parser.parse_args()
        return cls(found.measure, found.store)
