"""The store of results: a folder of Parquet files. Nothing is computed twice, and an interrupted study goes on.

    store.json            the format
    runs/NAME.parquet     parts: a row a run, with labels, seed, scenario and every metric as columns
    scenarios/*.parquet   the resolved scenarios by their content addresses
    sums/NAME.CRC         an empty file for each part that was written, with its checksum
    claims/NAME           the process that makes the runs of a part at this moment
    labels/*.parquet      labels that a study gives to runs which another one has made
    orders/*.json         the order in which a study lists the names on its axes, such as its schemes
    studies/NAME.json     studies from files, as they were run last

A part is written under another name and renamed into place, so a part that is there is whole. Its name is the hash of
its runs: two processes that make the same runs write the same part, and there are no locks.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.errors import PenstockError
from penstock.files import write_text
from penstock.studies import compaction, order, part
from penstock.studies.part import Labelled, Row

__all__ = ["Results", "Store", "default_folder", "part_name"]

FORMAT = 1

ABANDONED_S = 86_400.0
"""Age of a temporary file whose process was killed."""

OLD_FILE = "results.sqlite"


def default_folder() -> Path:
    """The default folder of results: `penstock/runs` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "penstock" / "runs"


def part_name(runs: Iterable[tuple[str, int]]) -> str:
    """The name of the part with these runs, each a scenario and a seed."""
    listed = "\n".join(sorted(f"{scenario}:{seed}" for scenario, seed in runs))
    return hashlib.blake2b(listed.encode(), digest_size=16).hexdigest()


