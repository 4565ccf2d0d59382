"""Studies on a Dask cluster of local processes, also when a worker is killed halfway, and as shards: the rows of the
local pool."""

from __future__ import annotations

import os
import re
import signal
import socketserver
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import distributed
import penstock as ps
import pytest
from penstock.errors import MissingPackageError, PenstockError, RunError
from penstock.studies import chunk as chunks
from penstock.studies import cluster as cluster_module
from penstock.studies.chunk import Chunk
from penstock.studies.cluster import Cluster
from penstock.studies.complete import Shard, execute_missing_runs
from penstock.studies.executor import Executor, ThreadExecutor
from penstock.studies.part import read_runs
from penstock.studies.store import Store
from penstock.studies.study import Study, StudyRuns
from penstock.studies.task import Versions, pack_chunk

from .test_study import link, stored_runs

pytestmark = pytest.mark.xdist_group("cluster")

LIMIT = 20


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local,
        distributed.Client(local, set_as_default=False) as own,
    ):
        yield own


@ps.aqm("drop-every-kth")
class DropEveryKth(ps.Aqm):
    """Drop every arrival whose number is a multiple of k."""

    k: int = LIMIT

    def reset(self, link: Any) -> None:
        self.count = 0

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        self.count += 1
        return ps.DROP if self.count % self.k == 0 else ps.PASS


def shortest(run: ps.Run) -> dict[str, float]:
    return {"shortest": _shortest(run), "limit": LIMIT}


def _shortest(run: ps.Run) -> float:
    return float(min(run.series["bottleneck"]["queue"]["max"]))


def aqm(flows: int) -> ps.Scenario:
    return ps.dumbbell(
        rate="2Mbit", rtt="40ms", duration="3s", queue=DropEveryKth(limit="50p"), traffic={"bulk": ps.Tcp(count=flows)}
    )


GRID = Study(link, {"flows": [1, 4], "scheme": ["droptail", "red"]}, seeds=3) + Study(
    aqm, {"flows": [2]}, seeds=2, keep=shortest
)


def rows(executor: Executor, folder: Path | None = None) -> list[dict[str, Any]]:
    """The rows of the study, without processor times."""
    batch = StudyRuns(GRID, None if folder is None else Store(folder))
    batch.complete(executor)
    return rows_of(batch)


def rows_of(batch: StudyRuns) -> list[dict[str, Any]]:
    results = batch.results.get({cell.content for cell in batch.cells()})
    return [
        {"scenario": scenario, **raw, "cpu_s": None} for scenario, _, raw in sorted(results, key=lambda row: row[:2])
    ]


def one_run_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "PACKETS", 0)


def chunks_of(study: Study) -> Iterator[Chunk]:
    return chunks.split_into_chunks(StudyRuns(study, None).cells())


def ignore(runs: int) -> None:
    """No progress is shown."""


def keys(client: Any) -> list[str]:
    """The tasks that the scheduler knows."""
    names: list[str] = client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks)))
    return names


