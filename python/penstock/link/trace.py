"""The trace of a real link as Parquet, written in chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from penstock import _native
from penstock.files import FileError

__all__ = ["write_packet_events"]

CHUNK = 1_000_000
"""Number of rows that are passed to the writer together."""

_NO_CAUSE = 255


def write_packet_events(columns: Mapping[str, NDArray[Any]], links: Sequence[str], folder: Path) -> None:
    """Write `packets.parquet` with a row for each event of a packet, from the columns of `LinkSession.trace`.

    As in the trace of a simulation: `t_ns`, `event`, `place` (a link; none for `send` and `receive`, which happen at
    hosts), `flow`, `seq` (of the packet, in the order of arrivals from hosts), `size_bytes`, `cause`; and
    `ecn` (0: not ECT, 1: ECT(1), 2: ECT(0), 3: CE) and `protocol` (6: TCP, 17: UDP). Raises `FileError`.
    """
    events, _, causes = _native.trace_words()
    file = folder / "packets.parquet"
    rows = len(columns["t_ns"])
    cause = columns["cause"].astype(np.int64)
    words = {"event": (columns["event"], events), "place": (columns["link"], links)}
    try:
        with duckdb.connect() as base:
            base.execute(
                "CREATE TABLE rows (t_ns BIGINT, event VARCHAR, place VARCHAR, flow UINTEGER, seq UINTEGER, "
                "size_bytes UINTEGER, cause VARCHAR, ecn UTINYINT, protocol UTINYINT)"
            )
            for first in range(0, rows, CHUNK):
                part = slice(first, first + CHUNK)
                chunk = {name: np.array(names, dtype=object)[column[part]] for name, (column, names) in words.items()}
                chunk["place"][np.isin(chunk["event"], ("send", "receive"))] = None
                chunk |= {
                    name: columns[name][part] for name in ("t_ns", "flow", "seq", "size_bytes", "ecn", "protocol")
                }
                cause_index = np.minimum(cause[part], len(causes) - 1)
                chunk["cause"] = np.array(causes, dtype=object)[cause_index]
                chunk["cause"][cause[part] == _NO_CAUSE] = None
                base.register("chunk", chunk)
                base.execute(
                    "INSERT INTO rows SELECT t_ns, event, place, flow, seq, size_bytes, cause, ecn, protocol FROM chunk"
                )
            base.execute(f"COPY rows TO '{str(file).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)")
    except (OSError, duckdb.IOException) as error:
        raise FileError(f"--trace {folder}: cannot be written: {error}") from None
