"""The command line of the scripts that measure a page."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """What a script of a page is asked for.

    Attributes:
        measure: whether to measure before the page is made.
        store: where runs are kept and looked up; by default that of `penstock compare`.

    """

    measure: bool
    store: Path | None

    @classmethod
    def parse(cls, about: str | None) -> Asked:
        """From the command line; `about` is the help."""
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--measure", action="store_true", help="measure before the page is made")
        parser.add_argument(
            "--store", type=Path, metavar="DIR", help="store of the runs; default: that of penstock compare"
        )
        found = parser.parse_args()
        return cls(found.measure, found.store)
