"""The schemes of a comparison, and their names in tables, sentences and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.aqms.catalog import schemes as known_schemes
from penstock.results.display import scheme_argument, setting_text

__all__ = ["ComparedScheme", "compared_schemes"]


@dataclass(frozen=True)
class ComparedScheme:
    """A scheme with its given parameters.

    `suffix` distinguishes it from others of its name; `title` is its name in the literature with that suffix.
    """

    name: str
    params: Mapping[str, Any]
    suffix: str
    title: str

    @property
    def label(self) -> str:
        """The name for display, with the parameters that distinguish the scheme from others of the same name."""
        return f"{self.name} {self.suffix}".strip()

    @property
    def settings(self) -> str:
        """The given parameters: `max_p=0.2, gentle=true`."""
        return ", ".join(f"{key}={setting_text(value)}" for key, value in self.params.items())

    @property
    def argument(self) -> str:
        """The scheme as an argument of `--scheme`."""
        return scheme_argument(self.name, self.params)


def compared_schemes(candidates: Iterable[tuple[str, Mapping[str, Any]]]) -> list[ComparedScheme]:
    """These schemes, given as names with parameters, in the same order."""
    named = list(candidates)
    titles = {scheme.name: scheme.title for scheme in known_schemes()}
    schemes = []
    for name, params in named:
        rivals = [other for rival, other in named if rival == name]
        differing = [key for key in params if any(rival.get(key) != params[key] for rival in rivals)]
        suffix = ", ".join(key if params[key] is True else f"{key}={setting_text(params[key])}" for key in differing)
        title = titles.get(name, name)
        schemes.append(ComparedScheme(name, params, suffix, f"{title}, {suffix}" if suffix else title))
    return schemes
