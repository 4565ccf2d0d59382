"""The results of one run."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock import _native
from penstock.aqms import python_aqm
from penstock.errors import UnknownNameError
from penstock.results.display import display_unit, is_number, short_text
from penstock.results.distribution import is_distribution
from penstock.results.frames import to_arrow, to_pandas
from penstock.results.grid import STYLE, TextTable, html_table, run_grids
from penstock.results.metrics import find_metric
from penstock.results.parts import metrics_by_part, place_name
from penstock.units import parse_time

if TYPE_CHECKING:
    from penstock.results._metric_types import MetricTypes as _Typed
else:
    _Typed = Mapping

__all__ = ["Metrics", "Places", "Run"]

MAIN_METRICS = {
    "delay_mean_s": "delay",
    "delay_p99_s": "delay p99",
    "utilization": "utilization",
    "goodput_bps": "goodput",
    "completion_mean_s": "completion",
    "owd_mean_s": "one-way delay",
    "loss_rate": "loss",
}
"""The metrics in the `repr` of a run, and their printed names."""


class Metrics(_Typed):
    """The metrics of one place, by name as keys and as attributes; distributions and flows are NumPy arrays.

    `flows`, if present, is a mapping from metric to an array with one entry for each flow. Raises `UnknownNameError` or
    `AttributeError`, with the nearest name, for a metric that the place does not have.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise UnknownNameError("metric", name, self._values)
        value = self._values[name]
        if name == "flows":
            return {key: np.array([flow.get(key) for flow in value]) for key in (value[0] if value else ())}
        return np.asarray(value) if isinstance(value, list) else value

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            try:
                return self[name]
            except UnknownNameError as error:
                raise AttributeError(str(error)) from None

    def __eq__(self, other: object) -> bool:
        # Arrays have no single truth value, so plain values are compared.
        return self._values == (other._values if isinstance(other, Metrics) else other)

    __hash__ = None  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._values})

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join(f"{name:28} {short_text(value)}" for name, value in self._values.items())

    def _repr_html_(self) -> str:
        rows = tuple((name, short_text(value)) for name, value in self._values.items())
        return f'{STYLE}<div class="penstock">{html_table(TextTable("", ("metric", "value"), rows, 1))}</div>'


class Places(Mapping[str, Metrics]):
    """The metrics of each watched link, or of each group of flows, by name.

    Raises `UnknownNameError`, with the nearest name, for an unknown name.
    """

    def __init__(self, kind: str, places: Mapping[str, Mapping[str, Any]]) -> None:
        self._kind = kind
        self._places = {name: Metrics(values) for name, values in places.items()}

    def __getitem__(self, name: str) -> Metrics:
        if name not in self._places:
            raise UnknownNameError(self._kind, name, self._places)
        return self._places[name]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return "\n".join(f"{name}\n{metrics!r}" for name, metrics in self._places.items())


