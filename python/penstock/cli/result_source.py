"""The source of `penstock results`: a store, or the JSON of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import PenstockError
from penstock.files import read_json

if TYPE_CHECKING:
    from penstock.studies.runs import Runs

__all__ = ["ResultSource", "not_a_result_error"]


@dataclass(frozen=True)
class ResultSource:
    """A store, or a file that another verb wrote with `--json`.

    Attributes:
        name: as given; None for the default store.
        study: the study to read, if the store has several.
        where: texts `PATH=VALUE` that select runs of a store.
        margin: the margin of conclusions about the runs of a store; a result file has its own.

    """

    name: str | None
    study: str | None
    where: Sequence[str]
    margin: float

    @property
    def file(self) -> Path | None:
        """The file with a result; None for a store."""
        if not self.name or Path(self.name).is_dir():
            return None
        path = Path(self.name)
        return path if path.suffix == ".json" or path.is_file() else None

    def check(self) -> None:
        """Raise `PenstockError` if options for stores are given with a result file."""
        from penstock.results.conclusion import MARGIN

        if self.file is not None and (self.study is not None or self.where):
            option = "--study" if self.study is not None else "--where"
            raise PenstockError(f"{option}: applies to stores only; {self.file} is a result file")
        if self.file is not None and self.margin != MARGIN:
            raise PenstockError(f"--margin: {self.file} is a result with its own margin; use a store")

    def store(self, option: str) -> str | None:
        """The folder of the store. Raises `PenstockError` for a file, which `option` cannot read."""
        if self.file is not None:
            raise PenstockError(f"{option}: applies to stores only; {self.file} is a result file")
        return self.name

    def read(self) -> dict[str, Any]:
        """The result in the file, or the chosen runs of a store as a comparison."""
        return self._chosen[0].to_dict() if self.file is None else _of_file(self.file)

    def script(self) -> str:
        """The shell script that repeats the chosen runs of a store; empty for a file, or without a record."""
        from penstock.studies.repeat import recorded_script

        if self.file is not None:
            return ""
        runs, study, folder = self._chosen
        return recorded_script(folder, study, runs.design, len(runs.seeds))

    @cached_property
    def _chosen(self) -> tuple[Runs, str, Path]:
        """The chosen runs of a store, their study and the folder."""
        from penstock.studies.database import Database
        from penstock.studies.store_table import StoreTable, parse_choices
        from penstock.studies.stored_runs import stored_runs

        with Database(self.name) as database:
            table = StoreTable(database, self.study, parse_choices(self.where))
            return stored_runs(table).with_margin(self.margin), table.study, database.folder


def _of_file(file: Path) -> dict[str, Any]:
    """The result in a file: of a run, with `links` and `traffic`; of a comparison, with `rows`."""
    try:
        answer = read_json(file)
    except OSError as error:
        raise PenstockError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise not_a_result_error(file, "it is not JSON") from None
    if not isinstance(answer, Mapping):
        raise not_a_result_error(file, "it is not an object")
    needed = ("scenario", *(("rows",) if "rows" in answer else ("links", "traffic")))
    if missing := [key for key in needed if key not in answer]:
        raise not_a_result_error(file, f"it has no {', '.join(missing)}")
    return dict(answer)


def not_a_result_error(file: Path | str | None, reason: str) -> PenstockError:
    """The error of a file that has no result."""
    return PenstockError(f"{file}: not the JSON that run or compare writes with --json ({reason})")
