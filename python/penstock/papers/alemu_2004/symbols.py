"""Tables of symbols, recomputed: the printed symbol of a scheme in a column, and the symbol of its mean over the loads.

The symbols of a column are assigned again by the rank of the means, each as often as it is printed. A cell is inside
the 95 % interval if its printed symbol belongs to a rank that the paired differences allow. Among n schemes, a scheme
with b better and w worse ones, each with 95 % confidence, has one of the ranks b + 1 to n - w.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from matplotlib.figure import Figure

from penstock.reproduce.figure import Claim, SummaryTable, Table, mean, table_statement
from penstock.reproduce.printed_table import read_printed_texts, text_table_figure
from penstock.results.condition import Condition, Finding, Verdict, all_of
from penstock.results.sample import FEWEST_RUNS, RunSample

from . import judge
from .controllers import HIGHER, ranking_claims

Column = Mapping[str, str]
"""The symbol of each scheme."""


def read_symbols(name: str) -> dict[str, dict[str, str]]:
    """The columns of `expected/NAME.csv`."""
    columns: dict[str, dict[str, str]] = {}
    for scheme, metric, symbol in read_printed_texts(judge.EXPECTED / f"{name}.csv"):
        columns.setdefault(metric, {})[scheme] = symbol
    return columns


def symbol_rank(symbol: str) -> int:
    """Rank of a symbol: the number of its `+`, -1 for "-", -2 for a blank, which is worse (guess 15)."""
    return len(symbol) if symbol.startswith("+") else -1 if symbol else -2


def distinct_symbols(column: Column) -> list[str]:
    """The symbols that a column has, best first."""
    return sorted(set(column.values()), key=symbol_rank, reverse=True)


def ranked_groups(column: Column) -> list[list[str]]:
    """Groups of schemes with the same symbol, best first."""
    return [[scheme for scheme, own in column.items() if own == symbol] for symbol in distinct_symbols(column)]


def symbols_agree(table: Table, printed: Mapping[str, Column], tolerance: int) -> Condition:
    """Every printed symbol is within `tolerance` symbols of a rank that the intervals allow."""
    return all_of(part for metric, column in printed.items() for part in _column(table, metric, column, tolerance))


def _places(table: Table, metric: str, column: Column) -> dict[str, tuple[RunSample, tuple[int, int]]]:
    """The mean over the loads of each scheme, and its first and last possible rank, counted from 0."""
    means = {scheme: mean(dict(table.along("flows", metric, scheme=scheme))) for scheme in column}

    def better(first: str, second: str) -> bool:
        a, b = means[first], means[second]
        condition = b < a if metric in HIGHER else a < b
        return condition.decide().verdict == "confirmed"

    places = {}
    for scheme, average in means.items():
        others = [other for other in column if other != scheme]
        first = sum(better(other, scheme) for other in others)
        last = len(others) - sum(better(scheme, other) for other in others)
        places[scheme] = average, (first, last)
    return places


def _column(table: Table, metric: str, column: Column, tolerance: int) -> Iterator[Condition]:
    for scheme, (average, places) in _places(table, metric, column).items():
        yield _cell(column, scheme, average, places, tolerance).at(f"{scheme}, {metric}")


def _cell(column: Column, scheme: str, average: RunSample, places: tuple[int, int], tolerance: int) -> Condition:
    """The printed symbol belongs to a rank between these two, counted from 0."""
    dealt, order = _dealt(column), distinct_symbols(column)
    best, worst = (order.index(dealt[place]) for place in places)
    at = order.index(column[scheme])
    misses = max(best - at, at - worst, 0)

    def at_level(alpha: float) -> Finding:
        estimate = average.summary_at_alpha(alpha)
        if estimate is None or estimate.runs < FEWEST_RUNS:
            return Finding("inconclusive", estimate, "too few runs")
        symbols = " to ".join(dict.fromkeys(_named(order[index]) for index in (best, worst)))
        why = f"{symbols} here, printed {_named(column[scheme])}"
        return Finding("confirmed" if misses <= tolerance else "contradicted", estimate, why)

    return Condition(at_level, float(-misses))


def _dealt(column: Column) -> list[str]:
    """The symbol of each rank."""
    return sorted(column.values(), key=symbol_rank, reverse=True)


def _named(symbol: str) -> str:
    return symbol or "blank"


def symbol_claims(name: str, printed: Mapping[str, Column]) -> Iterator[Claim]:
    """The order of each column, and whether each cell is as printed."""
    yield from ranking_claims(name, {metric: ranked_groups(column) for metric, column in printed.items()})
    for tolerance, reading in ((0, "no tolerance"), (1, "a tolerance of one symbol")):
        yield Claim(
            f"{name}/cells",
            "cells whose printed symbol is inside the 95 % interval, by the means over the loads",
            table_statement(partial(symbols_agree, printed=printed, tolerance=tolerance), "all"),
            reading=reading,
        )


def worst_ranks(table: Table, printed: Mapping[str, Column]) -> dict[str, tuple[int, int]]:
    """For each scheme, the rank of its worst symbol in any column: at least and at most, as the intervals allow."""
    ranks: dict[str, list[tuple[int, int]]] = {}
    for metric, column in printed.items():
        dealt = [symbol_rank(symbol) for symbol in _dealt(column)]
        for scheme, (_, (first, last)) in _places(table, metric, column).items():
            ranks.setdefault(scheme, []).append((dealt[last], dealt[first]))
    return {scheme: (min(low for low, _ in each), min(high for _, high in each)) for scheme, each in ranks.items()}


def reaches(ranks: tuple[int, int], symbol: str, claimed: bool) -> Condition:
    """A symbol with one of these ranks is this one or better, as `claimed`, or it is not."""
    low, high, least = *ranks, symbol_rank(symbol)
    verdict: Verdict = "confirmed" if (low >= least) == claimed else "contradicted"
    if low < least <= high:
        verdict = "inconclusive"
    texts = {rank: {-2: "blank", -1: "-"}.get(rank, "+" * rank) for rank in ranks}
    why = f"worst symbol {' to '.join(texts.values())}, required {'at least' if claimed else 'below'} {symbol}"
    return Condition(lambda _: Finding(verdict, None, why))


def draw(summary: SummaryTable, printed: Mapping[str, Column]) -> Figure:
    """Figure of the table: mean over the loads, its symbol, the printed symbol, and their distance in symbols."""
    means = {metric: _means(summary, metric, column) for metric, column in printed.items()}
    changes = {metric: _changes(column, means[metric], metric) for metric, column in printed.items()}
    texts = {
        (scheme, metric): f"{means[metric][scheme]:.4g}: {_named(symbol)} ({_named(printed[metric][scheme])})\n"
        + (f"{abs(change)} {'better' if change > 0 else 'worse'}" if change else "as printed")
        for scheme in next(iter(printed.values()))
        for metric, (symbol, change) in ((metric, changes[metric][scheme]) for metric in printed)
    }
    same = [(scheme, metric) for scheme, metric in texts if not changes[metric][scheme][1]]
    title = "mean over the loads: the symbol it gets (the printed one)\nhow many symbols better or worse"
    return text_table_figure(texts, same, f"{title}; bold: as printed, {len(same)} of {len(texts)}")


def _changes(column: Column, means: Mapping[str, float], metric: str) -> dict[str, tuple[str, int]]:
    """The symbol of each scheme by these means, and how many symbols it is better than the printed one."""
    ranked = sorted(means, key=means.__getitem__, reverse=metric in HIGHER)
    order = distinct_symbols(column)
    return {
        scheme: (symbol, order.index(column[scheme]) - order.index(symbol))
        for scheme, symbol in zip(ranked, _dealt(column), strict=True)
    }


def _means(summary: SummaryTable, metric: str, schemes: Iterable[str]) -> dict[str, float]:
    """The mean over the loads for each scheme."""
    curves = {scheme: [point.mean for _, point in summary.along("flows", metric, scheme=scheme)] for scheme in schemes}
    return {scheme: sum(points) / len(points) for scheme, points in curves.items()}
