"""Instructions per packet of short workloads, recorded in tests/data/instructions.json: they must not grow unnoticed.

    python peers/guard.py           compare with the record; code 1 if a workload needs 2 % more
    python peers/guard.py --record  record the present build                                   (make instructions)
    python peers/guard.py --schemes compare all schemes with drop-tail, the most expensive first; records nothing

Counts are those of callgrind, of a long run minus a short one, so that start-up counts for nothing. They depend on the
compiler, whose version stands in the record, and not on the load of the machine; counts of another compiler are not
compared.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import penstock as ps
from canonical import canonical
from penstock.aqms.catalog import schemes
from processes import ROOT, build_native, instructions

RECORD = ROOT / "tests" / "data" / "instructions.json"
MARGIN = 0.02

NS2_SACK = 'flavour = "sack"\nprofile = "ns2"'


def _linux(flavour: str) -> str:
    """The settings of senders of this flavour in place of those of `NS2_SACK`."""
    return f'flavour = "{flavour}"\nprofile = "linux"'


# A scenario file, the (short, long) seconds, and the replacements that make another workload of it.
WORKLOADS: dict[str, tuple[str, tuple[float, float], dict[str, str]]] = {
    "w1": ("w1", (25, 50), {}),
    "w2": ("w2", (4, 8), {}),
    "w2_red": ("w2_red", (4, 8), {}),
    "w2_fq-codel": ("w2", (4, 8), {'"droptail"': '"fq-codel"'}),
    "w2_qsdrr": ("w2", (4, 8), {'"droptail"': '"qsdrr"'}),
    "w2_cubic": ("w2", (4, 8), {NS2_SACK: _linux("cubic")}),
    "w2_prague": ("w2", (4, 8), {NS2_SACK: _linux("prague"), '"droptail"': '"dualpi2"'}),
    "w2_bbr": ("w2", (4, 8), {NS2_SACK: _linux("bbr")}),
}


@dataclass(frozen=True)
class Counts:
    """Instructions per packet by workload, and the compiler that made the program."""

    compiler: str
    per_packet: dict[str, float]

    @classmethod
    def read(cls) -> Counts:
        """The committed record."""
        return cls(**json.loads(RECORD.read_text(encoding="utf-8")))

    @classmethod
    def of_this_build(cls) -> Counts:
        """Build the native program and count now."""
        program = build_native()
        with tempfile.TemporaryDirectory() as folder:
            counted = {name: _per_packet(program, Path(folder), *workload) for name, workload in WORKLOADS.items()}
        return cls(compiler(), counted)


def compiler() -> str:
    """The version of rustc and the processor's architecture, on which counts depend."""
    told = subprocess.run(["rustc", "--version"], cwd=ROOT, capture_output=True, text=True, check=True)
    return f"{told.stdout.strip()}, {platform.machine()}"


def obstacle() -> str | None:
    """The reason why counts cannot be compared here, if there is one."""
    for program in ("valgrind", "cargo", "rustc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if (here := compiler()) != (recorded := Counts.read().compiler):
        return f"the counts are those of {recorded}, and here is {here}"
    return None


def growth(old: Counts, new: Counts) -> list[str]:
    """The workloads that need over 2 % more instructions per packet than recorded."""
    return [
        f"{name}: {now:.1f} instructions a packet, recorded {before:.1f} ({now / before - 1:+.1%})"
        for name, now in new.per_packet.items()
        if (before := old.per_packet[name]) * (1 + MARGIN) < now
    ]


def _per_packet(program: Path, folder: Path, file: str, seconds: tuple[float, float], changes: dict[str, str]) -> float:
    text = (ROOT / "scenarios" / f"{file}.toml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{file}.toml no longer has {old}"
        text = text.replace(old, new)
    scenario = folder / "scenario.json"
    scenario.write_text(canonical(text), encoding="utf-8")
    counts = []
    for duration in seconds:
        command: list[str | Path] = [program, scenario, str(duration)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        packets = int(json.loads(run.stdout)["links"]["bottleneck"]["departures"])
        counts.append((instructions(command, folder / "callgrind.out"), packets))
    (short, few), (long, many) = counts
    return round((long - short) / (many - few), 1)


def of_schemes() -> dict[str, float]:
    """Instructions per packet of w2 by scheme, of all that have a default for each of their parameters."""
    program = build_native()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for scheme in schemes():
            try:
                found[scheme.name] = _per_packet(
                    program, Path(folder), "w2", (3, 6), {'"droptail"': f'"{scheme.name}"'}
                )
            except ps.ScenarioError:
                continue
    return found


def print_schemes() -> None:
    """The table of all schemes, the most expensive first."""
    found = of_schemes()
    for name, count in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{name:16} {count:8.1f} {count / found['droptail']:6.2f}")


def main() -> int:
    """Record, compare and print the table, or print that of all schemes."""
    parser = argparse.ArgumentParser(description="Instructions per packet, beside those recorded.")
    parser.add_argument("--record", action="store_true", help="record the present build")
    parser.add_argument("--schemes", action="store_true", help="print those of all schemes")
    options = parser.parse_args()
    if options.schemes:
        print_schemes()
        return 0
    if options.record:
        RECORD.write_text(json.dumps(asdict(Counts.of_this_build()), indent=1) + "\n", encoding="utf-8")
        print(RECORD.read_text(encoding="utf-8"), end="")
        return 0
    if reason := obstacle():
        print(f"Not compared: {reason}.")
        return 0
    old, new = Counts.read(), Counts.of_this_build()
    for name, now in new.per_packet.items():
        print(f"{name:12} {now:8.1f} recorded {old.per_packet[name]:8.1f}")
    found = growth(old, new)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
