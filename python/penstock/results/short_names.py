"""Columns named by the end of their path: `delay_mean_s` for `links.bottleneck.delay_mean_s`, if only one fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from penstock.errors import PenstockError, UnknownNameError

__all__ = ["AmbiguousNameError", "full_name", "paths_ending_with"]

MAX_PATHS = 12
"""Maximum number of paths that a message lists in full; if there are more, it lists their last parts."""


class AmbiguousNameError(PenstockError):
    """A short name that several columns end with."""

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        listed = ", ".join(candidates[:20]) + (", ..." if len(candidates) > 20 else "")
        super().__init__(f'"{name}" may be any of {len(candidates)} columns; name one of: {listed}')


def paths_ending_with(name: str, names: Iterable[str]) -> list[str]:
    """The known paths that are `name` or end with it after a dot; the path `name` alone if it is known.

    >>> paths_ending_with("loss_rate", ["links.a.loss_rate", "traffic.b.loss_rate", "links.a.burst_loss_rate"])
    ['links.a.loss_rate', 'traffic.b.loss_rate']
    >>> paths_ending_with("a.loss_rate", ["links.a.loss_rate", "traffic.b.loss_rate"])
    ['links.a.loss_rate']
    """
    paths = list(names)
    return [name] if name in paths else [path for path in paths if path.endswith(f".{name}")]


def full_name(kind: str, name: str, names: Iterable[str]) -> str:
    """The only path in `names` that equals `name` or ends with it.

    Raises `UnknownNameError`, with the nearest name, if there is none, and `AmbiguousNameError` if there are several.

    >>> full_name("metric", "jain", ["links.a.jain", "links.a.drops"])
    'links.a.jain'
    """
    paths = list(names)
    matches = paths_ending_with(name, paths)
    if len(matches) > 1:
        raise AmbiguousNameError(name, matches)
    if not matches:
        # A mistyped short name is near to the end of a path, not to the whole path.
        ends = [path.split(".", skip)[-1] for path in paths for skip in range(1, path.count(".") + 1)]
        listed = paths if len(paths) <= MAX_PATHS else dict.fromkeys(path.rpartition(".")[2] for path in paths)
        raise UnknownNameError(kind, name, listed, [*paths, *ends])
    return matches[0]
