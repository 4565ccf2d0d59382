"""The standard case: the measured schemes, their settings, and the results.

`make schemes` measures `scenarios/standard.toml` and writes `standard.json`, from which `penstock explain` and the
page that compares all schemes take their numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from penstock.aqms.catalog import Scheme, find_scheme, schemes
from penstock.results.display import round_to_digits
from penstock.studies.candidate import Candidate

__all__ = [
    "LOADS",
    "METRICS",
    "RUNS",
    "USUAL",
    "Cell",
    "MeanWithHalfWidth",
    "StandardResults",
    "load_results",
    "measured_candidate",
    "measured_candidates",
    "result_sentences",
    "results_json",
    "settings_text",
]  # fmt: skip

LOADS = (4, 16, 64)
RUNS = 10
DIGITS = 4
"""Significant digits of the stored numbers: more than the intervals support."""

USUAL = 16
"""The load whose results `explain` prints."""

METRICS = (
    ("bottleneck", "delay_mean_s"), ("bottleneck", "delay_p99_s"), ("bottleneck", "loss_rate"),
    ("bottleneck", "mark_rate"), ("bottleneck", "utilization"), ("bulk", "jain"), ("sparse", "loss_rate"),
)  # fmt: skip
"""The stored metrics, as (place, metric); `metric_key` gives their names in the data."""

# Values of required settings. A scheduler gets two classes: the sparse flow, and everything else.
_SPARSE: Mapping[str, Any] = {"name": "sparse", "match": {"dscp": "EF"}}
_REST: Mapping[str, Any] = {"name": "rest", "limit": "90p"}
_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "bernoulli": {"p": 0.01},
    "shaper": {"rate": "9.5Mbit"},
    "ras": {"cir": "5Mbit", "cir_th": "10kB", "mir_th": "50kB"},
    "pq": {"classes": [{**_SPARSE, "rate": "1Mbit"}, _REST]},
    "cbfq": {"classes": [{**_SPARSE, "share": 0.1}, {**_REST, "share": 0.9}]},
    "cbq": {"classes": [{**_SPARSE, "share": 0.1, "mean_packet": "200B"},
                        {**_REST, "share": 0.9, "mean_packet": "1500B"}]},
    "wfq": {"classes": [{**_SPARSE, "weight": 1}, {**_REST, "weight": 9}]},
    "scfq": {"classes": [{**_SPARSE, "weight": 1}, {**_REST, "weight": 9}]},
    "wf2q": {"classes": [{**_SPARSE, "weight": 1}, {**_REST, "weight": 9}]},
}  # fmt: skip


def metric_key(place: str, metric: str) -> str:
    """The name of a metric in the data: `sparse_loss_rate` is the loss rate of the sparse flow."""
    return f"sparse_{metric}" if place == "sparse" else metric


def measured_candidate(scheme: Scheme) -> Candidate:
    """A scheme as measured: its defaults, its required parameters, and the settings common to all schemes.

    A scheme with a parameter for the packet size gets the packet size of the link, and a scheme that can mark is set to
    mark (whether ECN is used depends on the senders).
    """
    size = scheme.param("mean_packet")
    settings: dict[str, Any] = {"mean_packet": "1500B"} if size is not None and size.default != "auto" else {}
    settings |= {"ecn": True} if scheme.ecn else {}
    return Candidate(scheme.name, {**_SETTINGS.get(scheme.name, {}), **settings}, f"the standard case, {scheme.name}")


def measured_candidates() -> list[Candidate]:
    """All schemes of the registry, as measured."""
    return [measured_candidate(scheme) for scheme in schemes()]


def settings_text(scheme: str) -> str:
    """The settings of a scheme other than its defaults and the common ones, in short form; may be empty."""
    settings = dict(_SETTINGS.get(find_scheme(scheme).name, {}))
    classes = settings.pop("classes", ())
    words = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    for entry in classes:
        own = ", ".join(f"{key} {value}" for key, value in entry.items() if key not in {"name", "match"})
        words.append(f"class {entry['name']} ({own})")
    return ", ".join(words)


@dataclass(frozen=True)
class MeanWithHalfWidth:
    """A mean over the runs, and the half-width of its 95 % interval."""

    mean: float
    half_width: float


Cell = Mapping[str, MeanWithHalfWidth]
"""One scheme at one load: its metrics by name."""


@dataclass(frozen=True)
class StandardResults:
    """The measured cells: one per scheme and load without ECN, and one with ECN for schemes that mark."""

    run_count: int
    cells: Mapping[tuple[str, int, bool], Cell]

    def cell(self, scheme: str, flows: int = USUAL, ecn: bool = False) -> Cell | None:
        """A cell; None if it was not measured."""
        return self.cells.get((scheme, flows, ecn))

    def measured_schemes(self) -> list[str]:
        """The schemes that were measured, in the order of the registry."""
        return list(dict.fromkeys(name for name, _, _ in self.cells))


@cache
def load_results() -> StandardResults:
    """The results of `make schemes`."""
    data = json.loads((files("penstock.explain") / "standard.json").read_text(encoding="utf-8"))
    columns = data["columns"]
    cells = {
        (row[0], row[1], row[2]): {
            name: MeanWithHalfWidth(*value) for name, value in zip(columns, row[3:], strict=True) if value is not None
        }
        for row in data["rows"]
    }
    return StandardResults(data["runs"], cells)


def results_json(rows: Sequence[Mapping[str, Any]], version: str, runs: int) -> str:
    """The text of `standard.json` out of the rows of comparisons."""
    columns = [metric_key(place, metric) for place, metric in METRICS]
    places = dict(zip(METRICS, range(len(columns)), strict=True))
    cells: dict[tuple[str, int, bool], list[Any]] = {}
    for row in rows:
        at = places.get((row["place"], row["metric"]))
        if at is None:
            continue
        key = (row["scheme"], row["vary"]["traffic.bulk.count"], row["vary"]["traffic.bulk.ecn"])
        low, high = row["ci95"] or (row["mean"], row["mean"])
        cells.setdefault(key, [None] * len(columns))[at] = [
            round_to_digits(value, DIGITS) for value in (row["mean"], (high - low) / 2)
        ]
    lines = [json.dumps([*key, *cells[key]], separators=(",", ":")) for key in cells]
    head = json.dumps({"penstock": version, "runs": runs, "columns": columns})
    return head[:-1] + ', "rows": [\n' + ",\n".join(lines) + "\n]}\n"


def result_sentences(scheme: str) -> Iterator[str]:
    """The results of a scheme at the usual load, in sentences; empty for a scheme that was not measured."""
    standard = load_results()
    cell, plain = standard.cell(scheme), standard.cell("droptail")
    if cell is None or plain is None:
        return
    where = f"On the standard link (10 Mbit/s, 40 ms, room for 100 packets) with {USUAL} long TCP flows"
    settings = settings_text(scheme)
    if settings:
        where += f" and {settings}"
    yield f"{where}: {_sentence(cell, None if scheme == 'droptail' else plain)}."
    marked = standard.cell(scheme, USUAL, True)
    if marked is not None:
        yield (
            f"If the senders use ECN: delay {_ms(marked, 'delay_mean_s')}, loss "
            f"{_percent(marked, 'loss_rate')}, marks {_percent(marked, 'mark_rate')}, utilization "
            f"{_percent(marked, 'utilization')}."
        )
    delays = ", ".join(
        f"{_ms(other, 'delay_mean_s')} and {_percent(other, 'loss_rate')} with {flows}"
        for flows in LOADS
        if flows != USUAL and (other := standard.cell(scheme, flows)) is not None
    )
    yield f"Delay and loss at other loads: {delays} flows. A sparse flow lost {_percent(cell, 'sparse_loss_rate')}."


def _sentence(cell: Cell, against: Cell | None) -> str:
    parts = (
        ("delay", _ms, "delay_mean_s"), ("99 % of packets within", _ms, "delay_p99_s"), ("loss", _percent, "loss_rate"),
        ("utilization", _percent, "utilization"), ("Jain's index", _ratio, "jain"),
    )  # fmt: skip
    return ", ".join(
        f"{words} {text_of(cell, name)}" + (f" (droptail: {text_of(against, name)})" if against else "")
        for words, text_of, name in parts
    )


def _ms(cell: Cell, name: str) -> str:
    return f"{1e3 * cell[name].mean:.3g} ms"


def _percent(cell: Cell, name: str) -> str:
    return f"{100 * cell[name].mean:.3g} %"


def _ratio(cell: Cell, name: str) -> str:
    return f"{cell[name].mean:.2f}"