def test_a_cluster_makes_the_rows_of_the_local_pool(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_run_a_chunk(monkeypatch)
    with Cluster(client.scheduler.address) as cluster:
        cluster_rows = rows(cluster, tmp_path)
    assert len(cluster_rows) == 14
    assert cluster_rows == rows(ThreadExecutor(2))
    assert sum(row.get("kept", {}).get("limit") == LIMIT for row in cluster_rows) == 2


def test_eight_shards_make_the_rows_of_the_local_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_run_a_chunk(monkeypatch)
    batch = StudyRuns(GRID, Store(tmp_path))
    before = 0
    for number in range(1, 9):
        StudyRuns(GRID, Store(tmp_path)).complete(1, shard=Shard(number, 8))
        new_runs = len(stored_runs(tmp_path)) - before
        assert 1 <= new_runs <= 2  # of 14 chunks
        before += new_runs
    assert before == 14
    batch.results.refresh()
    assert rows_of(batch) == rows(ThreadExecutor(2))


def test_a_worker_that_is_killed_costs_nothing(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_run_a_chunk(monkeypatch)
    processes = list(client.run(os.getpid).values())
    finished = 0

    class Killing(Cluster):
        def run(self, chunks: Iterator[Chunk], progress: Any) -> Iterator[tuple[Chunk, bytes]]:
            def report(runs: int) -> None:
                nonlocal finished
                finished += runs
                if finished == 5:
                    os.kill(processes[0], signal.SIGKILL)
                progress(runs)

            return super().run(chunks, report)

    cluster_rows = rows(Killing(client), tmp_path)
    assert finished == 14
    assert cluster_rows == rows(ThreadExecutor(2))
    assert processes[0] not in client.run(os.getpid).values()


@ps.aqm("end-of-the-process")
class EndOfTheProcess(ps.Aqm):
    """Ends its process, as the kernel does when the memory is exhausted."""

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


@ps.aqm("fails")
class Fails(ps.Aqm):
    """Raises."""

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        raise ZeroDivisionError("on purpose")


def failing(scheme: type[ps.Aqm]) -> Study:
    link = ps.dumbbell(rate="2Mbit", rtt="40ms", duration="1s", queue=scheme(), traffic={"bulk": ps.Tcp(count=1)})
    return Study(link, {"links.bottleneck.queue.limit": ["9p"]}, seeds=1)


def test_a_chunk_that_kills_its_workers_is_named(client: Any) -> None:
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 1))
    with pytest.raises(
        RunError, match=r"chunk \w+ \(1 runs from links.*limit = 9p, seed = 1\) was on 2 workers that died"
    ):
        list(Cluster(client).run(chunks_of(failing(EndOfTheProcess)), ignore))
    client.wait_for_workers(2, timeout=20)


def test_an_exception_in_an_aqm_or_a_keep_function_comes_back(client: Any) -> None:
    with pytest.raises(ps.AqmError, match=r"(?s)on_arrival.*ZeroDivisionError: on purpose"):
        list(Cluster(client).run(chunks_of(failing(Fails)), ignore))
    study = Study(link, {"flows": [1], "scheme": ["red"]}, seeds=1, keep=lambda run: {"x": run.links["wire"].drops})
    with pytest.raises(PenstockError, match='no watched link "wire"; available: bottleneck'):
        list(Cluster(client).run(chunks_of(study), ignore))


