"""Why claims are contradicted in the author's set-up: each decided again with one thing changed in all runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from penstock.plots import style
from penstock.reproduce import paper
from penstock.reproduce import why as reasons
from penstock.reproduce.changes import with_queues, with_tcp
from penstock.reproduce.claim import decide
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import Claim, Effort, Exhibit, Statement, SummaryTable, by_table
from penstock.reproduce.paper import Experiment
from penstock.results.condition import Condition, Finding
from penstock.results.sample import Sample
from penstock.results.table import Table
from penstock.scenario.scenario import Document

from .changes import AVERAGING, DELAYED, within
from .reconstruction import reconstructed
from .setup import claim

# A cell of the table is a claim, and its number for each change is 1 if the claim is confirmed, -1 if contradicted and
# 0 if undecided. `why.toml` lists the changes with which a claim holds; this experiment claims that the runs agree.
SEEDS = 5
"""Runs of each cell: at most a tenth of those of the claims themselves."""
CODES = {"confirmed": 1.0, "contradicted": -1.0}
OTHERS = ("red", "ared-feng", "ared-floyd")


def _warm(document: Document) -> Document:
    """Leave out the first 20 s, where nothing is left out yet."""
    return document.set("warmup", "20s") if document.tree.get("warmup", "0s") == "0s" else document


CHANGES: Mapping[str, Change] = {
    "PSAND's reverse queue open": with_queues(("psand",), zero_over_zero="one"),
    "PSAND's ramp moving": with_queues(("psand",), gentle_from="current"),
    "PSAND (1, 1)": with_queues(("psand",), coef=1, gamma=1),
    "PSAND (2, 0.25)": with_queues(("psand",), coef=2, gamma=0.25),
    "max_p up to 1": with_queues(("psand",), max_p_high=1.0),
    "RED and adaptive REDs with 0.00266": with_queues(OTHERS, mean_packet="500B"),
    "RED and adaptive REDs drop by chance": with_queues(OTHERS, spacing="none"),
    "strict": with_queues(AVERAGING, gentle=False),
    "AVQ by packets": with_queues(("avq",), measure_in="packets", buffer="35p"),
    "LRED over 1 s": with_queues(("lred",), interval="1s"),
    "delayed acknowledgements": with_tcp(delayed_ack=DELAYED),
    "timeout 0.2 s": with_tcp(min_rto="200ms"),
    "window 8": with_tcp(window=8),
    "from 20 s on": _warm,
}
"""For chapters 2 to 4 and the conclusion, by name."""
OF_CODES: Mapping[str, Change] = {
    "redundancy within the rate": within,
    **{name: CHANGES[name] for name in ("strict", "delayed acknowledgements", "timeout 0.2 s")},
}
"""For chapter 5."""


def own(experiment: str) -> Callable[..., Claim]:
    """A function for the claims of an experiment that are the reproduction's own, not the thesis'."""

    def own_claim(name: str, holds: Statement, expected: str = "", *, says: str = "", **more: Any) -> Claim:
        words = {"expected": expected, "reading": "own", **more}
        id_ = f"{experiment}/{name}"
        return Claim(id_, says, holds, **words) if says else claim(id_, holds, **words)

    return own_claim


LISTED: Mapping[str, Mapping[str, Any]] = {
    id_: entry for id_, entry in reasons.entries(Path(__file__).parent).items() if "holds_with" in entry
}
"""The entries of `why.toml` with changes, by claim: `experiment`, its `loads` ("all" or "few"), and `holds_with`."""
GROUPS = list(dict.fromkeys((entry["experiment"], entry["loads"]) for entry in LISTED.values()))


def _named(experiment: str) -> Experiment:
    (match,) = paper.find([f"alemu/{experiment}"])
    return match


def _verdicts(experiment: str, loads: str, change: Change, effort: Effort) -> dict[str, float]:
    """The main claims of an experiment with a change; "few" loads are those of a quick reproduction."""
    other = _named(experiment)
    study = other.module.study(replace(effort, mode="quick") if loads == "few" else effort)
    table = effort.table(study.changed(reconstructed).changed(change).limited(SEEDS), other.measure)
    decided = decide(claim for claim in other.claims(table) if not claim.reading)
    return {decision.claim.id: CODES.get(decision.finding.verdict, 0.0) for decision in decided}


def _table(effort: Effort) -> Table:
    """The verdict of each listed claim with each change; a quick reproduction has one experiment and two changes."""
    cells = []
    for experiment, loads in GROUPS[: 1 if effort.quick else None]:
        changes = OF_CODES if experiment.startswith(("fig5", "tab5", "ch5")) else CHANGES
        own_claims = [
            id_ for id_, entry in LISTED.items() if (entry["experiment"], entry["loads"]) == (experiment, loads)
        ]
        codes_of: dict[str, dict[str, Sample]] = {id_: {} for id_ in own_claims}
        for name in list(changes)[: 2 if effort.quick else None]:
            codes = _verdicts(experiment, loads, changes[name], effort)
            for id_ in own_claims:
                codes_of[id_][name] = Sample(codes.get(id_, 0.0))
        cells += [({"claim": id_}, codes) for id_, codes in codes_of.items()]
    return Table(cells, seeds=SEEDS)


def _as_listed(ids: Sequence[str], table: Table) -> Condition:
    wrong = []
    for labels, codes in table.cells:
        if (id_ := labels["claim"]) in ids:
            listed = LISTED[id_]["holds_with"]
            wrong += [f"{id_} with {name}" for name, code in codes.items() if (name in listed) != (code.mean > 0)]
    why = "; ".join(wrong) or f"{len(ids)} of {len(ids)} hold"
    return Condition(lambda _: Finding("contradicted" if wrong else "confirmed", None, why))


def _claims() -> list[Claim]:
    """For each experiment: its claims hold with the changes that `why.toml` names, and with no other."""
    claims = []
    for experiment in dict.fromkeys(experiment for experiment, _ in GROUPS):
        ids = [id_ for id_, entry in LISTED.items() if entry["experiment"] == experiment]
        claims.append(
            own("why")(
                experiment,
                by_table(partial(_as_listed, ids), f"the same verdicts with each change, with {SEEDS} runs"),
                needs={"claim": ids[0]},
                says=f"the contradicted claims of {experiment} hold with the changes in why.toml, and with no other",
            )
        )
    return claims


def _drawn(summary: SummaryTable) -> Figure:
    """Claims against changes: a full circle where a claim holds, an empty one where it is undecided."""
    names = summary.axis("claim")
    changes = list(dict.fromkeys(change for _, verdicts in summary.cells for change in verdicts))
    with style.styled():
        figure = Figure(figsize=(style.WIDTH * 1.3, 0.11 * len(names) + 1.6), layout="constrained")
        ax = figure.add_subplot()
        for face, code in (("black", 1.0), ("white", 0.0)):
            at = [
                (changes.index(change), names.index(labels["claim"]))
                for labels, verdicts in summary.cells
                for change in verdicts
                if verdicts[change].mean == code
            ]
            if at:
                xs, ys = zip(*at, strict=True)
                ax.scatter(xs, ys, s=9, color=face, edgecolors="black", linewidths=0.4)
        ax.set_xticks(range(len(changes)), changes, rotation=90, fontsize=5)
        ax.set_yticks(range(len(names)), names, fontsize=5)
        ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
        ax.grid(linewidth=0.2)
    return figure


why = Exhibit(
    "Why claims are contradicted in the author's set-up: each with one thing changed in all runs",
    *_claims(),
    table=_table,
    draw=_drawn,
)
