"""The cost of a chunk for the driver of a study on a cluster, and the number of workers that a driver can feed.

`make studies` runs this script; it needs a quiet machine with two cores. The scheduler and two workers run in separate
processes, so the processor time of this process is the driver's. Without `--measure`, only the tables of the page are
written, from the stored data.
"""

from __future__ import annotations

import heapq
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import distributed
import penstock as ps
from penstock.files import write_text
from penstock.studies.chunk import split_into_chunks
from penstock.studies.complete import execute_missing_runs
from penstock.studies.store import Store
from penstock.studies.study import Study, StudyRuns

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "studies.json"
PAGE = ROOT / "docs" / "explanation" / "studies.md"

CELLS = 40
"""Measured cells, each with the runs of about one chunk."""

KINDS = {1200: 1, 120: 10, 12: 100, 1: 1000}
"""Simulated seconds per run on a link of 10 Mbit/s, by runs per chunk. A chunk has a million packets."""

LENGTHS_S = (1, 10, 60)
"""Time of a worker per chunk."""

PLANS = (10, 100, 1000, 10_000)
"""Numbers of workers of the simulated plans."""

IN_FLIGHT = 2
"""Chunks in flight for each worker."""

Table = dict[str, dict[str, float]]


def main() -> None:
    """Measure if requested, then write the tables."""
    if "--measure" in sys.argv[1:]:
        with cluster() as address:
            measured = {str(runs): cost(address, study(seconds, runs)) for runs, seconds in KINDS.items()}
        lines = [f"{json.dumps(runs)}: {json.dumps(found)}" for runs, found in measured.items()]
        write_text(DATA, "{\n" + ",\n".join(lines) + "\n}\n")
    data = json.loads(DATA.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    for name, table in (("costs", costs(data)), ("plans", plans(data))):
        before, after = (page.index(mark) for mark in (f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"))
        page = page[:before] + f"<!-- {name} -->\n" + table + page[after:]
    write_text(PAGE, page)


def study(seconds: int, runs: int) -> Study:
    """Cells with this number of runs; the last fifth warms up."""
    base = ps.dumbbell(
        rate="10Mbit",
        rtt="40ms",
        duration=f"{seconds}s",
        queue=ps.Red(limit="100p"),
        traffic={"bulk": ps.Tcp(count=4, profile="ns2")},
    )
    values = [0.05 + cell / 1000 for cell in range(CELLS + CELLS // 4)]
    return Study(base, {"links.bottleneck.queue.max_p": values}, seeds=runs)


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a scheduler with two workers of one thread, all in separate processes."""
    started = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scheduler.json")

        def start(program: str, *options: str) -> None:
            command = [sys.executable, "-m", f"distributed.cli.dask_{program}", "--no-dashboard", *options]
            with Path(folder, "log").open("a") as log:
                started.append(subprocess.Popen([*command, "--scheduler-file", file], stdout=log, stderr=log))

        try:
            start("scheduler", "--port", "0")
            start("worker", "--nthreads", "1", "--local-directory", folder)
            start("worker", "--nthreads", "1", "--local-directory", folder)
            while not file.exists():
                time.sleep(0.1)
            with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
                client.wait_for_workers(2)
                yield client.scheduler.address
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


def cost(address: str, measured: Study) -> dict[str, float]:
    """Processor time of the driver per chunk in milliseconds, and bytes per run in the store.

    `submit` and `keep` are times of the driving thread, `all` is the time of all threads.
    """
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, ps.Cluster(address) as executor:
        store = Store(folder)
        store.put = timed("keep", took, store.put)  # type: ignore[method-assign]
        executor._submitted = timed("submit", took, executor._submitted)  # type: ignore[method-assign]
        cells = list(StudyRuns(measured, store).cells())
        execute_missing_runs(cells[CELLS:], store, executor)
        before = size(folder)
        took.clear()
        start = time.process_time()
        execute_missing_runs(cells[:CELLS], store, executor)
        took["all"] = time.process_time() - start
        kept = (size(folder) - before) / (CELLS * measured.seeds)
    count = sum(1 for _ in split_into_chunks(cells[:CELLS]))
    return {part: float(f"{1000 * seconds / count:.3g}") for part, seconds in took.items()} | {"bytes": round(kept)}


def timed(part: str, took: dict[str, float], call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, extended to add its processor time to a part."""

    def timing(*arguments: Any) -> Any:
        start = time.thread_time()
        result = call(*arguments)
        took[part] = took.get(part, 0.0) + time.thread_time() - start
        return result

    return timing


def size(folder: str) -> int:
    """Bytes of the files of a store."""
    return sum(file.stat().st_size for file in Path(folder).rglob("*.parquet"))


def simulated(cost_s: float, length_s: float, workers: int) -> float:
    """The busy share of the workers' time, with a driver that spends `cost_s` on each chunk.

    The driver handles results in the order of their arrival, and sends the worker its next chunk. Chunks take 0.5 to
    1.5 times `length_s`. The first half of the chunks is the warm-up.
    """
    rng = random.Random(1)
    ends: list[tuple[float, int]] = []
    last = [0.0] * workers

    def send(worker: int, now: float) -> None:
        last[worker] = max(now, last[worker]) + rng.uniform(0.5, 1.5) * length_s
        heapq.heappush(ends, (last[worker], worker))

    for worker in range(IN_FLIGHT * workers):
        send(worker % workers, 0.0)
    driver = began = 0.0
    counted = max(10 * workers, 20_000)
    for done in range(2 * counted):
        arrived, worker = heapq.heappop(ends)
        if done == counted:
            began = driver
        driver = max(driver, arrived) + cost_s
        send(worker, driver)
    return counted * length_s / (workers * (driver - began))


def costs(data: Table) -> str:
    """The table of the cost per chunk, and of the chunks and workers that a driver can handle."""
    lines = [
        "| runs per chunk | submit | keep | all threads | chunks/s | max. workers, 1-s chunks | max. workers, "
        "60-s chunks | bytes per run |",
        "| --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for runs, found in data.items():
        rate = 1000 / found["all"]
        times = " | ".join(f"{found[part]:.1f} ms" for part in ("submit", "keep", "all"))
        lines.append(f"| {runs} | {times} | {rate:.0f} | {rate:.0f} | {60 * rate:.0f} | {found['bytes']:.0f} |")
    return "\n".join(lines) + "\n"


def plans(data: Table) -> str:
    """The table of the busy share of workers in simulated plans, with the cost of the most expensive chunk."""
    worst = max(found["all"] for found in data.values()) / 1000
    lines = [
        "| workers | " + " | ".join(f"chunks of {length} s" for length in LENGTHS_S) + " |",
        "| --: |" + " --: |" * len(LENGTHS_S),
    ]
    for workers in PLANS:
        used = [f"{simulated(worst, length, workers):.0%}" for length in LENGTHS_S]
        lines.append(f"| {workers} | {' | '.join(used)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