class Results:
    """Results in memory, by scenario and seed.

    Attributes:
        problem: why results could not be written, empty if all were.
        claims: the folder of claims; None if no other process uses these results.

    """

    problem = ""
    claims: Path | None = None

    def __init__(self) -> None:
        self._rows: dict[tuple[str, int], Row] = {}
        self._scenarios: dict[str, str] = {}

    def has(self, scenario: str, seed: int) -> bool:
        """Whether a run has a result."""
        return (scenario, seed) in self._rows

    def has_part(self, name: str) -> bool:
        """Whether another process has added a part of this name."""
        return False

    def refresh(self) -> None:
        """Take note of results that other processes have added."""

    def compact(self) -> None:
        """Merge small parts; there are none in memory."""

    def has_labels(self, scenario: str, study: str, seeds: range) -> bool:
        """Whether all these runs have the labels of a study, as far as they have a result. In memory there are none."""
        return True

    def put_labels(self, cells: Sequence[Labelled]) -> None:
        """Keep the labels that a study gives to runs which another one has made."""

    def put_order(self, study: str, names: order.Order) -> None:
        """Keep the order in which a study lists the names on its axes."""

    def put(self, rows: Sequence[Row], scenarios: Mapping[str, str]) -> None:
        """Keep results; `scenarios` are the resolved scenarios as JSON, by content address."""
        self._rows.update(((row.scenario, row.seed), row) for row in rows)
        self._scenarios.update(scenarios)

    def scenarios(self, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The resolved scenarios by their content addresses."""
        return {key: json.loads(self._scenarios[key]) for key in wanted if key in self._scenarios}

    def get(
        self,
        scenarios: Iterable[str],
        metrics: Collection[str] | None = None,
    ) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """The runs of these scenarios, in no order: scenario, seed, and the result as plain values.

        A store reads only the metrics of these names if some are given.
        """
        wanted = set(scenarios)
        for (scenario, seed), row in list(self._rows.items()):
            if scenario in wanted:
                yield scenario, seed, json.loads(row.text)


class Store(Results):
    """Results in a folder. Several processes may use it at the same time.

    A part whose checksum is wrong counts as missing, and its runs are made again. Results that cannot be written, for
    instance to a full disk, are kept in memory.

    Attributes:
        folder: of the store.

    Raises `PenstockError` if the folder cannot be used, or holds the results of a version that this one cannot read.

    """

    def __init__(self, folder: str | Path | None = None) -> None:
        super().__init__()
        self.folder = default_folder() if folder is None else Path(folder)
        try:
            self._open()
        except OSError as error:
            raise PenstockError(f"the store {self.folder} cannot be used: {error}") from None
        self.claims = self.folder / "claims"
        self._forget()
        self.refresh()

    def _forget(self) -> None:
        self._index: dict[str, dict[int, Path]] = {}
        self._known: set[str] = set()
        # By scenario: the studies that have made runs, and by study the last seed of those that it has labelled.
        self._makers: dict[str, set[str]] = {}
        self._labelled: dict[str, dict[str, int]] = {}

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        head = self.folder / "store.json"
        if not head.exists():
            if (self.folder / OLD_FILE).exists():
                raise PenstockError(
                    f"the store {self.folder} holds results of an earlier version of penstock ({OLD_FILE}), which this"
                    " one does not read; name another folder with --store"
                )
            write_text(head, json.dumps({"format": FORMAT, "penstock": _native.version}) + "\n")
        try:
            found = json.loads(head.read_text(encoding="utf-8"))
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise PenstockError(f"the store {self.folder} has a format that this version of penstock does not read")
        for name in ("runs", "scenarios", "sums", "claims", "labels", "orders", "studies"):
            (self.folder / name).mkdir(exist_ok=True)
        for left in self.folder.glob("*/.*.tmp"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > ABANDONED_S:
                    left.unlink()

    def refresh(self) -> None:
        """Take note of parts that other processes have added."""
        import duckdb

        sums: dict[str, set[str]] = {}
        for entry in (self.folder / "sums").iterdir():
            name, _, checksum = entry.name.partition(".")
            sums.setdefault(name, set()).add(checksum)
        for file in sorted((self.folder / "runs").glob("*.parquet")):
            if file.stem not in self._known:
                self._known.add(file.stem)
                self._add(file, sums.get(file.stem, set()))
        for file in sorted((self.folder / "labels").glob("*.parquet")):
            if file.name not in self._known:
                self._known.add(file.name)
                with suppress(OSError, duckdb.Error):
                    self._note_labels(part.labelled(file))

    def _add(self, file: Path, sums: set[str]) -> None:
        import duckdb

        with suppress(OSError, duckdb.Error):
            if _checksum(file) in sums:
                runs = part.runs(file)
                for scenario, seed, _ in runs:
                    self._index.setdefault(scenario, {}).setdefault(seed, file)
                for scenario, _, study in runs:
                    self._makers.setdefault(scenario, set()).add(study)

    def _note_labels(self, found: Iterable[tuple[str, str, int]]) -> None:
        for scenario, study, last_seed in found:
            known = self._labelled.setdefault(scenario, {})
            known[study] = max(last_seed, known.get(study, last_seed))

    def has_labels(self, scenario: str, study: str, seeds: range) -> bool:
        """Whether all these runs have the labels of a study, as far as they have a result."""
        others = self._makers.get(scenario, set()) - {study}
        return not others or self._labelled.get(scenario, {}).get(study, -1) >= seeds[-1]

    def put_labels(self, cells: Sequence[Labelled]) -> None:
        """Keep the labels that a study gives to runs which another one has made."""
        import duckdb

        if not cells:
            return
        named = "\n".join(sorted(f"{cell.study}:{cell.scenario}:{cell.seeds[-1]}" for cell in cells))
        target = self.folder / "labels" / f"{hashlib.blake2b(named.encode(), digest_size=16).hexdigest()}.parquet"
        try:
            with _renamed(target) as temporary:
                part.write_labels(cells, temporary)
        except (OSError, duckdb.Error) as error:
            self.problem = f"labels could not be stored in {self.folder}: {error}"
            return
        self._known.add(target.name)
        self._note_labels((cell.scenario, cell.study, cell.seeds[-1]) for cell in cells)

    def put_order(self, study: str, names: order.Order) -> None:
        """Keep the order in which a study lists the names on its axes; those that it listed before follow."""
        known = order.read_order(self.folder, study)
        names = order.merged([names, known])
        if names != known:
            with suppress(OSError), _renamed(order.file_of(self.folder, study)) as temporary:
                temporary.write_text(order.text_of(study, names), encoding="utf-8")

    def has(self, scenario: str, seed: int) -> bool:
        """Whether a run has a result."""
        return seed in self._index.get(scenario, ()) or super().has(scenario, seed)

    def has_part(self, name: str) -> bool:
        """Whether another process has added a part of this name."""
        return name not in self._known and self._file(name).exists()

    def _file(self, name: str) -> Path:
        return self.folder / "runs" / f"{name}.parquet"

    def put(self, rows: Sequence[Row], scenarios: Mapping[str, str]) -> None:
        """Keep results as one part; in memory if they cannot be written, with the reason in `problem`."""
        import duckdb

        name = part_name((row.scenario, row.seed) for row in rows)
        try:
            self._write_scenarios({key: text for key, text in scenarios.items() if key not in self._index})
            file = self._write(name, rows)
        except (OSError, duckdb.Error) as error:
            super().put(rows, scenarios)
            self.problem = f"{len(self._rows)} results could not be stored in {self.folder}: {error}"
            return
        self._known.add(name)
        for row in rows:
            self._index.setdefault(row.scenario, {}).setdefault(row.seed, file)
            self._makers.setdefault(row.scenario, set()).add(row.study)

    def _write(self, name: str, rows: Sequence[Row]) -> Path:
        target = self._file(name)
        with _renamed(target) as temporary:
            part.write(rows, temporary)
            (self.folder / "sums" / f"{name}.{_checksum(temporary)}").touch()
        return target

    def _write_scenarios(self, texts: Mapping[str, str]) -> None:
        if texts:
            name = hashlib.blake2b("".join(sorted(texts)).encode(), digest_size=16).hexdigest()
            target = self.folder / "scenarios" / f"{name}.parquet"
            if not target.exists():
                with _renamed(target) as temporary:
                    part.write_scenarios(texts, temporary)

    def scenarios(self, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The resolved scenarios by their content addresses."""
        keys = list(wanted)
        return {**part.read_scenarios(self.folder / "scenarios", keys), **super().scenarios(keys)}

    def get(
        self,
        scenarios: Iterable[str],
        metrics: Collection[str] | None = None,
    ) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """See `Results.get`."""
        wanted = list(scenarios)
        files: dict[Path, list[str]] = {}
        for scenario in wanted:
            for file in dict.fromkeys(self._index.get(scenario, {}).values()):
                files.setdefault(file, []).append(scenario)
        while files:
            file, known = next(iter(files.items()))
            if not file.exists():
                # Another process has merged it with others.
                self._forget()
                self.refresh()
                yield from self.get({scenario for later in files.values() for scenario in later}, metrics)
                return
            del files[file]
            for scenario, seed, result in part.read(file, known, metrics):
                if self._index[scenario].get(seed) == file:
                    yield scenario, seed, result
        yield from super().get(wanted, metrics)

    def compact(self) -> None:
        """Merge small parts if there are many and no other process makes runs."""
        import duckdb

        if any((self.folder / "claims").iterdir()):
            return
        with suppress(OSError, duckdb.Error):
            merged = list(compaction.groups(self._files()))
            for files in merged:
                name = part_name((scenario, seed) for file in files for scenario, seed, _ in part.runs(file))
                with _renamed(self._file(name)) as temporary:
                    part.merge(files, temporary)
                    (self.folder / "sums" / f"{name}.{_checksum(temporary)}").touch()
                # For a moment a reader sees these runs twice, but never none of them.
                for file in files:
                    file.unlink(missing_ok=True)
                    for checksum in (self.folder / "sums").glob(f"{file.stem}.*"):
                        checksum.unlink(missing_ok=True)
            if merged:
                self._forget()
                self.refresh()

    def _files(self) -> list[Path]:
        """The parts that are whole."""
        return sorted({file for seeds in self._index.values() for file in seeds.values()})


@contextmanager
def _renamed(target: Path) -> Iterator[Path]:
    """Yields a temporary path beside `target`, renamed to it at the end: other processes see the whole file or none."""
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _checksum(file: Path) -> str:
    """CRC-32 of a file."""
    checksum = 0
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return f"{checksum:08x}"
