"""``python -m validation``: all cells against the reference, as a table."""

import argparse
import sys
from pathlib import Path

from . import table
from .reference import FILES
from .runner import validate


def main() -> int:
    """Exit code 3 when fewer than 95 % of all numbers agree, or one that does not is not explained."""
    parser = argparse.ArgumentParser(prog="python -m validation", description="Compare penstock with ns-2.35.")
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE", help=f"of {', '.join(FILES)}")
    parser.add_argument("--runs", type=int, default=10, help="runs of each cell (default 10)")
    parser.add_argument("--jobs", type=int, help="threads (default: all cores)")
    parser.add_argument("--cell", default="", help="only cells whose settings contain this text")
    parser.add_argument("--differs", action="store_true", help="print only what differs")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="also write the page of the docs")
    options = parser.parse_args()
    if unknown := [file for file in options.files if file not in FILES]:
        parser.error(f"no reference file {', '.join(unknown)}; there are {', '.join(FILES)}")
    report = validate(options.files, options.runs, options.jobs, lambda cell: options.cell in cell.name)
    if not options.differs:
        print(table.text(report.comparisons))
    print(table.summary(report))
    if options.write:
        options.write.write_text(table.markdown(report, options.runs), encoding="utf-8")
    _, good, total = table.shares(report)[-1]
    explained = all(why != table.UNEXPLAINED for _, why in table.disagreements(report))
    return 0 if explained and good >= 0.95 * total else 3


if __name__ == "__main__":
    sys.exit(main())
