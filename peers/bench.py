"""Packets per CPU second at the bottleneck: penstock alone, or side by side with ns-2, ns-3 and htsim.

    python peers/bench.py                 penstock, and its cost as flows and links grow      (make bench)
    python peers/bench.py --peers         side by side with what is installed                (make bench-peers)
    python peers/bench.py --record        the same, and their ratios into docs/data/peers.json
    python peers/bench.py --instructions  also instructions per packet, with valgrind

A figure is a long run minus a short one, so that start-up counts for nothing, and the median of `--repeat` of them
(ns-3 runs once); the simulators take turns within each repetition. Compare the ratios of one call, never absolute
figures of two.

ns-2 and ns-3 are those that Debian ships. Two more peers take part where you have built their programs and name them in
environment variables: PENSTOCK_NS3, of peers/dumbbell.cc with an ns-3 of your own, and PENSTOCK_HTSIM, of
peers/dumbbell_htsim.cpp.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import scaling
from canonical import canonical
from processes import (
    ROOT,
    Cost,
    Count,
    build_native,
    build_ns3,
    find_ns2,
    instructions,
    measure,
    median,
    named_program,
)

RECORD = ROOT / "docs" / "data" / "peers.json"
"""How many times as many packets penstock forwards per CPU second: the ratios that README.md and docs quote."""


@dataclass(frozen=True)
class Workload:
    """One workload of the comparison: (short, long) seconds for penstock and ns-2, and for ns-3, which needs fewer."""

    name: str
    seconds: tuple[int, int]
    ns3_seconds: tuple[int, int]


WORKLOADS = (Workload("w1", (100, 1600), (5, 25)), Workload("w2", (5, 65), (1, 4)), Workload("w2_red", (5, 65), (1, 4)))


@dataclass(frozen=True)
class Simulator:
    """How a simulator is started for a workload and a number of seconds, and how its answer is read."""

    name: str
    command: Callable[[str, int], list[str | Path]]
    read: Callable[[str], Count]
    # Hundreds of times slower than penstock: a short run is enough, and takes most of the time.
    slow: bool = False
    workloads: frozenset[str] = frozenset(workload.name for workload in WORKLOADS)


def read_native(output: str) -> Count:
    """The run's results as JSON."""
    link = json.loads(output)["links"]["bottleneck"]
    return Count(int(link["departures"]), float(link["loss_rate"]), float(link["utilization"]))


def read_peer(output: str) -> Count:
    """The line that the scripts beside this file print."""
    packets, arrivals, drops, utilization = output.split()[-4:]
    return Count(int(float(packets)), float(drops) / float(arrivals), float(utilization))


@dataclass
class Figure:
    """Packets per CPU second, and what the long run did."""

    pps: float
    long: Count


def side_by_side(simulators: list[Simulator], workload: Workload, repeat: int) -> dict[str, Figure]:
    """All simulators that have this workload, taking turns."""
    simulators = [simulator for simulator in simulators if workload.name in simulator.workloads]
    speeds: dict[str, list[float]] = {simulator.name: [] for simulator in simulators}
    counts: dict[str, Count] = {}
    for turn in range(repeat):
        for simulator in simulators:
            if simulator.slow and turn > 0:
                continue
            seconds = workload.ns3_seconds if simulator.slow else workload.seconds
            costs: list[Cost] = [measure(simulator.command(workload.name, s)) for s in seconds]
            short, long = (simulator.read(cost.output) for cost in costs)
            speeds[simulator.name].append((long.packets - short.packets) / (costs[1].cpu_s - costs[0].cpu_s))
            counts[simulator.name] = long
    return {name: Figure(median(values), counts[name]) for name, values in speeds.items()}


def instructions_per_packet(native: Simulator, workload: Workload, folder: Path) -> float:
    """Instructions per packet at the bottleneck, a long run minus a short one."""
    totals = []
    for seconds in (workload.ns3_seconds[1], 2 * workload.ns3_seconds[1]):
        command = native.command(workload.name, seconds)
        totals.append((instructions(command, folder / "callgrind.out"), native.read(measure(command).output).packets))
    (short, few), (long, many) = totals
    return (long - short) / (many - few)


def available(options: argparse.Namespace, folder: Path) -> list[Simulator]:
    """penstock, and the peers that are installed if they are wanted."""
    program = build_native()
    for workload in WORKLOADS:
        scenario = (ROOT / "scenarios" / f"{workload.name}.toml").read_text(encoding="utf-8")
        (folder / f"{workload.name}.json").write_text(canonical(scenario), encoding="utf-8")
    found = [Simulator("penstock", lambda name, s: [program, folder / f"{name}.json", str(s)], read_native)]
    return found + installed_peers(folder) if options.peers else found


def installed_peers(folder: Path) -> list[Simulator]:
    """The peers that are here. A line tells of each that is not."""
    found = []
    if ns2 := find_ns2():
        script = ROOT / "peers" / "dumbbell.tcl"
        found.append(Simulator("ns-2", lambda name, s: [ns2, script, name, str(s)], read_peer))
    else:
        print("ns-2 is not installed here: left out")
    if ns3 := build_ns3(folder):
        found.append(Simulator("ns-3", lambda name, s: [ns3, name, str(s)], read_peer, slow=True))
    else:
        print("ns-3 is not installed here: left out")
    if own := named_program("PENSTOCK_NS3"):
        found.append(Simulator("own ns-3", lambda name, s: [own, name, str(s)], read_peer, slow=True))
    else:
        print("PENSTOCK_NS3 names no program of an ns-3 of your own: left out")
    if htsim := named_program("PENSTOCK_HTSIM"):
        # It has no RED.
        found.append(Simulator("htsim", lambda name, s: [htsim, name, str(s)], read_peer, workloads=frozenset({"w2"})))
    else:
        print("PENSTOCK_HTSIM names no program of htsim: left out")
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Packets per CPU second at the bottleneck.")
    parser.add_argument("--peers", action="store_true", help="also ns-2, ns-3 and htsim, where they are here")
    parser.add_argument(
        "--record", action="store_true", help="write the ratios to the peers that are here; implies --peers"
    )
    parser.add_argument("--instructions", action="store_true", help="also instructions per packet (needs valgrind)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of which the median counts (default 3)")
    parser.add_argument("--only", choices=[w.name for w in WORKLOADS], action="append", help="only this workload")
    options = parser.parse_args()
    options.peers |= options.record
    ratios: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        simulators = available(options, folder)
        print(f"{'workload':9} {'simulator':10} {'packets/CPU s':>14} {'ratio':>7} {'utilization':>12} {'loss':>7}")
        for workload in (w for w in WORKLOADS if not options.only or w.name in options.only):
            figures = side_by_side(simulators, workload, options.repeat)
            ours = figures["penstock"].pps
            ratios[workload.name] = {p: round(ours / f.pps, 1) for p, f in figures.items() if p != "penstock"}
            for peer, figure in figures.items():
                ratio = f"{ours / figure.pps:.1f}"
                end = f"{figure.long.utilization:12.3f} {figure.long.loss:7.4f}"
                print(f"{workload.name:9} {peer:10} {figure.pps:14,.0f} {ratio:>7} {end}", flush=True)
            if options.instructions and shutil.which("valgrind"):
                count = instructions_per_packet(simulators[0], workload, folder)
                print(f"{workload.name:9} penstock   {count:,.0f} instructions a packet", flush=True)
        if not options.peers and not options.only:
            scaling.report(folder)
    if options.record:
        RECORD.write_text(json.dumps({"repeat": options.repeat, "ratio": ratios}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
