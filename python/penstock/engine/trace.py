"""A run with every packet event as Parquet, written in chunks, and captures of links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from penstock import _native
from penstock.aqms import python_aqm
from penstock.aqms.catalog import tcp_keys
from penstock.engine.pcap import Capture, write_when_complete
from penstock.engine.run import engine_errors
from penstock.files import FileError, atomic_replacement
from penstock.results.run import Run
from penstock.scenario.resolve import Resolved
from penstock.units import parse_size

if TYPE_CHECKING:
    import duckdb

__all__ = ["RecordedRun", "record_run"]

# Number of rows that are passed to the writer together.
CHUNK = 1_000_000

# Number of intervals of a series in a trace: enough for every sample of a queue.
MAX_SAMPLES = 2**53

NO_CAUSE = 255

_TYPES = {"t_ns": "<i8", "event": "u1", "kind": "u1", "cause": "u1"} | dict.fromkeys(
    ("link", "flow", "seq", "size_bytes", "window_flow"), "<u4"
)
_TYPES |= {"waited_ns": "<i8", "window_t_ns": "<i8", "cwnd": "<f8", "ssthresh": "<f8"}


@dataclass(frozen=True)
class _Flows:
    """For each dense flow number: group, number within the group, nodes at its ends, bytes per sequence number."""

    groups: list[str]
    group: NDArray[np.int64]
    number: NDArray[np.int64]
    source: list[str]
    sink: list[str]
    scale: NDArray[np.int64]

    @classmethod
    def from_scenario(cls, resolved: Resolved) -> _Flows:
        entries = resolved.canonical["traffic"]
        group, number, source, sink, scale = [], [], [], [], []
        for index, entry in enumerate(entries):
            size = _bytes_a_number(entry, resolved.readable["traffic"][entry["name"]])
            for copy in range(entry["count"]):
                group.append(index)
                number.append(copy)
                source.append(entry["from"][copy % len(entry["from"])])
                sink.append(entry["to"][copy % len(entry["to"])])
                scale.append(size)
        names = [entry["name"] for entry in entries]
        return cls(names, np.array(group), np.array(number), source, sink, np.array(scale))


def _bytes_a_number(entry: Mapping[str, Any], readable: Mapping[str, Any]) -> int:
    """Bytes per sequence number: ns-2 numbers packets, other profiles number bytes."""
    profile = entry["tcp"]["profile"] if entry["kind"] == "tcp" else tcp_keys().profiles[0]
    return 1 if profile.startswith("ns2") else parse_size(readable["packet"])


@dataclass(frozen=True)
class RecordedRun:
    """A run of a resolved scenario, and the columns of its packet events; none if they have not been recorded."""

    run: Run
    resolved: Resolved
    events: Mapping[str, bytes]

    def column(self, name: str) -> NDArray[Any]:
        """A column of the packet events."""
        return np.frombuffer(self.events[name], dtype=_TYPES[name])

    def write(self, folder: Path) -> None:
        """Write `packets.parquet` and `series.parquet` of a traced run into a folder, which is created.

        Raises `FileError` if they cannot be written.
        """
        import duckdb

        columns = {name: self.column(name) for name in _TYPES}
        flows = _Flows.from_scenario(self.resolved)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with duckdb.connect() as base:
                _write_packets(base, columns, flows, self.resolved, folder / "packets.parquet")
                _write_series(base, columns, flows, self.run, folder / "series.parquet")
        except (OSError, duckdb.IOException) as error:
            raise FileError(f"--trace {folder}: cannot be written: {error}") from None


def record_run(
    resolved: Resolved,
    seed: int,
    *,
    traced: bool = False,
    events: bool = False,
    captures: Sequence[Capture] = (),
    snaplen: int | None = None,
    flows: bool = False,
    series: bool = False,
) -> RecordedRun:
    """Run once and write captures with at most `snaplen` bytes per packet.

    `events` records packet events. `traced` also records all flows and every sample of the series, regardless of
    `flows` and `series`, so that the run can be written to files.
    """
    if traced:
        canonical = resolved.for_engine(flows=True, series=True, series_points=MAX_SAMPLES)
    else:
        canonical = resolved.for_engine(flows=flows, series=series)
    with write_when_complete(captures) as files, engine_errors():
        aqms = python_aqm.aqm_constructors([canonical])
        text, columns = _native.run_recorded(canonical, seed, traced or events, files, aqms, snaplen)
    return RecordedRun(Run.from_json(text, deepcopy({**resolved.readable, "seed": seed})), resolved, columns)


def _write_packets(
    base: duckdb.DuckDBPyConnection,
    columns: Mapping[str, NDArray[Any]],
    flows: _Flows,
    resolved: Resolved,
    file: Path,
) -> None:
    events, kinds, causes = _native.trace_words()
    places = [entry["name"] for entry in resolved.canonical["links"]]
    ends = list(dict.fromkeys([*flows.source, *flows.sink]))
    offset = {name: len(places) + i for i, name in enumerate(ends)}
    source = np.array([offset[name] for name in flows.source], dtype=np.int64)
    sink = np.array([offset[name] for name in flows.sink], dtype=np.int64)
    names = list(dict.fromkeys([*places, *ends]))
    number_of = {name: i for i, name in enumerate(names)}
    renumber = np.array([number_of[name] for name in [*places, *ends]], dtype=np.int64)
    enums = {"event": events, "place": names, "traffic": flows.groups, "kind": kinds, "cause": causes}
    words = {column: _as_enum(base, column, values) for column, values in enums.items()}
    order = ("t_ns", "event", "place", "traffic", "flow", "kind", "seq", "size_bytes", "cause")
    query = f"SELECT {', '.join(words.get(column, column) for column in order)} FROM chunk"
    ack, send, receive = kinds.index("ack"), events.index("send"), events.index("receive")

    def chunk_at(start: int) -> dict[str, NDArray[Any]]:
        part = {name: columns[name][start : start + CHUNK] for name in ("t_ns", "event", "kind", "link", "flow", "seq")}
        at, flow = part["event"], part["flow"]
        # Data starts at the source and ends at the sink; an acknowledgement goes the other way.
        back = part["kind"] == ack
        begins, ends_at = np.where(back, sink[flow], source[flow]), np.where(back, source[flow], sink[flow])
        number = np.where(at == send, begins, np.where(at == receive, ends_at, part["link"].astype(np.int64)))
        cause = columns["cause"][start : start + CHUNK].astype(np.int64)
        return {
            "t_ns": part["t_ns"],
            "event": at.astype(np.int64),
            "kind": part["kind"].astype(np.int64),
            "place": renumber[number],
            "traffic": flows.group[flow],
            "flow": flows.number[flow],
            "seq": part["seq"].astype(np.int64) * flows.scale[flow],
            "size_bytes": columns["size_bytes"][start : start + CHUNK],
            # An index beyond the end of the list gives NULL, for events without a cause.
            "cause": np.where(cause == NO_CAUSE, len(causes), cause),
        }

    _copy(base, query, chunk_at, len(columns["t_ns"]), file)


def _as_enum(base: duckdb.DuckDBPyConnection, column: str, values: Sequence[str]) -> str:
    """SQL that converts a column of numbers to these words, as a new ENUM type."""
    listed = _literals(values or [""])
    base.execute(f"CREATE TYPE {column}_word AS ENUM ({listed})")
    return f"([{listed}])[{column} + 1]::{column}_word AS {column}"


def _copy(
    base: duckdb.DuckDBPyConnection, query: str, chunk_at: Callable[[int], Mapping[str, Any]], count: int, file: Path
) -> None:
    """Write the rows of the query, chunk by chunk, through a table that stores words as numbers."""
    for start in range(0, max(count, 1), CHUNK):
        base.register("chunk", chunk_at(start))
        base.execute(f"CREATE TABLE packets AS {query}" if start == 0 else f"INSERT INTO packets {query}")
        base.unregister("chunk")
    _to_parquet(base, "packets", file)
    base.execute("DROP TABLE packets")


def _write_series(
    base: duckdb.DuckDBPyConnection, columns: Mapping[str, NDArray[Any]], flows: _Flows, run: Run, file: Path
) -> None:
    base.execute("CREATE TABLE series (t_ns BIGINT, place VARCHAR, name VARCHAR, min DOUBLE, mean DOUBLE, max DOUBLE)")
    for place, series in run.series.items():
        times = np.array(series["t_ns"], dtype=np.int64)
        for name, values in series.items():
            if name != "t_ns":
                statistics = {key: _numbers(values[key], len(times)) for key in ("min", "mean", "max")}
                _insert(base, times, place, "length" if name == "queue" else name, statistics)
    for group, senders in run.senders.items():
        for number, series in enumerate(senders):
            times = np.array(series.get("t_ns", ()), dtype=np.int64)
            # Congestion windows are recorded separately below, at each change.
            for name in series.keys() - {"t_ns", "cwnd", "ssthresh"}:
                statistics = {key: _numbers(series[name][key], len(times)) for key in ("min", "mean", "max")}
                _insert(base, times, f"{group}.{number}", name, statistics)
    window_flow = columns["window_flow"]
    for flow in np.unique(window_flow):
        mine = window_flow == flow
        place = f"{flows.groups[flows.group[flow]]}.{flows.number[flow]}"
        for name in ("cwnd", "ssthresh"):
            values = columns[name][mine]
            _insert(base, columns["window_t_ns"][mine], place, name, dict.fromkeys(("min", "mean", "max"), values))
    _to_parquet(base, "series", file)


def _to_parquet(base: duckdb.DuckDBPyConnection, table: str, file: Path) -> None:
    with atomic_replacement(file) as part:
        base.execute(f"COPY {table} TO {_literals([str(part)])} (FORMAT parquet)")


def _insert(
    base: duckdb.DuckDBPyConnection, times: NDArray[Any], place: str, name: str, values: Mapping[str, NDArray[Any]]
) -> None:
    base.register("chunk", {"t_ns": times, **values})
    base.execute("INSERT INTO series SELECT t_ns, ?, ?, min, mean, max FROM chunk", [place, name])
    base.unregister("chunk")


def _numbers(values: Sequence[float | None], count: int) -> NDArray[np.float64]:
    """The values, padded with NaN in front to `count` entries, since a gauge may start later than its queue."""
    numbers = [np.nan if value is None else value for value in values]
    return np.array([np.nan] * (count - len(numbers)) + numbers, dtype=float)


def _literals(values: Sequence[str]) -> str:
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)
