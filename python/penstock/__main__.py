"""The command `penstock`."""

from __future__ import annotations

import gc
import os
import resource
import sys
from pathlib import Path

LEAST_MEMORY = 2 << 30
"""Minimum address space in bytes. With less, Arrow and DuckDB may end the process without an exception."""


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly at any moment."""
    # Modules and plans are not garbage; with Python's default threshold they would be traversed again and again.
    gc.set_threshold(50_000, 20, 20)
    # Runs keep all cores busy, and no matrix here is large, so threads for linear algebra would only cost time to
    # start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _open_output()
        _check_memory_limit()
        from penstock.cli.app import app

        app(prog_name="penstock")
    except KeyboardInterrupt:
        _leave()
    except (ImportError, MemoryError) as error:
        reason = str(error) or "out of memory"
        print(
            f"penstock cannot be loaded: {reason}; install missing packages, or raise the memory limit (ulimit -v)",
            file=sys.stderr,
        )
        sys.exit(4)
    except SystemExit as left:
        if left.code == 130:
            _leave()
        raise


def _check_memory_limit() -> None:
    """Exit with a message if the address space is limited to less than the libraries need."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        print(
            f"penstock needs an address space of {LEAST_MEMORY >> 20} MiB, and {limit >> 20} MiB are allowed; "
            f"raise the memory limit: ulimit -v {LEAST_MEMORY >> 10}",
            file=sys.stderr,
        )
        sys.exit(4)


def _open_output() -> None:
    """Replace characters that the encoding of the output lacks; discard the output if standard output is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _leave() -> None:
    """Exit immediately, without waiting for threads whose runs are no longer needed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(130)


if __name__ == "__main__":
    main()
