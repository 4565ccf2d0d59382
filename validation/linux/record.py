"""``python -m validation.linux.record``: cells of ``qdisc_tcp.json`` again, with other starts of their flows."""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KERNEL = HERE.parents[1] / "build" / "linux"

BEGIN_S, END_S = 10, 60
SHIFT_US = 131
"""The flows of start k begin k times this later: short beside a packet's 1.2 ms, and no divisor of anything."""
PATIENCE_S = 900
DATAGRAM_BITS = 1514 * 8
LINK_BPS = 10_000_000
"""The default rate of the link."""

RED = "red limit 400000 min 15000 max 45000 avpkt 1500 burst 20 probability 0.1 bandwidth 10Mbit"
CHOKE = "choke limit 1000 bandwidth 10Mbit min 10 max 30 burst 20 probability 0.1"

QUEUES = {
    "cake_10mbit": "cake bandwidth 10mbit",
    "cake_htb": "cake unlimited",
    "cake_htb_ecn": "cake unlimited",
    "choke": CHOKE,
    "choke_ecn": f"{CHOKE} ecn",
    "codel": "codel limit 1000 target 5ms interval 100ms noecn",
    "codel_ecn": "codel limit 1000 target 5ms interval 100ms ecn",
    "fq_codel": "fq_codel noecn",
    "fq_codel_ecn": "fq_codel ecn",
    "fq_pie": "fq_pie",
    "pie": "pie limit 1000 target 15ms tupdate 15ms noecn",
    "pie_ecn": "pie limit 1000 target 15ms tupdate 15ms ecn",
    "red": RED,
    "red_adaptive": f"{RED} adaptive",
    "red_adaptive_ecn": f"{RED} adaptive ecn",
    "red_ecn": f"{RED} ecn",
    "red_timer": f"{RED} adaptive",
    "red_timer_ecn": f"{RED} adaptive ecn",
    "sfb": "sfb",
    "sfb_ecn": "sfb",
    "sfq": "sfq limit 127",
}
"""The arguments of ``tc``, by the queue's name in the cells. ``_ecn``: both ends of TCP use ECN, too.

``pfifoN`` is a drop-tail queue of N packets besides. ``red_timer`` is ``red_adaptive`` with its timer started
(`red_timer.c`).
"""

CONTROLS = ("reno", "cubic", "bbr", "dctcp")

Numbers = dict[str, float]
"""The numbers of one run, by the keys of ``qdisc_tcp.json``."""

Cells = Mapping[str, Mapping[str, list[float]]]
"""By cell and key the numbers of each start."""

Run = Callable[[int, Path], Numbers]
"""Records one start of a cell; the files of the run come into the folder."""


class RecordingError(Exception):
    """A cell that cannot be recorded, or a run that gave no result; the text says why."""


@dataclass(frozen=True)
class Ends:
    """What the hosts do with packets: the words after a cell's name."""

    trains: bool = False
    """The sender's device splits trains of packets, not TCP."""
    gro: bool = False
    """The receiver's device merges packets of one flow."""
    fq: bool = False
    """``sch_fq`` at the sender paces each flow."""
    mbps: int = LINK_BPS // 1_000_000
    """The rate of the link between them."""

    @classmethod
    def parse(cls, words: str) -> "Ends":
        """``[NNmbit] [trains] [gro] [fq]``."""
        rate = re.search(r"(\d+)mbit", words)
        set_ = {word: word in words.split() for word in ("trains", "gro", "fq")}
        return cls(**set_, mbps=int(rate[1])) if rate else cls(**set_)

    @property
    def gro_ns(self) -> int:
        """How long a packet waits for the next one: nearly two transmission times."""
        return 20_000_000 // self.mbps

    @property
    def counted_s(self) -> tuple[int, int]:
        """Start and end of the counting of drops and goodput; a fast link needs less time for as many packets."""
        return (BEGIN_S, END_S) if self.mbps * 1_000_000 <= LINK_BPS else (5, 15)

    def variables(self) -> dict[str, object]:
        """The variables that ``init.sh`` reads."""
        return {
            "rate": f"{self.mbps}mbit",
            "trains": int(self.trains),
            "gro_ns": self.gro_ns if self.gro else "",
            "sender_queue": "fq" if self.fq else "",
        }


