"""What Figures 4.5 to 4.10 and Tables 4.2 and 4.3 have in common: eight schemes against the number of flows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import penstock as ps
from penstock.papers.alemu_2004 import judge
from penstock.papers.alemu_2004.measures import Numbers, of_controllers
from penstock.papers.alemu_2004.panels import Panel
from penstock.papers.alemu_2004.setup import CONTROLLERS, GRID, Topology, load4
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

ALL = [*CONTROLLERS, "REM of ns-2"]
MANY = 73
"""From so many flows on the load is high."""
HIGHER = {"LU", "F", "LRL1", "5 to 15"}
"""Where more is better."""


def study(effort: Effort, topology: Topology) -> Study:
    """Each scheme with each number of flows."""
    return Study(
        lambda scheme, flows: load4(scheme, flows, topology),
        {"scheme": ALL, "flows": effort.choose([3, 53, 103], GRID)},
        seeds=effort.choose(5, 100),
        labels={"topology": topology},
    )


class Eight:
    """A table of one topology by scheme and number of flows."""

    def __init__(self, table: Table, topology: Topology) -> None:
        self.table = table.where(topology=topology)
        self.flows: list[int] = self.table.axis("flows")
        self.many = [n for n in self.flows if n >= MANY]

    def of(self, metric: str, scheme: str, n: int) -> Sample:
        """In one cell."""
        return self.table(metric, scheme=scheme, flows=n)

    def mean(self, metric: str, scheme: str) -> Sample:
        """Averaged over the numbers of flows."""
        samples = [self.of(metric, scheme, n) for n in self.flows]
        total = samples[0]
        for sample in samples[1:]:
            total = total + sample
        return total / len(samples)

    def below(
        self, metric: str, first: str, others: Iterable[str], flows: Sequence[int] | None = None
    ) -> list[Condition]:
        """At each N the first scheme is below each of the others."""
        over = self.flows if flows is None else flows
        return [
            judge.below(self.of(metric, first, n), self.of(metric, s, n)).at(f"{metric}, below {s}, {n}")
            for s in others
            for n in over
        ]

    def above(
        self, metric: str, first: str, others: Iterable[str], flows: Sequence[int] | None = None
    ) -> list[Condition]:
        """At each N the first scheme is above each of the others."""
        over = self.flows if flows is None else flows
        return [
            judge.below(self.of(metric, s, n), self.of(metric, first, n)).at(f"{metric}, above {s}, {n}")
            for s in others
            for n in over
        ]

    def better(self, metric: str, first: str, second: str) -> Condition:
        """Averaged over N the first scheme is better than the second."""
        a, b = self.mean(metric, first), self.mean(metric, second)
        return (a > b if metric in HIGHER else a < b).at(f"{metric}, {first} and {second}")


def others(*schemes: str) -> list[str]:
    """The eight without these."""
    return [scheme for scheme in CONTROLLERS if scheme not in schemes]


def only(run: ps.Run, *names: str) -> Numbers:
    """Some of the numbers of a run."""
    found = of_controllers(run)
    return {name: found[name] for name in names}


def panels(topology: Topology, *metrics: str) -> list[Panel]:
    """A metric against the number of flows in each panel."""
    return [Panel("flows", metric, "scheme", {"topology": topology}) for metric in metrics]


Ranking = Sequence[Sequence[str]]


def ranked(table: Table, topology: Topology, name: str, rankings: Mapping[str, Ranking]) -> Iterator[Claim]:
    """The orders of a table of symbols, best group first, by the averages over the numbers of flows."""
    eight = Eight(table, topology)
    for i, (metric, groups) in enumerate(rankings.items(), 1):
        yield Claim(
            id=f"{name}/c{i}",
            says=f"the order of {metric}, best first",
            expected=", ".join("{" + ", ".join(group) + "}" for group in groups),
            holds=all_of(
                eight.better(metric, a, b)
                for first, second in itertools.pairwise(groups)
                for a in first
                for b in second
            ),
        )
