"""The ranking of the schemes of a comparison: the leading schemes in each metric, and conclusions about each link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penstock.results.conclusion import FEWEST_RUNS, LinkConclusions, PointConclusion, conclusions_about_link
from penstock.results.estimate import Estimate
from penstock.results.leading_schemes import LeadingSchemes, leading_schemes
from penstock.results.metrics import find_metric
from penstock.results.run_table import CONCLUDED, RunTable

__all__ = ["Ranking"]

Json = Mapping[str, Any]
Cells = Callable[[int, str, str], Sequence[Estimate | None]]
"""The cells of all schemes at a point, place and metric."""

DELAY, USED = CONCLUDED


@dataclass(frozen=True)
class Ranking:
    """The leading schemes and the conclusions.

    Attributes:
        leading: the leading schemes by place and metric, for metrics with a direction.
        conclusions: by link, the busiest one first.

    """

    leading: Mapping[tuple[str, str], LeadingSchemes] = field(default_factory=dict)
    conclusions: Mapping[str, LinkConclusions] = field(default_factory=dict)

    @classmethod
    def from_runs(cls, runs: RunTable, cells: Cells) -> Ranking:
        """The ranking of the schemes of these runs."""
        names = [(place, name) for place in runs.places for name in runs.metrics[place] if find_metric(name).better]
        enough = len(runs.seeds) >= FEWEST_RUNS and len(runs.schemes) > 1
        leaders = {
            (place, name): leading_schemes(
                place,
                name,
                runs.array(name, place),
                [cells(point, place, name) for point in range(len(runs.points))],
                runs.alpha,
            )
            for place, name in (names if enough else ())
        }
        return cls(leaders, _conclusions(runs))

    @classmethod
    def from_json(cls, result: Json, schemes: Mapping[str, int], point_at: Callable[[Json], int]) -> Ranking:
        """The ranking in the JSON of a comparison; `schemes` are the indices of its schemes by their arguments."""
        leaders = [
            LeadingSchemes(
                row["place"],
                row["metric"],
                row["intervals"],
                row["level"],
                {point_at(best["vary"]): [schemes[name] for name in best["schemes"]] for best in row["best"]},
            )
            for row in result.get("leaders") or ()
        ]
        conclusions = {}
        for row in result.get("conclusions") or ():
            points = {
                point_at(point["vary"]): PointConclusion(point["text"], [schemes[name] for name in point["best"]])
                for point in row["points"]
            }
            conclusions[row["place"]] = LinkConclusions(row["over_all"], [points[i] for i in sorted(points)])
        return cls({(row.place, row.metric): row for row in leaders}, conclusions)

    @property
    def conclusion(self) -> str:
        """The conclusion about the busiest link: over all settings and at the first one; empty without conclusions."""
        for busiest in self.conclusions.values():
            return f"{busiest.over_all} {busiest.points[0].text if busiest.points else ''}".strip()
        return ""

    def to_dict(self, schemes: Sequence[str], points: Sequence[Json]) -> dict[str, Any]:
        """As in the JSON of `compare`, with the arguments of the schemes and the swept values."""
        return {
            "conclusion": self.conclusion,
            "conclusions": [
                {
                    "place": place,
                    "over_all": link.over_all,
                    "points": [
                        {"vary": dict(points[i]), "best": [schemes[s] for s in point.best], "text": point.text}
                        for i, point in enumerate(link.points)
                    ],
                }
                for place, link in self.conclusions.items()
            ],
            "leaders": [
                {
                    "place": row.place,
                    "metric": row.metric,
                    "intervals": row.interval_count,
                    "level": row.level,
                    "best": [
                        {"vary": dict(points[i]), "schemes": [schemes[s] for s in front]}
                        for i, front in row.leaders_by_point.items()
                    ],
                }
                for row in self.leading.values()
            ],
        }


def _conclusions(runs: RunTable) -> dict[str, LinkConclusions]:
    """The conclusions about each link that has delay and utilization, the busiest one first."""
    links = [place for place in runs.places if {DELAY, USED} <= set(runs.metrics[place])]
    uses = {link: runs.array(USED, link) for link in links}
    links.sort(key=lambda link: -float(np.nanmean(uses[link])))
    labels = [scheme.label for scheme in runs.schemes]
    conclusions = {}
    for rank, link in enumerate(links):
        kind = " (the busiest link)" if rank == 0 and len(links) > 1 else ""
        names = [f"{link}{kind}{_setting(point.words, link)}" for point in runs.points]
        conclusions[link] = conclusions_about_link(
            names, labels, runs.array(DELAY, link), uses[link], runs.alpha, runs.design.margin
        )
    return conclusions


def _setting(words: str, link: str) -> str:
    """The swept values of a point as a part of a sentence, without the name of the link that it is about."""
    return f" at {words.removeprefix(f'{link} ')}" if words else ""
