"""``python -m validation.record_ns2 FILE``: runs ns-2 on what a work claims, and writes the reference.

A module that can be recorded has `CELLS`, the settings of its cells, `SEEDS`, the number of their runs, and `command`,
the script and its arguments for a cell and a seed. One process runs at a time.
"""

import argparse
import importlib
import json
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .reference import DATA

SCRIPTS = Path(__file__).parent / "ns2"
RECORDED = ("thesis_claims", "thesis_setup", "fec", "br_claims", "kt_claims")

Settings = Mapping[str, str | int | float]


def record(file: str, only: str, seeds: int | None) -> None:
    """Run the cells whose settings contain `only`, and put them in place of, or after, those that the file has."""
    module = importlib.import_module(f"{__package__}.{file}")
    path = DATA / f"{file}.json"
    document = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"note": module.NOTE, "cells": []}
    for settings in module.CELLS:
        if only not in " ".join(f"{key}={value}" for key, value in settings.items()):
            continue
        cell = {**settings, "metrics": measured(module.command, settings, range(1, 1 + (seeds or module.SEEDS)))}
        document["cells"] = [c for c in document["cells"] if _settings(c) != settings] + [cell]
        path.write_text(text(document), encoding="utf-8")


def measured(command: Callable[[Settings, int], list[str]], settings: Settings, seeds: Sequence[int]) -> dict[str, Any]:
    """Mean, sample standard deviation and number of seeds of each number that the script prints."""
    runs = [_run(command(settings, seed)) for seed in seeds]
    return {
        name: [float(f"{of(values):.7g}") for of in (statistics.fmean, statistics.stdev)] + [len(runs)]
        for name, values in ((name, [run[name] for run in runs]) for name in runs[0])
    }


def _run(command: list[str]) -> dict[str, float]:
    done = subprocess.run(["ns", *command], cwd=SCRIPTS, capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def _settings(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in cell.items() if key != "metrics"}


def text(document: Mapping[str, Any]) -> str:
    """The file, one line a cell."""
    cells = ",\n".join("  " + json.dumps(cell) for cell in document["cells"])
    return f'{{"note": {json.dumps(document["note"])},\n "cells": [\n{cells}\n ]}}\n'


def main() -> None:
    """Record what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m validation.record_ns2", description="Record numbers of ns-2.35.")
    parser.add_argument("file", choices=RECORDED)
    parser.add_argument("--cell", default="", help="only cells whose settings contain this text")
    parser.add_argument("--seeds", type=int, help="seeds of each cell, from 1 on (default: the file's)")
    options = parser.parse_args()
    record(options.file, options.cell, options.seeds)


if __name__ == "__main__":
    main()
