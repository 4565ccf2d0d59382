"""The common part of Figures 4.5 to 4.10 and Tables 4.2 and 4.3: eight schemes against the number of flows."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from matplotlib.figure import Figure

from penstock.reproduce.figure import Claim, Number, QuickOrFull, Statement, SummaryTable, Sweep, every, mean, metric
from penstock.reproduce.label_values import Readings, at_least, below

from . import panels
from .setup import CONTROLLERS, GRID, Topology, controller_load_scenario

ALL = [*CONTROLLERS, "REM of ns-2"]
REM = Readings({"REM": "", "REM of ns-2": "REM's price by the arrivals, as in ns-2"})
AVQS, LREDS = ["AVQ", "AVQ*"], ["LRED", "LRED*"]
MANY, NOT_MANY = at_least(73), below(73)
"""High load, from 73 flows on, and the rest."""
HIGHER = {"LU", "F", "LRL1", "5 to 15"}
"""Metrics for which larger values are better."""


def load_sweep(topology: Topology) -> Sweep:
    """A sweep of the eight schemes of chapter 4 over the numbers of flows, on this network."""
    return Sweep(
        lambda scheme, flows: controller_load_scenario(scheme, flows, topology),
        {"scheme": ALL, "flows": QuickOrFull([3, 53, 103], GRID)},
        seeds=QuickOrFull(5, 50),
        labels={"topology": topology},
    )


def controllers_except(*schemes: str) -> list[str]:
    """The names of the eight schemes of chapter 4 without these."""
    return [scheme for scheme in CONTROLLERS if scheme not in schemes]


Schemes = str | Readings | list[str]


def is_lower_at_each_load(number: Number, first: Schemes, second: Schemes) -> Statement:
    """At each number of flows the first schemes are below the second ones."""
    return number(scheme=first) < number(scheme=second)


def is_higher_at_each_load(number: Number, first: Schemes, second: Schemes) -> Statement:
    """At each number of flows the first schemes are above the second ones."""
    return number(scheme=first) > number(scheme=second)


def mean_over_loads(number: Number) -> Number:
    """The mean of a number over all numbers of flows, for each scheme."""
    return number.along("flows", mean)


def is_better_on_average(name: str, first: Schemes, second: Schemes) -> Statement:
    """Averaged over the numbers of flows, each first scheme is better than each second one by this metric."""
    a, b = (mean_over_loads(metric(name))(scheme=schemes) for schemes in (first, second))
    return a > b if name in HIGHER else a < b


def is_better_at_each_load(name: str, first: Schemes, second: Schemes) -> Statement:
    """At each number of flows, each first scheme is better than each second one by this metric."""
    return (is_higher_at_each_load if name in HIGHER else is_lower_at_each_load)(metric(name), first, second)


Ranking = Sequence[list[str]]


def is_ranked_as(name: str, ranking: Ranking) -> Statement:
    """Each scheme of a group is better than each of the next group."""
    return every(*(is_better_on_average(name, *pair) for pair in itertools.pairwise(ranking)))


def ranking_claims(table: str, rankings: Mapping[str, Ranking]) -> Iterator[Claim]:
    """The orders of a table of symbols, best group first, by the averages over the numbers of flows."""
    for i, (name, groups) in enumerate(rankings.items(), 1):
        order = ", ".join("{" + ", ".join(group) + "}" for group in groups)
        yield Claim(f"{table}/c{i}", f"the order of {name}, best first", is_ranked_as(name, groups), order)


def panels_against_flows(topology: Topology, *names: str) -> Callable[[SummaryTable], Figure]:
    """A function that draws these metrics against the number of flows, a panel for each metric."""
    return panels.panel_figure(
        *(panels.Panel("flows", name, "scheme", {"topology": topology}) for name in names), columns=3
    )
