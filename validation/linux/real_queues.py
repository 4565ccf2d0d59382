"""``python -m validation.linux.real_queues``: queues of Linux beside penstock's, under the same TCP of Linux.

Both run in the kernel in virtual time. Its own queues stand at a link of ``htb`` and ``netem``, as in ``record``;
penstock's at the link that its emulator makes between the namespaces of the hosts.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from penstock import Scenario

from validation.linux import record
from validation.linux.record import LINK_BPS, Cell, Cells, Numbers, RecordingError, Run

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "data" / "linux" / "real_queues.json"
EMULATOR = ROOT / "target" / "release" / "examples" / "joined"

ETHERNET = 14
"""Bytes of a frame that the kernel's queues would count and the emulator's, which see IP packets, do not."""
SETTLE_S = 1
"""Time of the emulator at which the measurement begins, as in ``lab.c``."""
FULL_PACKET_S = 1500 * 8 / LINK_BPS

RED = {
    "scheme": "red", "limit": "400kB", "measure_in": "bytes", "min_th": "15kB", "max_th": "45kB", "max_p": 0.1,
    "w_q": 0.0625, "spacing": "once", "mean_packet": "1500B", "gentle": False, "mark_up_to": "always",
}  # fmt: skip

QUEUES: Mapping[str, Mapping[str, Any]] = {
    "red": RED,
    "codel": {"scheme": "codel", "limit": "1000p", "variant": "linux"},
    "fq_codel": {"scheme": "fq-codel", "limit": "10240p", "variant": "linux"},
    "pie": {"scheme": "pie", "limit": "1000p", "variant": "linux", "hz": 100},
    "cake_htb": {"scheme": "cake", "limit": "inf"},
}
"""penstock's queue for each of Linux's, by its name in the cells; ``_ecn`` besides where it marks."""

TRAFFIC = ("20 reno 1", "20 cubic 4", "_ecn 20 cubic 4", "80 reno 4")
CELLS = tuple(f"{queue}{'' if traffic[0] == '_' else ' '}{traffic}" for queue in QUEUES for traffic in TRAFFIC)
"""The recorded cells, named as those of ``record``."""


def scenario(cell: Cell) -> Scenario:
    """The link of a cell. Nodes S and D are the hosts; the real senders replace its traffic.

    ``htb`` delivers a packet when its transmission begins, the emulator when it ends: the way back is shorter by the
    transmission time of a full packet, so that the round trips are the same.
    """
    name = cell.queue.removesuffix("_ecn")
    queue = dict(QUEUES[name])
    if name != "cake_htb":  # which always marks where it can
        queue["ecn"] = cell.queue.endswith("_ecn")
    back_ms = cell.rtt_ms - FULL_PACKET_S * 1e3
    return Scenario.from_tree(
        {
            "name": cell.name,
            **{"warmup": f"{record.BEGIN_S + SETTLE_S}s", "duration": f"{record.END_S + SETTLE_S}s"},
            "links": {
                "bottleneck": {
                    **{"from": "S", "to": "D", "rate": f"{LINK_BPS}bit", "delay": "0ms", "queue": queue},
                    **{"watch": True, "reverse": {"rate": "100Gbit", "delay": f"{back_ms:g}ms"}},
                }
            },
            "traffic": {"tcp": {"kind": "tcp", "flavour": "reno", "count": len(cell.controls), "from": "S", "to": "D"}},
        }
    )


def linux(kernel: Path, cell: Cell, traces: bool, start: int, folder: Path) -> Numbers:
    """Record a queue of the kernel, which counts the bytes of IP packets."""
    result = record.measure(kernel, cell.job(start, traces, overhead=-ETHERNET), start, folder)
    return record.numbers(result, *record.counters_of(folder))


def penstock(kernel: Path, cell: Cell, traces: bool, start: int, folder: Path) -> Numbers:
    """Record a queue of penstock in its emulator."""
    folder.mkdir(parents=True, exist_ok=True)
    text = scenario(cell).resolve().for_engine(flows=False, series=False)
    (folder / "scenario.json").write_text(text, encoding="utf-8")
    result = record.measure(kernel, cell.job(start, traces, emulator=EMULATOR), start, folder)
    return numbers(result, json.loads((folder / "end.json").read_text(encoding="utf-8")))


def numbers(result: Mapping[str, Any], emulated: Mapping[str, Any]) -> Numbers:
    """The numbers of ``qdisc_tcp.json``, and the lateness that 99 % of the packets stay below, in microseconds."""
    if not emulated["valid"]:
        raise RecordingError(f"the emulator's run is invalid: {'; '.join(emulated['invalid_because'])}")
    link = emulated["links"]["bottleneck"]
    return {
        "goodput": round(sum(result["goodput_bps"])),
        "drops": link["drops"],
        "marks": link["marks"],
        "sent": link["departures"],
        "backlog": round(link["length_mean_pkts"], 2),
        "late_us": round(emulated["lateness"]["p99_s"] * 1e6, 1),
    }


SIDES = {"linux": linux, "penstock": penstock}
ENTRIES = {f"{cell} {side}": (cell, side) for cell in CELLS for side in SIDES}
"""Cell and side of each line of the file."""


def recorded() -> Cells:
    """The committed numbers, by cell and side."""
    if not FILE.exists():
        return {}
    cells: Cells = json.loads(FILE.read_text(encoding="utf-8"))["cells"]
    return cells


def save(cells: Cells) -> None:
    """Write the file, its lines in the order of the page."""
    record.write(FILE, {entry: cells[entry] for entry in ENTRIES if entry in cells})


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 when a cell could not be recorded; the others are written all the same."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.linux.real_queues",
        description="Record queues of Linux and of penstock under TCP of Linux, in virtual time, into their file.",
    )
    parser.add_argument("cells", nargs="*", metavar="CELL", help="record these anew (default: add the missing starts)")
    parser.add_argument("--side", choices=SIDES, help="record this side alone")
    record.add_machine(parser)
    options = parser.parse_args(arguments)
    record.check(parser, options)
    if not EMULATOR.exists():
        parser.error(f"no {EMULATOR}; make real-queues builds it")
    if unknown := [name for name in options.cells if name not in CELLS]:
        parser.error(f"no cell {unknown[0]}; there are {', '.join(CELLS)}")
    runs: dict[str, Run] = {
        entry: partial(SIDES[side], options.kernel, Cell.parse(name), options.traces is not None)
        for entry, (name, side) in ENTRIES.items()
        if name in (options.cells or CELLS) and options.side in (None, side)
    }
    kept = {entry: numbers for entry, numbers in recorded().items() if not options.cells or entry not in runs}
    return 0 if record.record(runs, options.starts, options.jobs, save, options.traces, kept) else 1


if __name__ == "__main__":
    sys.exit(main())
