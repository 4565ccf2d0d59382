"""The robustness map: the aims that a setting meets with rate, flows and round trip halved and doubled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from penstock.scenario.budget.estimate import offered_streams
from penstock.scenario.document import Document
from penstock.scenario.resolve.draws import mean_value
from penstock.tuning.bench import Setting, TuningBench
from penstock.tuning.population import NetworkDraw
from penstock.tuning.scaling import FACTORS

__all__ = ["MapPoint", "measure_map"]


@dataclass(frozen=True)
class MapPoint:
    """A network of the robustness map.

    Attributes:
        rate_factor, flows_factor, rtt_factor: factors relative to the scenario.
        missed_aims: the value of each aim that the advised setting misses here, by the text of the aim; NaN without
            a value.
        met_by: another setting that meets all aims here; None if no measured one does, or if none is needed.
        load: offered load of unresponsive traffic, relative to the rate; above 1 no queue can help.

    """

    rate_factor: float
    flows_factor: float
    rtt_factor: float
    missed_aims: Mapping[str, float] = field(default_factory=dict)
    met_by: str | None = None
    load: float = 0.0

    @property
    def factors(self) -> tuple[float, float, float]:
        """The factors of rate, flows and round trip."""
        return self.rate_factor, self.flows_factor, self.rtt_factor

    @property
    def is_met(self) -> bool:
        """Whether the advised setting meets all aims here."""
        return not self.missed_aims


def measure_map(bench: TuningBench, setting: Setting, others: Sequence[Setting], first: int) -> tuple[MapPoint, ...]:
    """The robustness map of a setting; `others` are measured for comparison. Its draws are numbered from `first`."""
    seed = bench.population.seed
    draws = [
        NetworkDraw(first + number, seed + first + number, *factors)
        for number, factors in enumerate(product(FACTORS, FACTORS, FACTORS))
    ]
    measured, *rest = bench.measure([setting, *others], draws, "map")
    values = [(aim, measured.values(aim.place or bench.link.place, aim.metric).tolist()) for aim in bench.aims]
    points = []
    for number, draw in enumerate(draws):
        missed = {aim.text: column[number] for aim, column in values if aim.is_missed(column[number])}
        met_by = [each.setting.label for each in rest if each.meets_all_aims[number]] if missed else []
        load = _load(bench.population.network_document(draw), bench.link.place)
        points.append(
            MapPoint(draw.rate_factor, draw.flows_factor, draw.rtt_factor, missed, next(iter(met_by), None), load)
        )
    return tuple(points)


def _load(document: Document, place: str) -> float:
    """The offered load of unresponsive traffic on a link, relative to its rate."""
    resolved = document.resolve()
    rate = next(mean_value(link["rate"]) for link in resolved.canonical["links"] if link["name"] == place)
    streams = offered_streams(resolved)
    return (
        sum(each.packet_rate * each.packet_bits for each in streams if place in each.route and not each.is_elastic)
        / rate
    )
