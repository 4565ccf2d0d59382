"""The results as text: one line a number, and the share that agrees."""

from collections.abc import Iterator

from .known import explanation
from .reference import FILES, Comparison
from .runner import Report
from .thesis_print import lines


def rows(comparisons: list[Comparison]) -> Iterator[tuple[str, ...]]:
    """File, cell, metric, ours, theirs, tolerance, verdict."""
    for c in comparisons:
        yield (
            c.cell.file,
            c.cell.name,
            c.metric,
            f"{c.ours:.5g}",
            f"{c.theirs.mean:.5g}",
            f"{c.tolerance:.2g}",
            "agrees" if c.agrees else "DIFFERS",
        )


def text(comparisons: list[Comparison]) -> str:
    """All numbers in aligned columns."""
    table = [("file", "cell", "metric", "ours", "ns-2", "allowed", "verdict"), *rows(comparisons)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in table
    )


UNEXPLAINED = "not explained"


def shares(report: Report) -> list[tuple[str, int, int]]:
    """(file, numbers that agree, numbers compared), and the sum over all files last."""
    found = []
    for file in FILES:
        if group := report.of(file):
            found.append((file, sum(c.agrees for c in group), len(group)))
    return [*found, ("all", sum(n for _, n, _ in found), sum(n for _, _, n in found))]


def summary(report: Report) -> str:
    """The shares, what differs with its explanation, and what waits."""
    lines = [
        f"{file:12} {good:4} of {total:4} agree ({good / max(total, 1):.1%})" for file, good, total in shares(report)
    ]
    lines += [f"DIFFERS: {' '.join(row[:6])}: {why}" for row, why in disagreements(report)]
    waiting = {why: 0 for _, why in report.waiting}
    for _, why in report.waiting:
        waiting[why] += 1
    lines += [f"waiting: {count} cells: {why}" for why, count in waiting.items()]
    return "\n".join(lines)


def disagreements(report: Report) -> list[tuple[tuple[str, ...], str]]:
    """Rows that disagree, each with its explanation."""
    bad = [c for c in report.comparisons if not c.agrees]
    return [(row, explanation(c) or UNEXPLAINED) for row, c in zip(rows(bad), bad, strict=True)]


def markdown(report: Report, runs: int) -> str:
    """The page of the docs."""
    out = [
        "# penstock against ns-2.35, cell by cell",
        "",
        f"`make validate` writes this page, from {runs} runs per cell. `tests/data/ns2/README.md` describes the",
        "cells, and `validation/` has their set-up in penstock. Let `a` and `b` be the means of a statistic over",
        "`n_a` runs of penstock and `n_b` runs of ns-2, with the standard deviations `s_a` and `s_b`. They agree if",
        "`|a - b| <= max(2.2 sqrt(s_a^2/n_a + s_b^2/n_b), 3 % of b)`, with 8 % for variances and 4 % for standard",
        "deviations. If the reference has fewer than three seeds, `s_b = s_a`.",
        "",
        "| file | agree | compared | share |",
        "| --- | --- | --- | --- |",
        *(f"| {file} | {good} | {total} | {good / max(total, 1):.1%} |" for file, good, total in shares(report)),
        "",
        "## Differences",
        "",
        "| cell | metric | penstock | ns-2 | allowed | reason |",
        "| --- | --- | --- | --- | --- | --- |",
        *(f"| {' | '.join((f'{row[0]}: {row[1]}', *row[2:6], why))} |" for row, why in disagreements(report)),
        "",
        "## Cells without a counterpart",
        "",
        *sorted({f"- {cell.settings.get('scheme', '')} in `{cell.file}`: {why}" for cell, why in report.waiting}),
        "",
        "## Printed numbers of Alemu's thesis that ns-2.35 meets",
        "",
        *lines(),
        "",
        "## All numbers",
        "",
        "| cell | metric | penstock | ns-2 | allowed | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
        *(f"| {' | '.join((f'{row[0]}: {row[1]}', *row[2:]))} |" for row in rows(report.comparisons)),
    ]
    return "\n".join(out) + "\n"