@dataclass(frozen=True)
class Run:
    """The result of one run. Two results are equal if they differ only in execution times.

    Attributes:
        scenario: the resolved scenario.
        seed: of this run.
        links: metrics of each watched link direction.
        traffic: metrics of each group of flows.
        dscp: metrics of all traffic sent with each codepoint, by its name, such as "EF", or its number; empty where all
            traffic has the same one.
        fairness: `jain`, Jain's index over all flows.
        events: number of events of the simulation, a measure of cost; it may change with the version, even if the
            results do not.
        cpu_s: processor time in seconds.
        series: for each watched link, its queue and AQM over time, if requested.
        senders: by watched traffic, a list with the state of each TCP sender over time, if requested: `t_ns` (ends of
            the intervals) and for each of `cwnd` and `ssthresh` (packets), `srtt` (s) and the variables of congestion
            control, such as `alpha` of DCTCP, the lists `min`, `mean` and `max`; None while a value is not known.
        raw: the engine's result as plain values.

    """

    scenario: Mapping[str, Any]
    seed: int
    links: Places
    traffic: Places
    dscp: Places
    fairness: Metrics
    events: int
    cpu_s: float = field(compare=False)
    series: Mapping[str, Any]
    senders: Mapping[str, Any]
    raw: Mapping[str, Any] = field(compare=False)

    @property
    def measured_s(self) -> float:
        """The measured time in seconds: the duration minus the warm-up."""
        return (parse_time(self.scenario["duration"]) - parse_time(self.scenario["warmup"])) / 1e9

    def over_time(self, link: str, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The mean of `queue`, or of a variable of the AQM, in each interval of the series of a watched link.

        Returns the ends of the intervals in seconds, and the means.
        """
        series = self.series[link]
        return np.array(series["t_ns"]) / 1e9, np.array(series[name]["mean"], dtype=float)

    @classmethod
    def from_json(cls, text: str, scenario: Mapping[str, Any]) -> Run:
        """From the engine's result as JSON."""
        return cls.of(json.loads(text), scenario)

    @classmethod
    def of(cls, raw: Mapping[str, Any], scenario: Mapping[str, Any]) -> Run:
        """From the engine's result as plain values."""
        return cls(
            scenario=scenario,
            seed=raw["seed"],
            links=Places("watched link", raw["links"]),
            traffic=Places("traffic", raw["traffic"]),
            dscp=Places("codepoint", raw.get("dscp", {})),
            fairness=Metrics(raw.get("fairness", {})),
            events=raw.get("events", 0),
            cpu_s=raw.get("cpu_s", 0.0),
            series=raw.get("series", {}),
            senders=raw.get("senders", {}),
            raw=raw,
        )

    def to_dict(self) -> dict[str, Any]:
        """The result in the format of `penstock run --json`."""
        aqms = python_aqm.code_keys(python_aqm.scenario_schemes(self.scenario))
        return {"penstock": _native.version, "scenario": self.scenario, **({"aqms": aqms} if aqms else {}), **self.raw}

    def numbers(self) -> Iterator[tuple[str, str, str, float | list[float] | None]]:
        """Each metric as ("links", "traffic" or "dscp", place, metric, value); the value of a distribution is a list.

        The place of a codepoint is `dscp.EF`.
        """
        for part, places in metrics_by_part(self.raw).items():
            for place, values in places.items():
                for name, value in values.items():
                    if is_distribution(name) or isinstance(value, (int, float)) or value is None:
                        yield part, place_name(part, place), name, value

    def rows(self) -> list[dict[str, Any]]:
        """Each number as `{"part", "place", "metric", "value"}`, as `numbers` has them, without distributions."""
        return [
            {"part": part, "place": place, "metric": name, "value": value}
            for part, place, name, value in self.numbers()
            if is_number(value)
        ]

    def flow_rows(self) -> list[dict[str, Any]]:
        """A row for each flow: `{"traffic", "flow"}` and its metrics; empty unless flows were requested."""
        return [
            {"traffic": name, "flow": number, **flow}
            for name, values in self.raw["traffic"].items()
            for number, flow in enumerate(values.get("flows", ()))
        ]

    def to_pandas(self, *, flows: bool = False) -> Any:
        """`rows`, or `flow_rows` with `flows`, as a `pandas.DataFrame`. Raises `MissingPackageError` without pandas."""
        return to_pandas(self.flow_rows() if flows else self.rows())

    def to_arrow(self, *, flows: bool = False) -> Any:
        """`rows`, or `flow_rows` with `flows`, as a `pyarrow.Table`."""
        return to_arrow(self.flow_rows() if flows else self.rows())

    def __repr__(self) -> str:
        lines = [f"Run of {self.scenario.get('name') or 'a scenario'}, seed {self.seed}"]
        for part, places in (("links", self.links), ("traffic", self.traffic), ("dscp", self.dscp)):
            lines += [f"{place_name(part, name)}: {_main_metrics(metrics)}" for name, metrics in places.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f"{self.scenario.get('name') or 'Run'}, seed {self.seed}"
        tables = "".join(html_table(grid) for grid in run_grids(self.raw))
        return f'{STYLE}<div class="penstock"><b>{html.escape(title)}</b>{tables}</div>'


def _main_metrics(metrics: Metrics) -> str:
    """The main metrics of a place in one line."""
    values = [(name, metrics[name]) for name in MAIN_METRICS if is_number(metrics.get(name))]
    scales = [(name, value, display_unit(find_metric(name).quantity, [value])) for name, value in values]
    return ", ".join(f"{MAIN_METRICS[name]} {value * scale.factor:.3g} {scale.unit}" for name, value, scale in scales)
