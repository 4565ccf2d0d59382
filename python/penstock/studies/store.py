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
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.engine.run import cores
from penstock.errors import PenstockError
from penstock.studies import compaction, order, part, shared_file
from penstock.studies.part import Runs
from penstock.studies.seeds import Seeds

__all__ = ["Results", "Store", "default_folder", "part_name"]

FORMAT = 1

ABANDONED_S = 86_400.0
"""Age of a temporary file whose process was killed."""

OLD_FILE = "results.sqlite"


def default_folder() -> Path:
    """The default folder of results: `penstock/runs` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "penstock" / "runs"


def part_name(cells: Iterable[tuple[str, Iterable[int]]]) -> str:
    """The name of the part with these runs: scenarios, each with seeds."""
    runs: dict[str, Seeds] = {}
    for scenario, seeds in cells:
        runs.setdefault(scenario, Seeds()).add(seeds)
    listed = "\n".join(sorted(f"{scenario}:{[*seeds.ranges()]}" for scenario, seeds in runs.items()))
    return _digest(listed)


class _Memory:
    """The content of a part that is in no file."""

    def __init__(self, content: bytes) -> None:
        self.content = content


class Results:
    """Results in memory, by scenario and seed.

    Attributes:
        problem: why results could not be written, empty if all were.
        claims: the folder of claims; None if no other process uses these results.

    """

    problem = ""
    claims: Path | None = None

    def __init__(self) -> None:
        # By scenario: the parts that have its runs, each run in one of them.
        self._index: dict[str, dict[Path | _Memory, Seeds]] = {}
        self._scenarios: dict[str, str] = {}

    def has(self, scenario: str, seed: int) -> bool:
        """Whether a run has a result."""
        return not self.missing(scenario, [seed])

    def missing(self, scenario: str, seeds: Iterable[int]) -> tuple[int, ...]:
        """Those of these seeds whose run has no result."""
        for known in self._index.get(scenario, {}).values():
            seeds = known.missing(seeds)
        return tuple(seeds)

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

    def put_labels(self, cells: Sequence[Runs]) -> None:
        """Keep the labels that a study gives to runs which another one has made."""

    def put_order(self, study: str, names: order.Order) -> None:
        """Keep the order in which a study lists the names on its axes."""

    def put(self, runs: Sequence[Runs], content: bytes, scenarios: Mapping[str, str]) -> None:
        """Keep the part with these runs, whose results are its content.

        `scenarios` are the resolved scenarios as JSON, by content address.
        """
        source = _Memory(content)
        for entry in runs:
            self._note(source, entry.scenario, entry.seeds)
        self._scenarios.update(scenarios)

    def _note(self, source: Path | _Memory, scenario: str, seeds: Sequence[int]) -> None:
        """Take note of the runs of a part that are in no other one."""
        if new := self.missing(scenario, seeds):
            self._index.setdefault(scenario, {}).setdefault(source, Seeds()).add(new)

    def scenarios(self, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The resolved scenarios by their content addresses."""
        return {key: json.loads(self._scenarios[key]) for key in wanted if key in self._scenarios}

    def get(
        self,
        scenarios: Iterable[str],
        metrics: Collection[str] | None = None,
    ) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """The runs of these scenarios, in no order: scenario, seed, and the result as plain values.

        Only the metrics of these names are read if some are given.
        """
        wanted = self._sources(scenarios)
        while wanted:
            source, known = wanted.popitem()
            if isinstance(source, Path) and not source.exists():
                # Another process has merged it with others.
                self.refresh()
                wanted = self._sources({*known, *(scenario for later in wanted.values() for scenario in later)})
                continue
            content = source.content if isinstance(source, _Memory) else source
            for scenario, seed, result in part.read(content, known, metrics):
                if seed in known[scenario]:
                    yield scenario, seed, result

    def _sources(self, scenarios: Iterable[str]) -> dict[Path | _Memory, dict[str, Seeds]]:
        """The parts that have runs of these scenarios, with these runs."""
        found: dict[Path | _Memory, dict[str, Seeds]] = {}
        for scenario in scenarios:
            for source, seeds in self._index.get(scenario, {}).items():
                found.setdefault(source, {})[scenario] = seeds
        return found


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
        """Forget all that is in files."""
        for scenario, sources in list(self._index.items()):
            self._index[scenario] = {source: seeds for source, seeds in sources.items() if isinstance(source, _Memory)}
        self._known: set[str] = set()
        self._known_labels: set[str] = set()
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
            shared_file.write(head, (json.dumps({"format": FORMAT, "penstock": _native.version}) + "\n").encode())
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
        sums = self._sums()
        files = {file.stem: file for file in sorted((self.folder / "runs").glob("*.parquet"))}
        if not self._known <= files.keys():
            # Another process has merged them with others.
            self._forget()
        for name, file in files.items():
            if name not in self._known:
                self._known.add(name)
                self._add(file, sums.get(name, set()))
        for file in sorted((self.folder / "labels").glob("*.parquet")):
            if file.name not in self._known_labels:
                self._known_labels.add(file.name)
                with suppress(OSError):
                    self._note_labels(part.labelled(file))

    def _sums(self) -> dict[str, set[str]]:
        """The checksums of each part, by its name: several if processes wrote it with other processor times."""
        found: dict[str, set[str]] = {}
        for entry in (self.folder / "sums").iterdir():
            name, _, checksum = entry.name.partition(".")
            found.setdefault(name, set()).add(checksum)
        return found

    def _add(self, file: Path, sums: set[str]) -> None:
        with suppress(OSError):
            if _checksum(file.read_bytes()) in sums:
                for scenario, study, seeds in part.runs(file):
                    self._note(file, scenario, seeds)
                    self._makers.setdefault(scenario, set()).add(study)

    def _note_labels(self, found: Iterable[tuple[str, str, int]]) -> None:
        for scenario, study, last_seed in found:
            known = self._labelled.setdefault(scenario, {})
            known[study] = max(last_seed, known.get(study, last_seed))

    def has_labels(self, scenario: str, study: str, seeds: range) -> bool:
        """Whether all these runs have the labels of a study, as far as they have a result."""
        others = self._makers.get(scenario, set()) - {study}
        return not others or self._labelled.get(scenario, {}).get(study, -1) >= seeds[-1]

    def put_labels(self, cells: Sequence[Runs]) -> None:
        """Keep the labels that a study gives to runs which another one has made."""
        if not cells:
            return
        named = "\n".join(sorted(f"{cell.study}:{cell.scenario}:{cell.seeds[-1]}" for cell in cells))
        target = self.folder / "labels" / f"{_digest(named)}.parquet"
        try:
            shared_file.write(target, part.labels_content(cells))
        except OSError as error:
            self.problem = f"labels could not be stored in {self.folder}: {error}"
            return
        self._known_labels.add(target.name)
        self._note_labels((cell.scenario, cell.study, cell.seeds[-1]) for cell in cells)

    def put_order(self, study: str, names: order.Order) -> None:
        """Keep the order in which a study lists the names on its axes; those that it listed before follow."""
        known = order.read_order(self.folder, study)
        names = order.merged([names, known])
        if names != known:
            with suppress(OSError):
                shared_file.write(order.file_of(self.folder, study), order.text_of(study, names).encode())

    def has_part(self, name: str) -> bool:
        """Whether another process has added a part of this name."""
        return name not in self._known and self._file(name).exists()

    def _file(self, name: str) -> Path:
        return self.folder / "runs" / f"{name}.parquet"

    def put(self, runs: Sequence[Runs], content: bytes, scenarios: Mapping[str, str]) -> None:
        """Keep a part; in memory if it cannot be written, with the reason in `problem`."""
        name = part_name((entry.scenario, entry.seeds) for entry in runs)
        file = self._file(name)
        try:
            self._write_scenarios({key: text for key, text in scenarios.items() if key not in self._makers})
            (self.folder / "sums" / f"{name}.{_checksum(content)}").touch()
            shared_file.write(file, content)
        except OSError as error:
            super().put(runs, content, scenarios)
            self.problem = f"{self._in_memory()} results could not be stored in {self.folder}: {error}"
            return
        self._known.add(name)
        for entry in runs:
            self._note(file, entry.scenario, entry.seeds)
            self._makers.setdefault(entry.scenario, set()).add(entry.study)

    def _in_memory(self) -> int:
        parts = (entry for sources in self._index.values() for entry in sources.items())
        return sum(len(seeds) for source, seeds in parts if isinstance(source, _Memory))

    def _write_scenarios(self, texts: Mapping[str, str]) -> None:
        if texts:
            target = self.folder / "scenarios" / f"{_digest(''.join(sorted(texts)))}.parquet"
            if not target.exists():
                shared_file.write(target, part.scenarios_content(texts))

    def scenarios(self, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The resolved scenarios by their content addresses."""
        keys = list(wanted)
        return {**part.read_scenarios(self.folder / "scenarios", keys), **super().scenarios(keys)}

    def compact(self) -> None:
        """Merge small parts if there are many and no other process makes runs."""
        if any((self.folder / "claims").iterdir()):
            return
        with suppress(OSError), ThreadPoolExecutor(cores()) as threads:
            runs = {file: found for file, found in self._sources(self._index).items() if isinstance(file, Path)}
            groups = list(compaction.groups({file: sum(map(len, found.values())) for file, found in runs.items()}))
            merged = [{file: runs[file] for file in files} for files in groups]
            for parts, target in zip(merged, threads.map(self._merged, merged), strict=True):
                self._replace(parts, target)

    def _merged(self, parts: Mapping[Path, Mapping[str, Seeds]]) -> Path:
        """Write a part with the rows of these, which are given with their runs."""
        target = self._file(part_name(_cells(parts)))
        with shared_file.renamed(target) as temporary:
            part.merge(list(parts), temporary)
            (self.folder / "sums" / f"{target.stem}.{_checksum(temporary.read_bytes())}").touch()
        return target

    def _replace(self, parts: Mapping[Path, Mapping[str, Seeds]], target: Path) -> None:
        """Remove parts whose rows another one has. For a moment a reader sees these twice, but never none of them."""
        sums = self._sums()
        for file, runs in parts.items():
            file.unlink(missing_ok=True)
            for checksum in sums.get(file.stem, ()):
                (self.folder / "sums" / f"{file.stem}.{checksum}").unlink(missing_ok=True)
            self._known.discard(file.stem)
            for scenario in runs:
                del self._index[scenario][file]
        self._known.add(target.stem)
        for scenario, seeds in _cells(parts):
            self._note(target, scenario, seeds)


def _cells(parts: Mapping[Path, Mapping[str, Seeds]]) -> list[tuple[str, range]]:
    """The runs of parts: scenarios, each with consecutive seeds."""
    found = [entry for runs in parts.values() for entry in runs.items()]
    return [(scenario, each) for scenario, seeds in found for each in seeds.ranges()]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _checksum(content: bytes) -> str:
    """CRC-32 of the content of a file."""
    return f"{zlib.crc32(content):08x}"
