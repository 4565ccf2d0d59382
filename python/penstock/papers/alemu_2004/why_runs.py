"""Why claims about traces are contradicted: the thesis shows one run of each, and single runs differ.

Section 2.4.2: "obtained from one simulation"; Section 4.5: "each the result of one simulation run". Claims are decided
for each run separately, with receivers that acknowledge each packet and with delayed acknowledgements.
"""

from collections.abc import Mapping

from penstock.reproduce.claim import decide
from penstock.reproduce.figure import Effort, Table, every, metric, some
from penstock.results.sample import Sample

from . import why
from .changes import changed
from .why import named

TRACES: Mapping[str, list[str]] = {
    "fig2-3": ["fig2.3/c1"],
    "fig2-4": ["fig2.4c/c1"],
    "fig2-3-6": ["fig2.3-6/c1"],
    "fig4-2": ["fig4.2d/c1", "fig4.2/c3"],
    "fig4-3": ["fig4.3/c2"],
}
"""Claims about single runs, by experiment."""
SETS = ["as printed", "delayed acknowledgements"]
LEAST = 5.0
"""Least share of single runs, in percent, that makes it plausible that the run of the thesis is one of them."""
EMPTIER = "LRED against PSAND"
"""For fig4.3/c5, which points to Figure 4.2(e), of LRED: whether LRED's queue is the one that is empty more often."""


def table(effort: Effort) -> Table:
    """The share of single runs in which a claim holds, in percent."""
    seeds = effort.choose(5, 20)
    shares: dict[str, dict[str, Sample]] = {}
    for experiment in effort.choose(["fig4-3"], list(TRACES)):
        other = named(experiment)
        for name in SETS:
            measured = effort.table(changed(other.module.study(effort), name, seeds), other.measure)
            singles = [
                {
                    decision.claim.id: decision.finding.verdict == "confirmed"
                    for decision in decide(other.claims(_single(measured, run)))
                }
                for run in range(seeds)
            ]
            held = {claim: [verdicts[claim] for verdicts in singles] for claim in TRACES[experiment]}
            if experiment == "fig4-3":
                lred, psand = (measured("empty", scheme=scheme, part="all").values for scheme in ("LRED", "PSAND"))
                held[EMPTIER] = list(lred > psand)
            for claim, runs in held.items():
                shares.setdefault(claim, {})[name] = Sample(100 * float(sum(runs)) / seeds)
    return Table([({"claim": claim}, of) for claim, of in shares.items()], seeds=seeds)


def _single(table: Table, run: int) -> Table:
    """One run as a table of its own."""
    return Table.exact(
        [
            (labels, {name: float(sample.values[run if sample.random else 0]) for name, sample in samples.items()})
            for labels, samples in table.cells
        ]
    )


own = why.own("why-runs")
CLAIMS = tuple(
    own(
        claim.replace(" ", "-"),
        some(every(*(metric(name, "%")(claim=claim) >= LEAST for name in SETS))),
        f"{LEAST:g} % of them at least, with one kind of receivers",
        needs={"claim": claim},
        says=f"single runs fulfil {claim}" + (": empty more often" if claim == EMPTIER else ""),
    )
    for claim in (*(claim for claims in TRACES.values() for claim in claims), EMPTIER)
)
