"""Hosts of a real link: network namespaces in which processes run."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from penstock._native import Namespace
from penstock.link.processes import MARK, end_processes, process_mark, processes_in

__all__ = ["Host"]

T = TypeVar("T")

_PR_SET_PDEATHSIG = 1
_C = ctypes.CDLL(None)


class Host:
    """A network namespace in which processes run. They all end with it, and when penstock dies.

    Without `namespace`, a new one is created, which the kernel removes when the host is closed. A given namespace is
    kept, and so are the processes of others in it. A context manager.
    """

    def __init__(self, namespace: Namespace | None = None) -> None:
        self.owned = namespace is None
        self.namespace = Namespace() if namespace is None else namespace
        # The kernel ends a child when the *thread* that forked it ends, so all are started by one thread, which lives
        # as long as the host.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="host")
        self._children: list[subprocess.Popen[bytes]] = []
        try:
            self.call(self.namespace.enter)
        except BaseException:
            self._thread.shutdown()
            raise

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, work: Callable[[], T]) -> T:
        """Call a function in the host's thread, inside the namespace, e.g. to open a socket there."""
        return self._thread.submit(work).result()

    def start(
        self, command: Sequence[str], *, env: dict[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start a process in the namespace, with `env` added to the environment and further options of `Popen`.

        Raises `OSError` if the command cannot be started.
        """
        parent = os.getpid()

        def end_with_penstock() -> None:
            _C.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:  # penstock died before the call took effect
                os._exit(1)

        environment = {**os.environ, **(env or {}), MARK: process_mark()}

        def fork() -> subprocess.Popen[bytes]:
            with warnings.catch_warnings():
                # Python warns of forks while other threads run, which may hold a lock; the function above takes no
                # lock.
                warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
                return subprocess.Popen(command, env=environment, preexec_fn=end_with_penstock, **options)

        child = self.call(fork)
        self._children.append(child)
        return child

    def close(self) -> None:
        """End the processes of the host and wait for them; in a fresh namespace, all processes."""
        started = {child.pid for child in self._children if child.poll() is None}
        own_mark = None if self.owned else process_mark()
        end_processes(started.union(processes_in(self.namespace.fileno(), own_mark)))
        for child in self._children:
            child.wait()
        self._thread.shutdown()
