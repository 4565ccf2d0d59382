"""The head of a scenario: its name, its times, the seed, and the settings of real links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from penstock.scenario.resolve.part_cache import PartCache
from penstock.scenario.resolve.reader import REQUIRED, Table, parse_string, whole_number_parser
from penstock.scenario.resolve.real_settings import RealLinkSettings, read_real_settings
from penstock.scenario.resolve.resolved_tables import compact, sorted_text
from penstock.units import format_time, parse_time

__all__ = ["AUTO", "ScenarioHead", "read_head"]

AUTO = "auto"
"""A warm-up that a pilot run determines (`penstock.engine.warmup`)."""

KEYS = ("name", "duration", "warmup", "sampling", "seed", "links", "traffic", "workloads", "real")
TABLES = ("links", "traffic")


@dataclass(frozen=True, eq=False)
class ScenarioHead:
    """The keys of a scenario other than its links and traffic. Scenarios share it: change nothing in place.

    Attributes:
        canonical: the form for the engine; None stands for a value with an error. A warm-up that is to be determined
            is 0 here.
        readable: the form to show, without `real`.
        real: settings of real links.
        readable_real: these to show; empty without the table `real`.

    """

    canonical: dict[str, Any]
    readable: dict[str, Any]
    real: RealLinkSettings
    readable_real: dict[str, Any]

    @property
    def duration_ns(self) -> int | None:
        """The end of the run in ns; None after an error."""
        duration_ns: int | None = self.canonical["duration_ns"]
        return duration_ns

    @property
    def has_automatic_warmup(self) -> bool:
        """Whether the warm-up is "auto" and has not been determined."""
        return bool(self.readable["warmup"] == AUTO)

    @property
    def times_ns(self) -> tuple[int, int, int]:
        """Duration, warm-up and sampling in ns."""
        return self.canonical["duration_ns"], self.canonical["warmup_ns"], self.canonical["sampling_ns"]

    @cached_property
    def text(self) -> str:
        """The form for the engine as JSON."""
        return compact(self.canonical)

    @cached_property
    def content(self) -> tuple[str, str, str]:
        """The form to show as items of a JSON object with sorted keys: before, between and after links and traffic."""
        parts: tuple[dict[str, Any], ...] = ({}, {}, {})
        for key, value in (self.readable | ({"real": self.readable_real} if self.readable_real else {})).items():
            parts[sum(key > table for table in TABLES)][key] = value
        before, between, after = (sorted_text(part)[1:-1] for part in parts)
        return before, between, after


_HEADS: PartCache[ScenarioHead] = PartCache(1000)


def read_head(top: Table) -> ScenarioHead:
    """The head of a scenario, with its errors recorded."""
    values = {key: value for key, value in top.values.items() if key not in TABLES}
    return _HEADS.read(Table(top.errors, "", values), _read_head)


def _read_head(top: Table) -> ScenarioHead:
    top.check_keys(KEYS)
    name = top.parse_key("name", parse_string, "")
    duration = top.parse_key("duration", parse_time, REQUIRED, advice='such as duration = "100s"')
    warmup = top.parse_key("warmup", _warmup, 0)
    sampling = top.parse_key("sampling", parse_time, 10_000_000)
    seed = top.parse_key("seed", whole_number_parser(0, 2**63 - 1), 1)
    _check_clock(top, duration, warmup, sampling)
    real, readable_real = read_real_settings(top)
    times: Mapping[str, int | None] = {"duration": duration, "warmup": warmup, "sampling": sampling}
    canonical = {"name": name, **{f"{key}_ns": nanos for key, nanos in times.items()}}
    readable = {"name": name, **{key: _time(nanos) for key, nanos in times.items()}, "seed": seed}
    if top.values.get("warmup") == AUTO:
        readable["warmup"] = AUTO
    return ScenarioHead(canonical, readable, real, readable_real)


def _warmup(value: Any) -> int:
    return 0 if value == AUTO else parse_time(value)


def _check_clock(top: Table, duration: int | None, warmup: int | None, sampling: int | None) -> None:
    if duration == 0:
        top.add_error("duration", "must be above 0s")
    if duration and warmup is not None and warmup >= duration:
        top.add_error("warmup", f"must be below the duration ({format_time(duration)})")
    if sampling == 0:
        top.add_error("sampling", "must be above 0s")
    elif duration and sampling is not None and sampling > duration:
        top.add_error("sampling", f"must not exceed the duration ({format_time(duration)})")


def _time(nanos: int | None) -> str | None:
    return None if nanos is None else format_time(nanos)
