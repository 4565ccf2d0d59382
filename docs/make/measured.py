"""Measure the cells of a page. A cell is a scenario with several seeds; its runs are kept in a store."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from penstock import _native
from penstock.engine.run import core_count
from penstock.files import write_text
from penstock.plots import style
from penstock.scenario.scenario import Scenario
from penstock.studies.chunk import StudyCell
from penstock.studies.complete import execute_missing_runs
from penstock.studies.executor import ThreadExecutor
from penstock.studies.store import RunResults
from PIL import Image

Table = dict[str, Any]
Read = Callable[[Table], dict[str, float | list[float]]]


def measure(file: Path, cells: Mapping[str, Table], seeds: range, read: Read, store: RunResults) -> None:
    """Run each cell, a scenario as plain values, with each seed, and write the results of `read` to `file`.

    Numbers are kept per run. Lists are counts by size and are summed over the runs. The runs are kept in `store`, so an
    interrupted call resumes, and finished runs are not repeated.
    """
    planned = [StudyCell({"cell": name}, Scenario.from_tree(tree).resolve(), seeds) for name, tree in cells.items()]
    count = len(planned) * len(seeds)
    execute_missing_runs(
        planned, store, ThreadExecutor(core_count()), study=f"docs {file.stem}", planned=count, progress=_say
    )
    print(file=sys.stderr)
    lines = [f"{json.dumps(cell.labels['cell'])}: {json.dumps(_values(cell, read, store))}" for cell in planned]
    head = f'"penstock": {json.dumps(_native.version)}, "seeds": {json.dumps(list(seeds))}'
    write_text(file, "{" + head + ', "cells": {\n' + ",\n".join(lines) + "\n}}\n")


def _say(finished: int, planned: int) -> None:
    print(f"\r{finished} of {planned} runs", end="", file=sys.stderr, flush=True)


def _values(cell: StudyCell, read: Read, store: RunResults) -> dict[str, list[float]]:
    """The results of `read` for the runs of a cell."""
    runs = {seed: read(run) for _, seed, run in store.get([cell.content]) if seed in cell.seeds}
    rows = [runs[seed] for seed in cell.seeds]
    return {metric: _combined([row[metric] for row in rows]) for metric in rows[0]}


def _combined(values: Sequence[float | list[float]]) -> list[float]:
    if isinstance(values[0], list):
        return [round(sum(counts)) for counts in zip_longest(*values, fillvalue=0.0)]
    return [float(f"{value:.5g}") for value in values]


def load(file: Path) -> tuple[dict[str, dict[str, list[Any]]], list[int]]:
    """The values of each run by cell and metric, and the seeds."""
    document = json.loads(file.read_text(encoding="utf-8"))
    return document["cells"], document["seeds"]


def wrapped(text: str) -> str:
    """The text with paragraphs and list items wrapped to 120 characters; tables, pictures and headings are kept."""
    blocks = []
    for block in text.split("\n\n"):
        if block.lstrip().startswith(("#", "|", "!", ">", "```")) or "\n|" in block:
            blocks.append(block)
            continue
        items = re.split(r"\n(?=\* )", block.strip("\n"))
        filled = [
            textwrap.fill(
                " ".join(item.split()), 120, subsequent_indent="  " if item.startswith("* ") else "",
                break_long_words=False, break_on_hyphens=False,
            )
            for item in items
        ]  # fmt: skip
        blocks.append("\n".join(filled))
    return "\n\n".join(blocks).rstrip("\n") + "\n"


def save(figure: Figure, file: Path) -> None:
    """Save a figure as PNG with a palette, which reduces its size to a third."""
    style.save(figure, file)
    Image.open(file).convert("RGB").quantize(32).save(file, optimize=True)
