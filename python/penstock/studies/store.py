"""The store of results: a folder of Parquet files. Nothing is computed twice, and an interrupted study can be resumed.

    store.json            the format
    runs/NAME.parquet     parts: a row a run, with labels, seed, scenario and every metric as columns
    scenarios/*.parquet   the resolved scenarios by their content addresses
    sums/NAME.CRC         an empty file for each Parquet file; its name contains the checksum
    claims/NAME           the process that makes the runs of a part at this moment
    labels/*.parquet      labels that a study gives to runs which another one has made
    orders/*.json         the order in which a study lists the names on its axes, such as its schemes
    studies/NAME/         studies from files, as they were run last
    comparisons/NAME/     scenarios and AQMs of comparisons, for their pages
    pilots/               a store of pilot runs, which determine warm-ups

A part is written under another name and renamed into place, so every part that exists is complete. Its name is the hash
of its runs: two processes that execute the same runs write the same part, and there are no locks.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _native
from penstock.engine.run import core_count
from penstock.errors import PenstockError
from penstock.files import atomic_replacement, read_bytes, read_json, write_bytes
from penstock.studies import checksum_files, compaction, order, part
from penstock.studies.part import CellRuns
from penstock.studies.seeds import SeedSet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RunResults", "Store", "default_store_folder", "part_name", "store_folder"]

FORMAT = 1

ABANDONED_S = 86_400.0
"""Age of a temporary file whose process was killed."""

OLD_FILE = "results.sqlite"


def default_store_folder() -> Path:
    """The default folder of results: `penstock/runs` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "penstock" / "runs"


def store_folder(store: str | Path | None) -> Path:
    """The folder of a store, by default that in the user's cache folder. Raises `PenstockError` for an empty name."""
    if store == "":
        raise PenstockError(
            "--store: the name of the folder is empty; omit --store to use the store in the user's cache folder"
        )
    return default_store_folder() if store is None else Path(store)


def part_name(cells: Iterable[tuple[str, Iterable[int]]]) -> str:
    """The name of the part with these runs: scenarios, each with seeds."""
    runs: dict[str, SeedSet] = {}
    for scenario, seeds in cells:
        runs.setdefault(scenario, SeedSet()).add(seeds)
    listed = "\n".join(sorted(f"{scenario}:{[*seeds.ranges()]}" for scenario, seeds in runs.items()))
    return _digest(listed)


class _Memory:
    """The content of a part that is in no file."""

    def __init__(self, content: bytes) -> None:
        self.content = content