@dataclass(frozen=True)
class Cell:
    """A queue, a round trip, the congestion control of each flow, and the time between datagrams (0: none)."""

    name: str
    queue: str
    rtt_ms: int
    controls: tuple[str, ...]
    datagram_ns: int
    ends: Ends = Ends()

    @classmethod
    def parse(cls, name: str) -> "Cell":
        """The cell called ``QUEUE RTT_MS CC FLOWS``; of ``CC+CC`` each has its share of the flows, in this order.

        With ``udpSHARE`` after it datagrams of that share of the link's rate come besides. The words of `Ends` follow.
        """
        form = re.fullmatch(
            r"(\S+) (\d+) (\S+) (\d+)(?: udp(\d+(?:\.\d+)?))?((?: \d+mbit)?(?: trains)?(?: gro)?(?: fq)?)",
            name,
            re.ASCII,
        )
        if not form:
            raise RecordingError(
                f"{name}: a cell is QUEUE RTT_MS CC FLOWS [udpSHARE] [NNmbit] [trains] [gro] [fq], "
                "as 'codel 20 cubic 4'"
            )
        queue, rtt_ms, controls, flows = form[1], int(form[2]), form[3].split("+"), int(form[4])
        share, ends = float(form[5] or 0), Ends.parse(form[6])
        if queue not in QUEUES and not re.fullmatch(r"pfifo[1-9]\d*", queue):
            raise RecordingError(f"{name}: no queue {queue}; there are pfifoN, {', '.join(QUEUES)}")
        if unknown := [control for control in controls if control not in CONTROLS]:
            raise RecordingError(f"{name}: no congestion control {unknown[0]}; there are {', '.join(CONTROLS)}")
        if not 1 <= flows <= 64 or flows % len(controls):
            raise RecordingError(f"{name}: 1 to 64 flows, as many of each congestion control")
        each = flows // len(controls)
        datagram_ns = round(DATAGRAM_BITS / (share * ends.mbps * 1e6) * 1e9) if share else 0
        return cls(name, queue, rtt_ms, tuple(control for control in controls for _ in range(each)), datagram_ns, ends)

    def job(
        self,
        start: int,
        traces: bool,
        overhead: int | None = None,
        emulator: Path | None = None,
        until_s: int | None = None,
        flow_bytes: int = 0,
    ) -> str:
        """The variables that ``init.sh`` reads.

        `overhead` is added to the size of a frame, which the queue of the kernel counts. With `emulator`, a program,
        that emulates the link and its queue instead of the kernel. With `flow_bytes` each flow ends after so many
        bytes, and all is counted from the beginning. The run ends at `until_s`.
        """
        begin, end = self.ends.counted_s
        variables = {
            **self.ends.variables(),
            "begin": 0 if flow_bytes else begin,
            "end": until_s or end,
            "queue": QUEUES.get(self.queue, f"pfifo limit {self.queue[5:]}"),
            "red_timer": int(self.queue.startswith("red_timer")),
            "shaper": "own" if self.queue == "cake_10mbit" else "htb",
            "rtt_ms": self.rtt_ms,
            "ecn": int(self.queue.endswith("_ecn")),
            "controls": " ".join(self.controls),
            "start_us": start * SHIFT_US,
            "seed": seed_of(start),
            "traces": int(traces),
            "datagram_ns": self.datagram_ns,
            "bytes": flow_bytes,
            "overhead": "" if overhead is None else overhead,
            "emulator": emulator or "",
        }
        return "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in variables.items())


def seed_of(start: int) -> int:
    """The seed of the kernel, or of the emulator, for a start of the flows."""
    return start + 1


def run(kernel: Path, cell: Cell, start: int, folder: Path, traces: bool = False) -> Numbers:
    """Record a queue of the kernel."""
    return numbers(measure(kernel, cell.job(start, traces), start, folder), *counters_of(folder))


def counters_of(folder: Path) -> tuple[list[Any], list[Any]]:
    """The counters of a queue of the kernel at begin and end."""
    begin, end = (json.loads((folder / f"{name}.json").read_text()) for name in ("begin", "end"))
    return begin, end


