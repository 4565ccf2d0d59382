"""The requests of `compare`: schemes with their parameters, a sweep, a target precision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock import dialects
from penstock.aqms.catalog import complete_schemes
from penstock.aqms.queue import Queue
from penstock.errors import ErrorDetail, OptionOrigin, ScenarioError, append_errors_to
from penstock.results.display import scheme_argument
from penstock.scenario.document import read_toml_tree
from penstock.scenario.scheme_text import parse_scheme, parse_value, resolve_scheme_alias, split_at_commas
from penstock.units import parse_probability

__all__ = ["ALL", "Candidate", "Precision", "SchemeLike", "parse_sweep_option", "parse_sweep_options"]

ALL = "all"
"""Stands for every scheme whose parameters have defaults."""

SCHEME = OptionOrigin("--scheme", "schemes")
"""The origin of schemes in errors, unless a caller names another option."""


@dataclass(frozen=True)
class Candidate:
    """A scheme with its given parameters.

    Attributes:
        name: the scheme's name in the registry.
        params: the given parameters, as in a queue's table.
        origin: source of the name, for messages.
        origins: file and line of each parameter, if they come from a file.
        link_rate: the link's rate in bit/s in a text of another dialect, if any; the scenario's link keeps its own.
        lost_settings: settings in a text of another dialect that the parameters cannot express.

    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""
    origins: Mapping[str, str] = field(default_factory=dict)
    link_rate: float | None = None
    lost_settings: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """In the notation of `--scheme`: `red:gentle=true`."""
        return scheme_argument(self.name, self.params)

    @classmethod
    def parse(cls, text: str, origin: str | None = None) -> Candidate:
        """`NAME`, `NAME:key=value,...`, the same after `FILE.py:` for an AQM in Python, or `@FILE.toml` with a queue.

        After the name of a dialect, such as `tc: red limit 60000 min 5000 max 15000`, in its words.

        `origin` names the source of the text in errors, by default `--scheme`.
        """
        origin = origin or OptionOrigin.with_value(SCHEME, SCHEME.argument, text)
        if text.startswith("@"):
            return cls._from_file(text[1:], origin)
        dialect, colon, settings = text.partition(":")
        if colon and dialect.strip() in dialects.OTHERS:
            try:
                conversion = dialects.read(settings, dialect.strip())
            except dialects.DialectError as error:
                raise ScenarioError([ErrorDetail("", str(error), None, origin)]) from None
            lost = (*conversion.lost_settings, *conversion.link_lines)
            return cls(conversion.scheme, conversion.parameters, origin, link_rate=conversion.rate, lost_settings=lost)
        name, params = parse_scheme(text, origin)
        return cls(name, params, origin)

    @classmethod
    def _from_file(cls, path: str, origin: str) -> Candidate:
        tree, origins = read_toml_tree(path)
        params = dict(tree)
        name = params.pop("scheme", None)
        if not isinstance(name, str):
            raise ScenarioError(
                [ErrorDetail("scheme", 'is missing; name one, such as scheme = "red"', None, origins[""])]
            )
        return cls(resolve_scheme_alias(name, origin), params, origin, origins)

    @classmethod
    def from_scheme(cls, scheme: SchemeLike, option: OptionOrigin = SCHEME) -> Candidate:
        """From a text in the notation of `--scheme`, or a queue such as `Red(gentle=True)`. Raises `ScenarioError`.

        `option` is the origin of a text in errors.
        """
        if isinstance(scheme, Candidate):
            return scheme
        if isinstance(scheme, Queue):
            table = scheme.tree()
            return cls(table.pop("scheme"), table, repr(scheme))
        return cls.parse(scheme, OptionOrigin.with_value(option, option.argument, scheme))

    @classmethod
    def from_schemes(
        cls, schemes: SchemeLike | Iterable[SchemeLike], option: OptionOrigin = SCHEME
    ) -> tuple[Candidate, ...]:
        """The candidates for one or several schemes; `ALL` stands for all other schemes.

        Raises `ScenarioError` with all errors, also for a scheme that is given twice.
        """
        errors: list[ErrorDetail] = []
        candidates: dict[str, Candidate] = {}
        labels: set[str] = set()
        for scheme in [schemes] if isinstance(schemes, (str, Queue, Candidate)) else schemes:
            if scheme == ALL:
                candidates = candidates | {
                    entry.name: Candidate(entry.name) for entry in complete_schemes() if entry.name not in candidates
                }
                continue
            with append_errors_to(errors):
                candidate = cls.from_scheme(scheme, option)
                if candidate.label in labels:
                    errors.append(ErrorDetail("", "is given twice", None, candidate.origin))
                labels.add(candidate.label)
                candidates[candidate.label] = candidate
        if errors:
            raise ScenarioError(errors)
        if not candidates:
            message = "is missing; name at least one scheme, such as codel, or all"
            raise ScenarioError([ErrorDetail("", message, None, option)])
        return tuple(candidates.values())

    def queue_table(self, replaced: Mapping[str, Any]) -> dict[str, Any]:
        """The table of a queue with this scheme; it keeps `limit` and `share` of the replaced table, unless given."""
        inherited = {key: replaced[key] for key in ("limit", "share") if key in replaced}
        return {**inherited, "scheme": self.name, **self.params}


SchemeLike = Candidate | Queue | str
"""A scheme: a text as after `--scheme`, or a queue such as `Red(gentle=True)`."""


@dataclass(frozen=True)
class Precision:
    """A goal for `compare`: add runs until the half-width of every 95 % interval is a small fraction of the mean.

    The numbers of runs at which this is checked are planned in advance; the intervals are corrected for repeated
    checks.

    Attributes:
        metric: name of the metric, at the links whose queue is replaced.
        rel_error: maximum half-width as a fraction of the mean, above 0.
        max_runs: maximum number of runs of a scheme.

    """

    metric: str
    rel_error: float
    max_runs: int = 1000

    @classmethod
    def parse(cls, text: str) -> Precision:
        """`METRIC=1%`. Raises `ScenarioError`."""
        metric, sign, error = (part.strip() for part in text.partition("="))
        try:
            value = parse_probability(error) if "%" in error or "/" in error else parse_probability(float(error))
        except ValueError:
            value = 0.0
        if not sign or not metric or value <= 0:
            advice = "must have the form METRIC=1%, such as length_mean_pkts=1%"
            raise ScenarioError([ErrorDetail("", advice, None, f"--precision {text}")])
        return cls(metric, value)


def parse_sweep_option(text: str) -> tuple[str, list[Any]]:
    """`PATH=a,b,c` as the path and its values."""
    path, sign, values = text.partition("=")
    items = [parse_value(item.strip()) for item in split_at_commas(values)]
    if not sign or not path.strip() or not items:
        raise ScenarioError(
            [ErrorDetail("", "is not PATH=a,b,c, such as traffic.extra.count=0,25,50", None, f"--vary {text}")]
        )
    return path.strip(), items


def parse_sweep_options(texts: Iterable[str]) -> dict[str, list[Any]]:
    """All sweeps, by path. Raises `ScenarioError` with the errors of all of them."""
    errors: list[ErrorDetail] = []
    sweeps: dict[str, list[Any]] = {}
    for text in texts:
        try:
            path, values = parse_sweep_option(text)
        except ScenarioError as error:
            errors += error.errors
            continue
        if path in sweeps:
            errors.append(ErrorDetail(path, "is swept twice; give all its values in one sweep", None, "--vary"))
        sweeps[path] = values
    if errors:
        raise ScenarioError(errors)
    return sweeps
