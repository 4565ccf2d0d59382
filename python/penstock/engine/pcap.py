"""Captures of links: the assignment of links to pcap files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError, did_you_mean
from penstock.files import FileError, atomic_replacement

__all__ = ["Capture", "captures_of_links", "write_when_complete"]

REVERSE = ".reverse"


@dataclass(frozen=True)
class Capture:
    """A pcap file, and the numbers of the link directions whose packets it contains."""

    file: Path
    links: list[int]


def split_pcap_option(option: str) -> tuple[str | None, str]:
    """Link and file of `NAME=FILE`; None and the file of `FILE`, which means the watched link."""
    name, equals, file = option.partition("=")
    if not equals:
        return None, option
    if not file:
        raise PenstockError(f"--pcap {option}: a file name must follow =")
    return name, file


def captures_of_links(links: Sequence[Mapping[str, Any]], wanted: Sequence[tuple[str | None, Path]]) -> list[Capture]:
    """Both directions of each wanted `(link, file)`; `links` are those of the scenario in canonical form."""
    numbers: dict[str, list[int]] = {}
    for number, link in enumerate(links):
        numbers.setdefault(link["name"].removesuffix(REVERSE), []).append(number)
    result: list[Capture] = []
    for name, file in wanted:
        named = _only_watched(links, file) if name is None else name.removesuffix(REVERSE)
        if named not in numbers:
            raise PenstockError(f'--pcap {name}={file}: there is no link "{name}"{did_you_mean(named, numbers)}')
        if any(capture.file == file for capture in result):
            raise PenstockError(f"--pcap {file}: this file is named twice")
        result.append(Capture(file, numbers[named]))
    return result


def _only_watched(links: Sequence[Mapping[str, Any]], file: Path) -> str:
    names: list[str] = [link["name"].removesuffix(REVERSE) for link in links if link["watch"]]
    watched = list(dict.fromkeys(names))
    if len(watched) == 1:
        return watched[0]
    number = f"{len(watched)} links are watched ({', '.join(watched[:5])})" if watched else "no link is watched"
    raise PenstockError(f"--pcap {file}: {number}; name one: --pcap NAME={file}")


@contextmanager
def write_when_complete(captures: Sequence[Capture]) -> Iterator[list[tuple[Path, list[int]]]]:
    """The paths to write to, with the links of each. The files are replaced only when all of them are complete."""
    try:
        with ExitStack() as stack:
            yield [(stack.enter_context(atomic_replacement(capture.file)), capture.links) for capture in captures]
    except FileError as error:
        raise FileError(f"--pcap {error}") from None
