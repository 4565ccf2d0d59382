"""Why claims are contradicted that seem to hold with none of the changes: several of them at once, or more runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from penstock.papers.alemu_2004.changes import changed
from penstock.papers.alemu_2004.why import CODES, SEEDS, named
from penstock.reproduce.claim import Claim, decide
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample
from penstock.results.table import Table

__all__ = ["claims", "table"]

Holds = Mapping[str, tuple[str, str, Sequence[str], int]]
HOLDS: Holds = {
    "fig2.10d/c1": ("fig2-10", "all", ("delayed acknowledgements", "PSAND (2, 0.25)"), SEEDS),
    "fig3.7/c1": ("fig3-7", "few", ("delayed acknowledgements", "PSAND (2, 0.25)", "max_p up to 1"), 30),
    "fig4.5c/c1": ("fig4-5", "few", ("PSAND (1, 1)",), 30),
}
"""Claims with their experiment, its loads, as in `why.toml`, the changes with which they hold, and the runs."""


def table(effort: Effort) -> Table:
    """The verdict of each."""
    return decided(effort, HOLDS)


def decided(effort: Effort, holds: Holds) -> Table:
    """The verdict of each of these; in a quick reproduction of those with few loads."""
    cells = []
    for claim, (experiment, loads, changes, seeds) in holds.items():
        if effort.quick and loads == "all":
            continue
        other = named(experiment)
        study = other.module.study(replace(effort, mode="quick") if loads == "few" else effort)
        others = tuple(replace(part, seeds=max(part.seeds, seeds)) for part in study.others)
        study = replace(study, seeds=max(study.seeds, seeds), others=others)
        for change in changes:
            study = changed(study, change, seeds)
        runs = effort.table(study, other.measure)
        (verdict,) = (
            one.finding.verdict for one in decide(other.claims(runs)) if one.claim.id == claim and not one.claim.reading
        )
        cells.append(({"claim": claim}, {"verdict": Sample(CODES.get(verdict, 0.0))}))
    return Table(cells, seeds=SEEDS)


def claims(found: Table) -> Iterator[Claim]:
    """Each holds."""
    yield from held(found, "why-both", HOLDS)


def held(found: Table, name: str, holds: Holds) -> Iterator[Claim]:
    """Each of these holds."""
    for claim in found.axis("claim"):
        _, _, changes, seeds = holds[claim]
        yield Claim(
            id=f"{name}/{claim}",
            says=f"holds with {' and '.join(changes)}",
            expected=f"{seeds} runs a cell",
            holds=found("verdict", claim=claim) > 0.5,
            reading="own",
        )