def test_an_interruption_cancels_what_is_in_flight(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_run_a_chunk(monkeypatch)

    def interrupt(finished: int, planned: int) -> None:
        if finished >= 3:
            assert keys(client)
            raise KeyboardInterrupt

    store, batch = Store(tmp_path), StudyRuns(GRID, None)
    with pytest.raises(KeyboardInterrupt):
        execute_missing_runs(batch.cells(), store, Cluster(client), progress=interrupt)
    assert 2 <= len(stored_runs(tmp_path)) <= 3
    deadline = time.monotonic() + 10
    while keys(client):
        assert time.monotonic() < deadline, keys(client)
        time.sleep(0.02)


def test_chunks_are_taken_only_as_fast_as_they_are_made(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one_run_a_chunk(monkeypatch)
    submitted = finished = most = 0

    def counted() -> Iterator[Chunk]:
        nonlocal submitted, most
        for chunk in chunks_of(GRID):
            submitted += 1
            most = max(most, submitted - finished)
            yield chunk

    for _ in Cluster(client).run(counted(), ignore):
        finished += 1
    assert submitted == finished == 14
    assert most == 2 * 2  # two threads


def test_a_chunk_that_two_drivers_submit_is_made_once(client: Any, tmp_path: Path) -> None:
    marker = tmp_path / "made"

    def count(run: ps.Run) -> dict[str, float]:
        with marker.open("a") as file:
            file.write("x")
        while len(list(tmp_path.glob("submitted-*"))) < 2:
            time.sleep(0.01)
        time.sleep(0.3)
        return {}

    def drive(driver: int) -> list[bytes]:
        def submitted() -> Iterator[Chunk]:
            yield from chunks_of(Study(link, {"flows": [1], "scheme": ["red"]}, seeds=1, keep=count))
            (tmp_path / f"submitted-{driver}").touch()

        with Cluster(client.scheduler.address) as cluster:
            return [content for _, content in cluster.run(submitted(), ignore)]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(drive, [1, 2])
    assert first == second
    assert marker.read_text() == "x"


def test_workers_with_other_versions_are_refused_once(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Versions.of_this_process()
    monkeypatch.setattr(Versions, "of_this_process", lambda: here._replace(meaning=here.meaning + 1))
    with pytest.raises(PenstockError, match=rf"worker tcp.* has {re.escape(str(here))}, but .*: install the same"):
        Cluster(client)
    monkeypatch.setattr(Cluster, "_check", lambda self: None)  # a worker that joins later
    with pytest.raises(PenstockError, match=rf"has {re.escape(str(here))}, but .*: install the same on all workers"):
        list(Cluster(client).run(chunks_of(GRID), ignore))


def test_no_scheduler_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECTED_WITHIN_S", 0.2)
    with pytest.raises(PenstockError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        Cluster("tcp://127.0.0.1:9")
    with pytest.raises(PenstockError, match=r"no Dask scheduler answers at nowhere\.json"):
        Cluster("nowhere.json")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPackageError, match="a Dask cluster needs it: pip install distributed"):
        Cluster("tcp://127.0.0.1:9")


def test_replayed_files_travel_by_content(client: Any, tmp_path: Path) -> None:
    file = tmp_path / "two.pcap"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    frame = bytes(12) + struct.pack(">HBBH", 0x0800, 0x45, 0, 1500) + bytes(42)
    file.write_bytes(header + b"".join(struct.pack("<IIII", 9, t, 60, 1514) + frame for t in (1000, 3000)))
    replay = {"r": ps.Replay(file=str(file), count=2)}
    base = ps.dumbbell(rate="1Mbit", rtt="20ms", duration="1s", queue=ps.DropTail(limit="9p"), traffic=replay)
    study = Study(base, {"links.bottleneck.rate": ["1Mbit", "2Mbit"]}, seeds=1)
    (chunk,) = chunks_of(study)
    ((_, near),) = ThreadExecutor(1).run(iter([chunk]), ignore)
    assert [result["traffic"]["r"]["sent_pkts"] for result in results_of(chunk, near)] == [4, 4]
    packed, files = pack_chunk(chunk)
    assert str(file).encode() not in packed
    assert list(files.values()) == [str(file)]
    ((_, far),) = Cluster(client).run(iter([chunk]), ignore)
    assert results_of(chunk, far) == results_of(chunk, near)


def results_of(chunk: Chunk, content: bytes) -> list[dict[str, Any]]:
    """The results in the content of a part, without processor times."""
    rows = read_runs(content, [cell.content for cell, _ in chunk.runs])
    return [{**result, "cpu_s": None} for _, _, result in rows]


def test_another_program_at_the_address_is_refused_with_one_message(tmp_path: Path) -> None:
    """A client of Dask would read the answer of a web server as the length of a message, and wait for the rest."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Greeter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{server.server_address[1]}"
    scenario = Path(__file__).resolve().parents[2] / "scenarios" / "w1.toml"
    command = ["compare", str(scenario), "--scheme", "red", "--runs", "2", "--store", "store", "--cluster", address]
    process = subprocess.run(
        [sys.executable, "-m", "penstock", *command], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    server.shutdown()
    server.server_close()
    assert process.returncode == 2
    assert "Traceback" not in process.stderr
    assert f"no Dask scheduler answers at {address}: " in process.stderr.splitlines()[-1]
    assert not (tmp_path / "store").exists()


class _Greeter(socketserver.BaseRequestHandler):
    """A program that is no scheduler, but answers."""

    def handle(self) -> None:
        with suppress(OSError):
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n" * 20)
            self.request.recv(1000)