def measure(kernel: Path, job: str, start: int, folder: Path) -> dict[str, Any]:
    """Boot the kernel for one run, whose files come into `folder`, and read its result."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job").write_text(job, encoding="utf-8")
    (folder / "result.json").unlink(missing_ok=True)
    boot(kernel, HERE / "init.sh", folder, seed_of(start))
    if not (folder / "result.json").exists():
        raise RecordingError(f"start {start}: no result\n{told(folder)}")
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return result


def boot(kernel: Path, init: Path, folder: Path, seed: int) -> None:
    """Run the kernel with this first process, to its end or for `PATIENCE_S`; what it says comes into `folder`.

    Its processes are a group, and none of them outlives this.
    """
    command: list[str | Path] = [
        *(kernel / "linux", "mem=256M", "rootfstype=hostfs", "rootflags=/", "rw", f"init={init}"),
        *("con=null", "con0=fd:0,fd:1", "quiet", "time-travel=inf-cpu", "time-travel-start=1700000000000000000"),
        *(f"LAB={kernel / 'lab'}", f"JOB={folder}"),
    ]
    # User Mode Linux does not know restartable sequences, which newer C libraries register in each process.
    environment = {**os.environ, "UML_SEED": str(seed), "GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
    with (folder / "console").open("wb") as console:
        machine = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            machine.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if machine.poll() is None:
                os.killpg(machine.pid, signal.SIGKILL)
                machine.wait()


def told(folder: Path) -> str:
    """The last lines of output of the machine and its programs."""
    files = (folder / name for name in ("console", "log"))
    lines = [line for file in files if file.exists() for line in file.read_text(errors="replace").splitlines()[-5:]]
    return "\n".join(f"    {line}" for line in lines)


def numbers(result: Mapping[str, Any], begin: list[Any], end: list[Any]) -> Numbers:
    """The numbers of ``qdisc_tcp.json``, from what a run left: its result, and the counters at begin and end."""
    before, after = counters(begin), counters(end)
    counted = {key: after[key] - before[key] for key in before}
    return {
        "goodput": round(sum(result["goodput_bps"])),
        **counted,
        "backlog": round(result["backlog_packets"], 2),
    }


def counters(queues: list[Any]) -> dict[str, int]:
    """Drops, marks and packets sent of the queue under test; where it marks, each kind of queue tells otherwise."""
    queue = next(queue for queue in queues if queue["handle"] == "20:")
    marks = [queue.get("marked", 0), queue.get("ecn_mark", 0), *(tin["ecn_mark"] for tin in queue.get("tins", []))]
    return {"drops": queue["drops"], "marks": sum(marks), "sent": queue["packets"]}


def record(
    runs: Mapping[str, Run],
    starts: int,
    jobs: int,
    save: Callable[[Cells], None],
    traces: Path | None = None,
    kept: Cells | None = None,
) -> bool:
    """Record all cells, `jobs` runs at a time, and `save` them with those `kept` whenever one is finished.

    Of a cell that is kept only the starts that it lacks are recorded. False if one failed.
    """
    recorded, complete = dict(kept or {}), True
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(jobs) as pool:

        def submit(name: str, start: int) -> Future[Numbers]:
            folder = (traces or Path(scratch)) / f"{name} {start}".replace(" ", "_")
            return pool.submit(runs[name], start, folder)

        submitted = {
            name: [submit(name, start) for start in range(starts_of(recorded.get(name, {})), starts)] for name in runs
        }
        try:
            for name, futures in submitted.items():
                try:
                    results = [future.result() for future in futures]
                except RecordingError as error:
                    print(f"{name}, {error}", file=sys.stderr)
                    complete = False
                    continue
                if results:
                    old = recorded.get(name, {})
                    recorded[name] = {key: [*old.get(key, ()), *(new[key] for new in results)] for key in results[0]}
                    save(recorded)
                    print(name, flush=True)
        finally:
            # After Ctrl-C no further machine is booted; those that run come to their end.
            pool.shutdown(cancel_futures=True)
    return complete


def starts_of(numbers: Mapping[str, Sequence[float]]) -> int:
    """The number of recorded starts."""
    return len(next(iter(numbers.values()), ()))


def write(file: Path, cells: Cells) -> None:
    """The cells as ``qdisc_tcp.json`` has them, one a line; the file is replaced as a whole."""
    lines = (f"{json.dumps(name)}: {json.dumps(lists, separators=(',', ':'))}" for name, lists in cells.items())
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part.json")
    part.write_text('{"cells": {\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
    part.replace(file)


def add_kernel(parser: argparse.ArgumentParser) -> None:
    """Where the kernel is."""
    parser.add_argument("--kernel", type=Path, default=KERNEL, metavar="DIR", help="what build.sh made (default: here)")


def check_kernel(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse a folder without a kernel."""
    options.kernel = options.kernel.resolve()
    if missing := [name for name in ("linux", "lab") if not (options.kernel / name).exists()]:
        parser.error(f"no {missing[0]} in {options.kernel}; validation/linux/build.sh makes it")


def add_machine(parser: argparse.ArgumentParser) -> None:
    """The options of all cells that are recorded with the kernel."""
    add_kernel(parser)
    parser.add_argument("--starts", type=int, default=6, help="runs of each cell, with other starts (default 6)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    parser.add_argument("--traces", type=Path, metavar="DIR", help="keep each run's files there, with captures")


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse what cannot be recorded."""
    check_kernel(parser, options)
    options.traces = options.traces.resolve() if options.traces else None
    if options.starts < 1 or options.jobs < 1:
        parser.error("--starts and --jobs are 1 or more")


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 when a cell could not be recorded; the others are written all the same."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.linux.record",
        description="Record queues of Linux 6.1 under TCP, in virtual time.",
    )
    parser.add_argument(
        "cells", nargs="+", metavar="CELL", help="QUEUE RTT_MS CC FLOWS [udpSHARE], as 'codel 20 cubic 4'"
    )
    parser.add_argument("--write", type=Path, required=True, metavar="FILE", help="the JSON; what it was is lost")
    add_machine(parser)
    options = parser.parse_args(arguments)
    try:
        cells = [Cell.parse(name) for name in options.cells]
    except RecordingError as error:
        parser.error(str(error))
    check(parser, options)
    runs = {cell.name: partial(run, options.kernel, cell, traces=options.traces is not None) for cell in cells}
    return 0 if record(runs, options.starts, options.jobs, partial(write, options.write), options.traces) else 1


if __name__ == "__main__":
    sys.exit(main())
