"""Runs on a cluster: an executor on Dask, by the address of a scheduler.

>>> import penstock as ps
>>> ps.Cluster("tcp://login-node:8786")  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import MissingPackageError, PenstockError, RunError
from penstock.files import read_bytes, write_bytes
from penstock.studies.chunk import Chunk
from penstock.studies.task import Versions, execute_packed_chunk, pack_chunk

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Cluster"]

CHUNKS_PER_THREAD = 2
"""Chunks in flight per thread of the cluster: one being executed, and one so that the thread need not wait."""

THREADS_COUNTED_EVERY_S = 1.0

CONNECTED_WITHIN_S = 10.0


class Cluster:
    """A Dask cluster that executes the runs of a study. Use it in a `with` statement, or call `close`.

    A chunk is a task under its own name; a chunk that two drivers submit is executed once. A chunk whose worker dies is
    executed by another worker. Workers need the same versions of penstock and Python as this process, and no files of
    it.

    `cluster` is the address of a scheduler, such as "tcp://login-node:8786", the path of a scheduler file (`.json`), or
    a `distributed.Client`, which stays open. Raises `MissingPackageError` without `distributed`, and `PenstockError` if
    there is no scheduler or a worker has other versions.
    """

    def __init__(self, cluster: str | Path | Client) -> None:
        try:
            import_module("distributed")
        except ImportError:
            raise MissingPackageError("distributed", "a Dask cluster") from None
        self._own = isinstance(cluster, str | Path)
        self._client: Client = _connected(str(cluster)) if isinstance(cluster, str | Path) else cluster
        self._versions = Versions.of_this_process()
        self._files: dict[str, Future] = {}
        self._limit, self._counted = 0, float("-inf")
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; a client that was given stays open."""
        self._files.clear()
        if self._own:
            self._client.close()

    def run(self, chunks: Iterator[Chunk], progress: Callable[[int], object]) -> Iterator[tuple[Chunk, bytes]]:
        """See `Executor`. After an error, or if the caller stops, the chunks in flight are cancelled."""
        from distributed import as_completed

        running: dict[str, Chunk] = {}
        futures: dict[str, Future] = {}
        completed = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
        try:
            while True:
                while len(running) < self._most_in_flight() and (chunk := next(chunks, None)) is not None:
                    future = self._submitted(chunk)
                    running[future.key], futures[future.key] = chunk, future
                    completed.add(future)
                if not running:
                    return
                # Chunks without an error come first, so that an error loses none of them.
                for future, answer in sorted(completed.next_batch(), key=lambda entry: not isinstance(entry[1], bytes)):
                    chunk = running.pop(future.key)
                    content = _content(chunk, answer)
                    del futures[future.key]
                    progress(chunk.size)
                    yield chunk, content
        finally:
            # Failed chunks are forgotten too; otherwise the error would be the answer to the next attempt.
            if futures:
                with suppress(Exception):  # of a lost connection, after which the scheduler cancels them itself
                    self._client.cancel(list(futures.values()))

    def _submitted(self, chunk: Chunk) -> Future:
        packed, files = pack_chunk(chunk)
        contents = [self._file(name, path) for name, path in files.items()]
        return self._client.submit(_perform, self._versions, packed, list(files), contents, key=f"penstock-{chunk.key}")

    def _file(self, name: str, path: str) -> Future:
        """A file in the cluster. It is a task, so a copy that is lost with its worker is created again."""
        import dask

        if name not in self._files:
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "2 GiB"}):
                self._files[name] = self._client.submit(bytes, read_bytes(path), key=f"penstock-file-{name}")
        return self._files[name]

    def _most_in_flight(self) -> int:
        """The number of chunks that keep all threads busy, while this process holds no more than that many."""
        if time.monotonic() - self._counted > THREADS_COUNTED_EVERY_S:
            self._limit = max(1, CHUNKS_PER_THREAD * sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return self._limit

    def _check(self) -> None:
        """Raise `PenstockError` if a worker has other versions.

        A worker that joins later is checked by its first task.
        """

        def worker_versions() -> tuple[str, int, str] | str:
            # Sent by value, as a worker may have no penstock, or an old one.
            import sys

            try:
                from penstock import _native

                return _native.version, _native.meaning, "{}.{}".format(*sys.version_info)
            except (ImportError, AttributeError):
                return "no penstock, or one without studies on clusters"

        workers = self._client.run(worker_versions)
        if not workers:
            warnings.warn("the cluster has no workers yet; the study begins when the first one joins", stacklevel=3)
        for address, versions in workers.items():
            self._versions.check(Versions(*versions) if isinstance(versions, tuple) else versions, f"worker {address}")


def _connected(address: str) -> Client:
    import distributed

    place = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
    try:
        if "scheduler_file" in place:
            read_bytes(address)  # distributed would wait for a missing file indefinitely
        else:
            _check_answers(address)
            asyncio.run(_greet(address))
        return distributed.Client(**place, timeout=CONNECTED_WITHIN_S, set_as_default=False)
    except (OSError, ValueError, OverflowError, MemoryError) as error:
        # Read as a message of Dask, the answer of another program can need any amount of memory.
        reason = "another program listens there" if isinstance(error, MemoryError) else error
        raise PenstockError(f"no Dask scheduler answers at {address}: {reason}") from None


async def _greet(address: str) -> None:
    """Raise `OSError`, `ValueError` or `MemoryError` unless a Dask process answers: a client would hang and log."""
    from distributed.comm import connect

    comm = await connect(address, timeout=CONNECTED_WITHIN_S / 2)
    comm.abort()


def _check_answers(address: str) -> None:
    """Raise `OSError` if nothing listens at a TCP address: distributed would keep retrying and log tracebacks."""
    scheme, _, rest = address.rpartition("://")
    host, colon, port = rest.rpartition(":")
    if scheme not in ("", "tcp", "tls") or not colon or not port.isdecimal():
        if scheme in ("", "tcp", "tls"):
            raise ValueError("expected HOST:PORT, such as tcp://login-node:8786")
        return
    socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECTED_WITHIN_S / 2).close()


def _perform(versions: Versions, packed: bytes, names: list[str], contents: list[bytes]) -> bytes:
    """Execute the runs of a chunk on a worker."""
    from distributed import get_worker

    paths = {}
    for name, content in zip(names, contents, strict=True):
        file = Path(get_worker().local_directory) / f"penstock-{name}"
        if not file.exists():
            write_bytes(file, content)
        paths[name] = str(file)
    return execute_packed_chunk(versions, packed, paths)


def _content(chunk: Chunk, answer: Any) -> bytes:
    """The part of a chunk.

    Raises its error. The status of the future may come from a worker that has since been lost.
    """
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    if isinstance(answer, bytes):
        return answer
    error = answer[1] if isinstance(answer, tuple) else answer
    if isinstance(error, KilledWorker):
        cell, seeds = chunk.runs[0]
        first = ", ".join(f"{name} = {value}" for name, value in {**cell.labels, "seed": seeds[0]}.items())
        raise RunError(
            f"chunk {chunk.name} ({chunk.size} runs from {first}) was on {error.allowed_failures + 1} workers that"
            " died, perhaps for lack of memory; finished runs are kept"
        )
    if isinstance(error, CancelledError):
        raise RunError("the connection to the Dask scheduler was lost; finished runs are kept")
    if isinstance(error, ModuleNotFoundError):
        raise PenstockError(f"a worker of the cluster lacks a package: {error}")
    raise error.with_traceback(answer[2])