class RunResults:
    """Results in memory, by scenario and seed.

    Attributes:
        problem: why results could not be written, empty if all were.
        claims: the folder of claims; None if no other process uses these results.

    """

    problem = ""
    claims: Path | None = None

    def __init__(self) -> None:
        # By scenario: the parts that have its runs, each run in one of them.
        self._index: dict[str, dict[Path | _Memory, SeedSet]] = {}
        self._scenarios: dict[str, str] = {}

    @cached_property
    def pilots(self) -> RunResults:
        """The pilot runs (`penstock.studies.pilots`), apart from all other runs."""
        return RunResults()

    def has(self, scenario: str, seed: int) -> bool:
        """Whether a run has a result."""
        return not self.missing(scenario, [seed])

    def missing(self, scenario: str, seeds: Iterable[int]) -> tuple[int, ...]:
        """The seeds among these whose runs have no result."""
        for stored in self._index.get(scenario, {}).values():
            seeds = stored.missing(seeds)
        return tuple(seeds)

    def has_part(self, name: str) -> bool:
        """Whether another process has added a part of this name."""
        return False

    def refresh(self) -> None:
        """Record results that other processes have added."""

    def compact(self) -> None:
        """Merge small parts; there are none in memory."""

    def has_labels(self, scenario: str, study: str, seeds: range) -> bool:
        """Whether all these runs have the labels of a study, as far as they have a result. In memory there are none."""
        return True

    def record_reused_runs(self, cells: Sequence[CellRuns]) -> None:
        """Record the labels of a study for runs that the store already has from another study."""

    def put_order(self, study: str, names: order.Order) -> None:
        """Keep the order in which a study lists the names on its axes."""

    def put(self, runs: Sequence[CellRuns], content: bytes, scenarios: Mapping[str, str]) -> None:
        """Keep the part with these runs, whose results are its content.

        `scenarios` are the resolved scenarios as JSON, by content address.
        """
        source = _Memory(content)
        for entry in runs:
            self._note(source, entry.scenario_key, entry.seeds)
        self._scenarios.update(scenarios)

    def _note(self, source: Path | _Memory, scenario: str, seeds: Sequence[int]) -> None:
        """Record the runs of a part that are in no other part."""
        if new := self.missing(scenario, seeds):
            self._index.setdefault(scenario, {}).setdefault(source, SeedSet()).add(new)

    def scenarios(self, addresses: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The resolved scenarios by their content addresses."""
        return {key: json.loads(self._scenarios[key]) for key in addresses if key in self._scenarios}

    def get(
        self, scenarios: Iterable[str], metrics: Collection[str] | None = None
    ) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """The runs of these scenarios, in no order: scenario, seed, and the result as plain values.

        Only the metrics of these names are read if some are given.
        """
        for content, seeds_of in self._contents(scenarios):
            for scenario, seed, result in part.read_runs(content, seeds_of, metrics):
                if seed in seeds_of[scenario]:
                    yield scenario, seed, result

    def tables(self, scenarios: Iterable[str]) -> Iterator[pa.Table]:
        """The runs of these scenarios as tables with the columns of their parts; each run once, in arbitrary order."""
        for content, seeds_of in self._contents(scenarios):
            table = part.read_table(content, seeds_of)
            runs = zip(table["scenario"].to_pylist(), table["seed"].to_pylist(), strict=True)
            yield table.filter([seed in seeds_of[scenario] for scenario, seed in runs])

    def _contents(self, scenarios: Iterable[str]) -> Iterator[tuple[Path | bytes, dict[str, SeedSet]]]:
        """The parts with runs of these scenarios, as files or contents, each with the runs to be read from it."""
        sources = self._sources(scenarios)
        while sources:
            source, seeds_of = sources.popitem()
            if isinstance(source, Path) and not source.exists():
                # Another process has merged it with others.
                self.refresh()
                sources = self._sources({*seeds_of, *(scenario for later in sources.values() for scenario in later)})
                continue
            yield source.content if isinstance(source, _Memory) else source, seeds_of

    def _sources(self, scenarios: Iterable[str]) -> dict[Path | _Memory, dict[str, SeedSet]]:
        """The parts that have runs of these scenarios, with these runs."""
        sources: dict[Path | _Memory, dict[str, SeedSet]] = {}
        for scenario in scenarios:
            for source, seeds in self._index.get(scenario, {}).items():
                sources.setdefault(source, {})[scenario] = seeds
        return sources


class Store(RunResults):
    """Results in a folder. Several processes may use it at the same time.

    A part whose checksum is wrong counts as missing, with a warning, and its runs are executed again. Results that
    cannot be written, for instance to a full disk, are kept in memory.

    Attributes:
        folder: of the store.

    Raises `PenstockError` if the folder cannot be used, or holds the results of a version that this one cannot read.

    """

    def __init__(self, folder: str | Path | None = None) -> None:
        super().__init__()
        self.folder = store_folder(folder)
        try:
            self._open()
        except OSError as error:
            raise PenstockError(f"the store {self.folder} cannot be used: {error}") from None
        self.claims = self.folder / "claims"
        self._forget()
        self.refresh()

    @cached_property
    def pilots(self) -> RunResults:
        """The pilot runs, in a folder of the store."""
        return Store(self.folder / "pilots")

    def _forget(self) -> None:
        """Forget all that is in files."""
        for scenario, sources in list(self._index.items()):
            self._index[scenario] = {source: seeds for source, seeds in sources.items() if isinstance(source, _Memory)}
        self._indexed_parts: set[str] = set()
        self._indexed_labels: set[str] = set()
        # By scenario: the studies that have made runs, and by study the last seed of those that it has labelled.
        self._makers: dict[str, set[str]] = {}
        self._labelled: dict[str, dict[str, int]] = {}

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        head = self.folder / "store.json"
        if not head.exists():
            if (self.folder / OLD_FILE).exists():
                raise PenstockError(
                    f"the store {self.folder} holds results of an earlier version of penstock ({OLD_FILE}), which "
                    "this one does not read; name another folder with --store"
                )
            write_bytes(head, (json.dumps({"format": FORMAT, "penstock": _native.version}) + "\n").encode())
        try:
            document = read_json(head)
        except ValueError:
            document = None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise PenstockError(f"the store {self.folder} has a format that this version of penstock does not read")
        for name in ("runs", "scenarios", "sums", "claims", "labels", "orders", "studies"):
            (self.folder / name).mkdir(exist_ok=True)
        for temporary in self.folder.glob("*/.*.tmp"):
            with suppress(OSError):
                if time.time() - temporary.stat().st_mtime > ABANDONED_S:
                    temporary.unlink()

    def refresh(self) -> None:
        """Index the parts that other processes have added; warns about skipped parts."""
        files = {file.stem: file for file in sorted((self.folder / "runs").glob("*.parquet"))}
        labels = sorted((self.folder / "labels").glob("*.parquet"))
        checksums = checksum_files.recorded_checksums(
            self.folder
        )  # after listing the files: checksums are written before their files
        defects: dict[str, str] = {}
        if not self._indexed_parts <= files.keys():
            # Another process has merged them with others.
            self._forget()
        for name, file in files.items():
            if name not in self._indexed_parts:
                self._indexed_parts.add(name)
                if reason := self._add(file, checksums):
                    defects[f"runs/{file.name}"] = reason
        for file in labels:
            if file.name not in self._indexed_labels:
                self._indexed_labels.add(file.name)
                if reason := self._add_labels(file, checksums):
                    defects[f"labels/{file.name}"] = reason
        checksum_files.warn_of_defects(self.folder, defects, "and missing runs are made again")

    def _add(self, file: Path, checksums: checksum_files.Sums) -> str:
        """Index the runs of a part. Returns why it is skipped; empty if it is indexed, or no longer exists."""
        if reason := checksum_files.file_defect(file, checksums):
            return reason if file.exists() else ""
        try:
            runs = part.seed_ranges(file)
        except OSError as error:
            return str(error)
        for scenario, study, seeds in runs:
            self._note(file, scenario, seeds)
            self._makers.setdefault(scenario, set()).add(study)
        return ""

    def _add_labels(self, file: Path, checksums: checksum_files.Sums) -> str:
        """Index a file of labels. Returns why it is skipped; empty if it is indexed, or no longer exists."""
        if reason := checksum_files.file_defect(file, checksums):
            return reason if file.exists() else ""
        try:
            self._note_labels(part.labelled_scenarios(file))
        except OSError as error:
            return str(error)
        return ""

    def _note_labels(self, labels: Iterable[tuple[str, str, int]]) -> None:
        for scenario, study, last_seed in labels:
            last_seeds = self._labelled.setdefault(scenario, {})
            last_seeds[study] = max(last_seed, last_seeds.get(study, last_seed))

    def has_labels(self, scenario: str, study: str, seeds: range) -> bool:
        """Whether all these runs have the labels of a study, as far as they have a result."""
        others = self._makers.get(scenario, set()) - {study}
        return not others or self._labelled.get(scenario, {}).get(study, -1) >= seeds[-1]

    def record_reused_runs(self, cells: Sequence[CellRuns]) -> None:
        """Record the labels of a study for runs that the store already has from another study."""
        if not cells:
            return
        named = "\n".join(sorted(f"{cell.study}:{cell.scenario_key}:{cell.seeds[-1]}" for cell in cells))
        target = self.folder / "labels" / f"{_digest(named)}.parquet"
        content = part.labels_content(cells)
        try:
            checksum_files.record_checksum(self.folder, target.stem, content)
            write_bytes(target, content)
        except OSError as error:
            self.problem = f"labels could not be stored in {self.folder}: {error}"
            return
        self._indexed_labels.add(target.name)
        self._note_labels((cell.scenario_key, cell.study, cell.seeds[-1]) for cell in cells)

    def put_order(self, study: str, names: order.Order) -> None:
        """Keep the order in which a study lists the names on its axes; names that it listed before follow."""
        stored = order.read_order(self.folder, study)
        names = order.merge_orders([names, stored])
        if names != stored:
            with suppress(OSError):
                write_bytes(order.order_file(self.folder, study), order.order_text(study, names).encode())

    def has_part(self, name: str) -> bool:
        """Whether another process has added a part of this name."""
        return name not in self._indexed_parts and self._file(name).exists()

    def _file(self, name: str) -> Path:
        return self.folder / "runs" / f"{name}.parquet"

    def put(self, runs: Sequence[CellRuns], content: bytes, scenarios: Mapping[str, str]) -> None:
        """Keep a part; in memory if it cannot be written, with the reason in `problem`."""
        name = part_name((entry.scenario_key, entry.seeds) for entry in runs)
        file = self._file(name)
        try:
            self._write_scenarios({key: text for key, text in scenarios.items() if key not in self._makers})
            checksum_files.record_checksum(self.folder, name, content)
            write_bytes(file, content)
        except OSError as error:
            super().put(runs, content, scenarios)
            self.problem = f"{self._memory_result_count()} results could not be stored in {self.folder}: {error}"
            return
        self._indexed_parts.add(name)
        for entry in runs:
            self._note(file, entry.scenario_key, entry.seeds)
            self._makers.setdefault(entry.scenario_key, set()).add(entry.study)

    def _memory_result_count(self) -> int:
        parts = (entry for sources in self._index.values() for entry in sources.items())
        return sum(len(seeds) for source, seeds in parts if isinstance(source, _Memory))

    def _write_scenarios(self, texts: Mapping[str, str]) -> None:
        if texts:
            target = self.folder / "scenarios" / f"{_digest(''.join(sorted(texts)))}.parquet"
            if not target.exists() or checksum_files.file_defect(
                target, checksum_files.recorded_checksums(self.folder)
            ):
                content = part.scenarios_content(texts)
                checksum_files.record_checksum(self.folder, target.stem, content)
                write_bytes(target, content)

    def scenarios(self, addresses: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The resolved scenarios by their content addresses."""
        keys = list(addresses)
        files, _ = checksum_files.intact_files(self.folder, ["scenarios"])
        return {**part.read_scenarios(files["scenarios"], keys), **super().scenarios(keys)}

    def compact(self) -> None:
        """Merge small parts if there are many and no other process makes runs."""
        if any((self.folder / "claims").iterdir()):
            return
        with suppress(OSError), ThreadPoolExecutor(core_count()) as threads:
            runs = {file: seeds for file, seeds in self._sources(self._index).items() if isinstance(file, Path)}
            groups = list(
                compaction.mergeable_groups({file: sum(map(len, seeds.values())) for file, seeds in runs.items()})
            )
            merged = [{file: runs[file] for file in files} for files in groups]
            for parts, target in zip(merged, threads.map(self._merged, merged), strict=True):
                self._replace(parts, target)

    def _merged(self, parts: Mapping[Path, Mapping[str, SeedSet]]) -> Path:
        """Write a part with the rows of these parts, which are given with their runs."""
        target = self._file(part_name(_cells(parts)))
        with atomic_replacement(target) as temporary:
            part.merge_parts(list(parts), temporary)
            checksum_files.record_checksum(self.folder, target.stem, read_bytes(temporary))
        return target

    def _replace(self, parts: Mapping[Path, Mapping[str, SeedSet]], target: Path) -> None:
        """Remove parts whose rows are in another part.

        For a moment a reader sees these rows twice, but they are never missing.
        """
        checksums = checksum_files.recorded_checksums(self.folder)
        for file, runs in parts.items():
            file.unlink(missing_ok=True)
            for checksum in checksums.get(file.stem, ()):
                (self.folder / "sums" / f"{file.stem}.{checksum}").unlink(missing_ok=True)
            self._indexed_parts.discard(file.stem)
            for scenario in runs:
                del self._index[scenario][file]
        self._indexed_parts.add(target.stem)
        for scenario, seeds in _cells(parts):
            self._note(target, scenario, seeds)


def _cells(parts: Mapping[Path, Mapping[str, SeedSet]]) -> list[tuple[str, range]]:
    """The runs of parts: scenarios, each with consecutive seeds."""
    entries = [entry for runs in parts.values() for entry in runs.items()]
    return [(scenario, each) for scenario, seeds in entries for each in seeds.ranges()]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
