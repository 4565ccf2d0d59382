"""``python -m validation.linux.tc_read_back``: lines of ``penstock convert`` in a real ``tc``, and what it prints.

Each generated setting is written as lines for tc, given to a device in the kernel in virtual time, printed by
``tc -d qdisc show`` and kin, and read again. What comes back must be what ``tc_rounding`` says. The defaults of queues
that need no options are recorded, too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from penstock.dialects import Conversion, DialectError, read

from validation.linux import record
from validation.linux.record import HERE, RecordingError, add_kernel, check_kernel
from validation.linux.tc_rounding import differences, expected_of, number_of
from validation.linux.tc_settings import KINDS, lines_of, settings

__all__ = ["FILE", "Entry", "faults", "recorded"]

FILE = HERE.parents[1] / "tests" / "data" / "linux" / "tc_read_back.json"

DEFAULTS = ("pfifo", "bfifo", "codel", "fq_codel", "pie", "fq_pie", "sfq", "sfb", "cake", "fq", "prio", "pfifo_fast")
"""Queues that need no options."""

UNSAID = ("memory_limit 32Mb", "w_q of vq ")
"""What a reader lists as lost: a default of fq_codel and fq_pie, and weights that tc cannot make equal."""


@dataclass(frozen=True)
class Entry:
    """A setting of a kind of queue, its lines, and what tc printed; without a scheme it is the bare queue."""

    kind: str
    lines: list[str]
    printed: list[str]
    scheme: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)


def faults(entry: Entry) -> list[str]:
    """What did not come back of a setting, in a sentence each."""
    try:
        found, again = read("\n".join(entry.printed), "tc"), read("\n".join(entry.lines), "tc")
    except DialectError as error:
        return [str(error)]
    if not entry.scheme:
        return _assumed(entry.kind, again, found)
    told = [f"{item} is lost" for item in found.lost_settings if not item.startswith(UNSAID)]
    if found.scheme != entry.scheme:
        return [*told, f"{entry.scheme} came back as {found.scheme}"]
    if found.parameters.get("w_q") != again.parameters.get("w_q"):
        told.append(f"w_q = {again.parameters['w_q']} came back as {found.parameters.get('w_q')}")
    return told + differences(entry.kind, entry.parameters, found)


def _assumed(kind: str, bare: Conversion, printed: Conversion) -> list[str]:
    """Values of the kernel that are others than the reader of the bare queue gives."""
    expected = expected_of(kind, bare.parameters)
    shown = {name: number_of(name, value) for name, value in printed.parameters.items()}
    return [
        f"{name} = {shown[name]} in Linux, not {value}"
        for name, value in expected.items()
        if shown.get(name, value) != value
    ]


def recorded(file: Path = FILE) -> list[Entry]:
    """The entries of a file."""
    return [Entry(**one) for one in json.loads(file.read_text(encoding="utf-8"))["settings"]]


def make(kind: str, count: int) -> list[Entry]:
    """The settings of a kind, not yet printed; the bare queue comes first."""
    bare = [Entry(kind, [f"tc qdisc replace dev eth0 root handle 1: {kind}"], [])] if kind in DEFAULTS else []
    made = settings(kind, count) if kind in KINDS else []
    return bare + [Entry(kind, lines_of((scheme, given)), [], scheme, given) for scheme, given in made]


def run(kernel: Path, entries: list[Entry], folder: Path) -> list[Entry]:
    """Give each setting to tc in a machine. Raises `RecordingError` if tc refuses one."""
    folder.mkdir(parents=True)
    script = (f"setting {place}\n" + "\n".join([*one.lines, "shown\n"]) for place, one in enumerate(entries))
    (folder / "settings").write_text("".join(script), encoding="utf-8")
    record.boot(kernel, HERE / "read_back.sh", folder, seed=1)
    parts = re.split(r"^setting \d+\n", (folder / "printed").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    if len(parts) != len(entries):
        raise RecordingError(f"{len(parts)} of {len(entries)} settings were printed\n{record.told(folder)}")
    done = []
    for one, part in zip(entries, parts, strict=True):
        said, _, printed = part.partition("printed\n")
        refused = [line for line in said.splitlines() if "WARNING" not in line]  # of bursts that tc finds large
        if refused:
            raise RecordingError("\n".join([*one.lines, *refused]))
        lines = [line.rstrip() for line in printed.splitlines()]
        done.append(Entry(one.kind, one.lines, lines, one.scheme, one.parameters))
    return done


def save(file: Path, entries: Iterable[Entry]) -> None:
    """An entry a line; the file is replaced as a whole."""
    lines = ",\n".join(json.dumps({name: value for name, value in asdict(one).items() if value}) for one in entries)
    part = file.with_suffix(".part.json")
    part.write_text('{"settings": [\n' + lines + "\n]}\n", encoding="utf-8")
    part.replace(file)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 when tc refused a setting, or one came back otherwise than it must; what was recorded is written."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.linux.tc_read_back",
        description="Give lines of penstock convert to tc and a kernel, and record what tc prints of them.",
    )
    kinds = (*KINDS, *(kind for kind in DEFAULTS if kind not in KINDS))
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="of queues (default: all)")
    parser.add_argument("--count", type=int, default=20, help="settings of each kind (default 20)")
    parser.add_argument(
        "--write", type=Path, default=FILE, metavar="FILE", help="the JSON (default: that of the tests)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="machines at a time (default 2)")
    add_kernel(parser)
    options = parser.parse_args(arguments)
    check_kernel(parser, options)
    if unknown := [kind for kind in options.kinds if kind not in kinds]:
        parser.error(f"no kind {unknown[0]}; there are {', '.join(kinds)}")
    found, fine = all_of(options.kinds or kinds, options)
    save(options.write, found)
    return 0 if fine else 1


def all_of(kinds: Sequence[str], options: argparse.Namespace) -> tuple[list[Entry], bool]:
    """The printed settings of these kinds, and whether all of them came back; what did not is told."""
    found, fine = [], True
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        made = {kind: make(kind, options.count) for kind in kinds}
        folders = {kind: Path(scratch) / kind.replace(" ", "_") for kind in kinds}
        running = {kind: pool.submit(run, options.kernel, made[kind], folders[kind]) for kind in kinds}
        for kind, future in running.items():
            try:
                entries = future.result()
            except RecordingError as error:
                print(f"{kind}: {error}", file=sys.stderr)
                fine = False
                continue
            lost = [(one, told) for one in entries if (told := faults(one))]
            for one, told in lost:
                print("\n".join([*one.lines, *one.printed, *told]), file=sys.stderr)
            print(f"{kind}: {len(entries) - len(lost)} of {len(entries)} came back", flush=True)
            fine = fine and not lost
            found += entries
    return found, fine


if __name__ == "__main__":
    sys.exit(main())
