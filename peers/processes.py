"""Running a simulator as a process and measuring its cost."""

import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Cost:
    """The output and the resource usage of one process."""

    output: str
    notes: str
    cpu_s: float


@dataclass(frozen=True)
class Count:
    """The bottleneck of one run, data direction."""

    packets: int
    loss: float
    utilization: float


def measure(command: Sequence[str | Path]) -> Cost:
    """Run a command to its end; its CPU time is user and system time of the process."""
    with (
        tempfile.TemporaryFile("w+") as notes,
        subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=notes, text=True) as process,
    ):
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        notes.seek(0)
        told = notes.read()
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with code {process.returncode}: {told}")
    return Cost(output, told, usage.ru_utime + usage.ru_stime)


def build_native() -> Path:
    """The small native program that runs one canonical scenario, built for release."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "penstock-sim", "--example", "run_file"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "examples" / "run_file"


def find_ns2() -> str | None:
    """ns-2, where it is installed."""
    return shutil.which("ns")


def named_program(variable: str) -> Path | None:
    """The program that this environment variable names, where it is set."""
    if not (name := os.environ.get(variable)):
        return None
    program = Path(name)
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise SystemExit(f"{variable}: {name} is not a program")
    return program.resolve()


def build_ns3(into: Path) -> Path | None:
    """The program of ns-3 that Debian ships, where a compiler and the libraries are present."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None or not any(Path(folder, "ns3").is_dir() for folder in ("/usr/include", "/usr/local/include")):
        return None
    program = into / "dumbbell"
    modules = ("applications", "internet", "point-to-point", "traffic-control", "network", "core")
    libraries = [f"-lns3-{module}" for module in modules]
    source = ROOT / "peers" / "dumbbell.cc"
    built = subprocess.run([compiler, "-O2", "-std=c++17", "-o", program, source, *libraries], check=False)
    return program if built.returncode == 0 else None


def instructions(command: Sequence[str | Path], log: Path) -> int:
    """Instructions of a command under callgrind."""
    callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={log}", "--quiet"]
    subprocess.run([*callgrind, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    raise RuntimeError("callgrind gave no summary")


def median(values: Sequence[float]) -> float:
    """The median: one disturbed run does not move it."""
    return statistics.median(values)
