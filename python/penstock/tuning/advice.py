"""The result of `tune`: advised settings, the runs that confirm them, and the lines to paste."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock import _native
from penstock.results.estimate import Estimate
from penstock.scenario.loaded_link import LoadedLink
from penstock.studies.runs import Runs
from penstock.tuning.aim import Aim
from penstock.tuning.bench import MeasuredSetting, Setting, reported_metrics
from penstock.tuning.choice import SuccessCount
from penstock.tuning.conclusion import conclusion_sentences
from penstock.tuning.paste import DEVICES, device_lines
from penstock.tuning.population import NetworkDraw
from penstock.tuning.robustness_map import MapPoint
from penstock.tuning.unmet import unmet_text

__all__ = ["Advice", "ConfirmedSetting"]


@dataclass(frozen=True)
class ConfirmedSetting:
    """A setting with its confirmation runs.

    Attributes:
        measured: the runs.
        met: by aim with a bound, whether at least 95 % of the networks meet it. Only networks on which some setting
            meets all aims count, or all networks if those are fewer than half.
        success: the number of networks on which it meets all aims; for a barred setting, only networks on which some
            acceptable setting does count.
        score_deficit: the score minus the score of the advice, paired by network; negative if this setting is better.
            The intervals of all confirmed settings cover simultaneously with probability 95 %.
        reasons_against: reasons not to advise the setting, whatever its results: violated floors, or its loss rate.

    """

    measured: MeasuredSetting
    met: dict[str, bool]
    success: SuccessCount
    score_deficit: Estimate
    reasons_against: tuple[str, ...] = ()

    @property
    def is_enough(self) -> bool:
        """Whether the setting meets the aims on enough networks; aims without a bound count as met."""
        return not self.met or (all(self.met.values()) and self.success.is_sufficient)

    @property
    def verdict(self) -> str:
        """Compared with the advice: "worse", "tie" or "better", by the interval."""
        low, high = self.score_deficit.ci95 or (0.0, 0.0)
        return "worse" if low > 0 else "better" if high < 0 else "tie"


@dataclass(frozen=True, repr=False)
class Advice:
    """The result of `tune`.

    Attributes:
        scenario: the resolved scenario.
        links: the tuned link direction, then the other one if both are tuned.
        aims: the aims.
        advised: the advised settings: one, or a Pareto front.
        confirmed: all settings with confirmation runs, the advised ones first.
        tried: the baselines (present queue, defaults, rules, reference), then all settings of the search.
        draws: the networks of the confirmation runs.
        map: the first advised setting with rate, flows and round trip halved and doubled; empty for a front, and if no
            aim has a bound.
        runs: the confirmation runs: a scheme for each of `confirmed`, and a seed for each of `draws`, whose `number` is
            in the column `draw`.
        all_runs: the runs of all settings, also those of `runs`: a row per setting and network. The swept key is
            `stage`: "search", "confirmation" or "map". The columns `rate_factor`, `flows_factor` and `rtt_factor` are
            those of the network, relative to the scenario.
        run_count: number of all runs.
        rounds: completed rounds of the search; fewer than planned if the machine is slower than the plan assumes.
        reverse_settings: the other direction's setting for each of `advised`; empty if only one direction is tuned.
        unlimited_queue: runs of an unlimited queue, if every setting carries less than an aim requires; else None.

    """

    scenario: dict[str, Any]
    links: tuple[LoadedLink, ...]
    aims: tuple[Aim, ...]
    advised: tuple[Setting, ...]
    confirmed: tuple[ConfirmedSetting, ...]
    tried: tuple[MeasuredSetting, ...]
    draws: tuple[NetworkDraw, ...]
    map: tuple[MapPoint, ...]
    runs: Runs
    all_runs: Runs
    run_count: int
    rounds: int
    reverse_settings: tuple[Setting, ...] = ()
    unlimited_queue: MeasuredSetting | None = None

    @property
    def link(self) -> LoadedLink:
        """The tuned link."""
        return self.links[0]

    @property
    def best(self) -> ConfirmedSetting:
        """The first advised setting."""
        return self.confirmed[0]

    @property
    def is_met(self) -> bool:
        """Whether the first advised setting meets the aims on enough networks; aims without a bound count as met."""
        return self.best.is_enough

    @property
    def tc(self) -> str | None:
        """The tc commands of the first advised setting, for all tuned directions; None if tc lacks the scheme."""
        return self._joined(0, "tc")

    def _joined(self, number: int, key: str) -> str | None:
        """The lines of all tuned directions; None if one of them has none."""
        devices = self.devices(number)
        texts = [text for device in devices if (text := device[key]) is not None]
        return "\n".join(texts) if len(texts) == len(devices) else None

    def devices(self, number: int) -> list[dict[str, str | None]]:
        """The lines to paste for advised setting `number` (from 0), per tuned direction; see `device_lines`."""
        settings = [self.advised[number], *self.reverse_settings[number : number + 1]]
        triples = zip(settings, self.links, DEVICES, strict=False)
        return [device_lines(setting, link, self.scenario, device) for setting, link, device in triples]

    def __repr__(self) -> str:
        return f"{self.conclusion}\n{self.tc or ''}".rstrip()

    @property
    def conclusion(self) -> str:
        """A few sentences: which setting to use and what it gains, or that no setting meets the aims."""
        if len(self.advised) > 1:
            label = self.best.measured.setting.label
            return f"The aims compete: {len(self.advised)} settings form the Pareto front, from {label} onwards."
        if not self.is_met:
            met = [(entry.measured, entry.met) for entry in self.confirmed if not entry.reasons_against]
            barred = {
                entry.measured.setting.label: entry.reasons_against
                for entry in self.confirmed
                if entry.reasons_against and entry.is_enough
            }
            return self._overload + unmet_text(self.aims, self.link.place, met, self.unlimited_queue, barred)
        others = [entry.measured for entry in self.confirmed[1:] if not entry.reasons_against]
        unchanged = {each.setting.label for each in self.tried if each.meets_all_aims[0]}  # tried on the scenario first
        best = self.best
        return " ".join(
            conclusion_sentences(best.measured, best.success, others, self.aims, self.link.place, unchanged)
        )

    @property
    def _overload(self) -> str:
        """A sentence if traffic that does not slow down offers more than the link carries; else empty."""
        load = next((point.load for point in self.map if point.factors == (1, 1, 1)), 0.0)
        if load <= 1:
            return ""
        return f"Unresponsive traffic alone offers {100 * load:.0f} % of the link's rate, so no queue can help much. "

    @property
    def exceptions(self) -> list[tuple[NetworkDraw, tuple[str, ...], str | None]]:
        """The confirmation networks on which the advice misses an aim, with these aims and a setting that meets all.

        The setting is None if no confirmed setting does.
        """
        missed = []
        values = [
            (aim, self.best.measured.values(aim.place or self.link.place, aim.metric).tolist()) for aim in self.aims
        ]
        for number in np.flatnonzero(~self.best.measured.meets_all_aims).tolist():
            aims = tuple(aim.text for aim, column in values if aim.is_missed(column[number]))
            others = (entry.measured for entry in self.confirmed[1:] if entry.measured.meets_all_aims[number])
            met_by = next((other.setting.label for other in others), None)
            missed.append((self.draws[number], aims, met_by))
        return missed

    def to_dict(self) -> dict[str, Any]:
        """The document that `penstock tune --json` writes."""
        return {
            "penstock": _native.version,
            "scenario": self.scenario,
            "place": self.link.place,
            "aims": [aim.text for aim in self.aims],
            "conclusion": self.conclusion,
            "met": self.is_met,
            "advice": [
                {
                    **self._described(entry),
                    **{key: self._joined(number, key) for key in ("tc", "tc_shaped")},
                    "devices": self.devices(number),
                }
                for number, entry in enumerate(self.confirmed[: len(self.advised)])
            ],
            "exceptions": [
                {"network": draw.text, "missed": list(aims), "met_by": met_by} for draw, aims, met_by in self.exceptions
            ],
            "map": [
                {
                    "rate": point.rate_factor,
                    "flows": point.flows_factor,
                    "rtt": point.rtt_factor,
                    "met": point.is_met,
                    "missed": {aim: value if np.isfinite(value) else None for aim, value in point.missed_aims.items()},
                    "met_by": point.met_by,
                    "load": point.load,
                }
                for point in self.map
            ],
            "confirmed": [self._described(entry) for entry in self.confirmed],
            "tried": [
                {
                    **_setting(measured.setting),
                    "runs": len(measured.scores),
                    "score": measured.mean_score,
                    "metrics": self._metrics(measured),
                }
                for measured in self.tried
            ],
            "runs": self.run_count,
            "rounds": self.rounds,
            **({} if self.unlimited_queue is None else {"without_limit": self._metrics(self.unlimited_queue)}),
        }

    def _described(self, entry: ConfirmedSetting) -> dict[str, Any]:
        success = {"met": entry.success.met, "attainable": entry.success.attainable, "of": entry.success.total}
        behind = {"mean": entry.score_deficit.mean, "ci95": entry.score_deficit.ci95}
        return {
            **_setting(entry.measured.setting),
            "runs": len(entry.measured.scores),
            "metrics": self._metrics(entry.measured),
            "met": entry.met,
            "networks": success,
            "behind": behind,
            "verdict": entry.verdict,
            "barred": list(entry.reasons_against),
        }

    def _metrics(self, measured: MeasuredSetting) -> dict[str, dict[str, Any]]:
        """Mean and interval of the reported numbers, by place and metric."""
        table: dict[str, dict[str, Any]] = {}
        for place, name in reported_metrics(self.aims, self.link.place):
            if np.isfinite(measured.values(place, name)).any():
                summary = measured.summary(place, name)
                table.setdefault(place, {})[name] = {"mean": summary.mean, "ci95": summary.ci95}
        return table


def _setting(setting: Setting) -> dict[str, Any]:
    return {"scheme": setting.scheme, "parameters": dict(setting.parameters), "origin": setting.origin}
