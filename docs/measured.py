"""Measuring the cells of a page: each a scenario with several seeds, kept when done, so that a stopped call goes on."""

from __future__ import annotations

import hashlib
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
from penstock.engine.run import cores, run_batch
from penstock.files import write_text
from penstock.plots import style
from penstock.scenario.scenario import Scenario
from PIL import Image

Table = dict[str, Any]
Read = Callable[[Table], dict[str, float | list[float]]]


def measure(file: Path, cells: Mapping[str, Table], seeds: Sequence[int], read: Read) -> None:
    """Run each cell, a scenario as plain values, with each seed, and write what `read` takes from each run to `file`.

    Numbers are kept of each run; lists, which are counts of each size, are added up. Finished cells are kept in a file
    beside the data until all are done; a later call uses them, unless the definition of the cell has changed.
    """
    part = file.with_suffix(".part.json")
    done: dict[str, Table] = json.loads(part.read_text(encoding="utf-8")) if part.exists() else {}
    for n, (name, tree) in enumerate(cells.items()):
        text = Scenario.from_tree(tree).resolve().for_engine(flows=False, series=False)
        stamp = hashlib.sha256(f"{_native.version} {list(seeds)} {text}".encode()).hexdigest()[:16]
        if done.get(name, {}).get("stamp") != stamp:
            answers = run_batch([text] * len(seeds), list(seeds), jobs=cores())
            rows = [read(json.loads(answer)) for answer in answers]
            values = {metric: _together([row[metric] for row in rows]) for metric in rows[0]}
            done[name] = {"stamp": stamp, "values": values}
            write_text(part, json.dumps(done))
        print(f"\r{n + 1} of {len(cells)} cells", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    lines = [f"{json.dumps(name)}: {json.dumps(done[name]['values'])}" for name in cells]
    head = f'"penstock": {json.dumps(_native.version)}, "seeds": {json.dumps(list(seeds))}'
    write_text(file, "{" + head + ', "cells": {\n' + ",\n".join(lines) + "\n}}\n")
    part.unlink()


def _together(values: Sequence[float | list[float]]) -> list[float]:
    if isinstance(values[0], list):
        return [round(sum(counts)) for counts in zip_longest(*values, fillvalue=0.0)]
    return [float(f"{value:.5g}") for value in values]


def load(file: Path) -> tuple[dict[str, dict[str, list[Any]]], list[int]]:
    """By cell and metric the values of each run, and the seeds."""
    told = json.loads(file.read_text(encoding="utf-8"))
    return told["cells"], told["seeds"]


def wrapped(text: str) -> str:
    """Paragraphs and items of lists in lines of at most 120 characters; tables, pictures and headings stay."""
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
    """As PNG with a palette, which makes it a third as large."""
    style.save(figure, file)
    Image.open(file).convert("RGB").quantize(32).save(file, optimize=True)
