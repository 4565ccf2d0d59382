"""Why Tables 2.3 and 3.1 are missed: their numbers fit the lines of ns-2's trace of the queue.

ns-2's RED shows its queue as a variable, `curq_`. Its trace has a line where an arriving packet finds another length
than the one before it found: a queue that stays empty, or full, has one line. Claims are decided again with mean,
variance and shares over these lines instead of every 10 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import penstock as ps
from penstock import _native
from penstock.papers.alemu_2004 import fig2_11
from penstock.papers.alemu_2004.changes import changed
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import ADAPTIVE, BUFFER, Acks, load
from penstock.papers.alemu_2004.why import CODES, named
from penstock.reproduce.claim import Claim, decide
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "table"]

HOLDS: Mapping[str, Mapping[str, list[str]]] = {
    "as printed": {"tab3-1": ["tab3.1/c1", "tab3.1/r4", "tab3.1/r7"]},
    "delayed acknowledgements": {
        "tab2-3": ["tab2.3/c1", "tab2.3/c3"],
        "tab3-1": ["tab3.1/c1", "tab3.1/r1", "tab3.1/r4", "tab3.1/r7"],
    },
    "window 8": {"tab2-3": ["tab2.3/c2"], "tab3-1": ["tab3.1/r1", "tab3.1/r3", "tab3.1/r4", "tab3.1/r7"]},
}
"""Claims that hold over the lines, by what else is changed and by experiment."""
CELLS = {"tab2-3": 18, "tab3-1": 72}
"""Cells of these tables, of which it is counted how many are within tolerance over the lines."""
NS2 = {
    ("RED", 3): (9.620, 4.312),
    ("RED", 28): (16.462, 1.280),
    ("Floyd", 3): (10.306, 3.682),
    ("Floyd", 28): (13.252, 1.690),
}
"""Mean queue and share of empty ones in percent, over the lines: ns-2.35, five runs each of
`validation/ns2/trace_lines.tcl`."""


def table(effort: Effort) -> Table:
    """Verdicts by claim and change, and the queue of the adaptive schemes over the lines."""
    seeds = effort.choose(5, 10)
    verdicts: dict[str, dict[str, Sample]] = {}
    for change, experiments in HOLDS.items():
        for experiment, own in experiments.items():
            if effort.quick and (change, experiment) != ("delayed acknowledgements", "tab2-3"):
                continue
            other = named(experiment)
            study = _traced(changed(other.module.study(effort), change, seeds))
            found = effort.table(study, _measure)
            met = [
                other.module.JUDGES[cell.metric](found(cell.metric, **cell.at), cell.printed)
                for cell in other.module.PRINTED
            ]
            share = Sample(float(sum(one.decide().verdict == "confirmed" for one in met)))
            verdicts.setdefault(f"cells of {experiment}", {})[change] = share
            for one in decide(other.claims(found)):
                if one.claim.id in own and not one.claim.reading:
                    verdicts.setdefault(one.claim.id, {})[change] = Sample(CODES.get(one.finding.verdict, 0.0))
    plain: Mapping[str, Sequence[Any]] = {"scheme": ["RED", "Floyd"], "flows": [3, 28], "acks": ["each"]}
    late: Mapping[str, Sequence[Any]] = {"scheme": ["Feng", "Floyd", "PSAND"], "flows": [103], "acks": ["delayed"]}
    beside = Study(_scenario, plain, seeds=5, keep=keep) + Study(_scenario, late, seeds=effort.choose(5, 50), keep=keep)
    decided = [({"claim": claim}, codes) for claim, codes in verdicts.items()]
    return Table([*decided, *effort.table(beside, _measure).cells], seeds=effort.choose(5, 50))


def _scenario(scheme: str, flows: int, acks: Acks) -> ps.Scenario:
    return load(ADAPTIVE[scheme](), flows, acks=acks)


def _traced(study: Study) -> Study:
    """The study, each run with what its lines say."""
    return replace(study, keep=keep, others=tuple(_traced(other) for other in study.others))


def keep(run: ps.Run) -> Mapping[str, Any]:
    """The queue over the lines of ns-2's trace, from a second run with a trace."""
    scenario = Document({key: value for key, value in run.scenario.items() if key != "seed"}).resolve()
    _, raw = _native.run_recorded(scenario.for_engine(flows=False, series=False), run.seed, True, [], {})
    place = [entry["name"] for entry in scenario.canonical["links"]].index("bottleneck")
    at = np.frombuffer(raw["link"], dtype="<u4") == place
    names = _native.trace_words()[0]
    event = np.frombuffer(raw["event"], dtype="u1")[at]
    enters, leaves, arrives = (event == names.index(name) for name in ("enqueue", "dequeue", "arrive"))
    found = np.cumsum(enters.astype(int) - leaves)[arrives]
    lines = found[np.concatenate([[True], found[1:] != found[:-1]])]
    inside = {
        "empty": lines <= 0,
        "5 to 15": (lines > 5) & (lines <= 15),
        "25 to 35": (lines > 25) & (lines <= 35),
        "full": lines > 34,
    }
    shares = {name: float(100 * among.mean()) for name, among in inside.items()}
    lengths = 100 * np.bincount(lines, minlength=BUFFER + 1) / len(lines)
    return {
        "AQS": float(lines.mean()),
        "VQS": float(lines.var()),
        "PLR": 100 * run.links["bottleneck"].loss_rate,
        **shares,
        **{f"X={i}": float(lengths[i]) for i in range(BUFFER + 1)},
    }


def _measure(run: ps.Run) -> Numbers:
    return dict(run.raw["kept"])


def claims(found: Table) -> Iterator[Claim]:
    """What holds with each change, and that ns-2 has the same lines."""
    known = found.axis("claim")
    for change, experiments in HOLDS.items():
        own = [claim for claims in experiments.values() for claim in claims if claim in known]
        if own:
            yield Claim(
                id=f"why-lines/{change.replace(' ', '-')}",
                says=f"{change}: claims that hold over the lines of ns-2's trace",
                expected=", ".join(own),
                holds=all_of((found(change, claim=claim) > 0.5).at(claim) for claim in own),
                reading="own",
            )
    for experiment, total in CELLS.items():
        cells = f"cells of {experiment}"
        if cells in known:
            yield Claim(
                id=f"why-lines/{experiment}",
                says=f"{cells} within tolerance over the lines",
                expected=f"most of {total} with delayed acknowledgements, and with windows of 8 packets",
                holds=all_of(
                    (found(change, claim=cells) > total / 2).at(change)
                    for change in found.where(claim=cells).cells[0][1]
                    if change != "as printed"
                ),
                reading="own",
            )
    modes = found.where(acks="delayed")
    yield Claim(
        id="why-lines/modes",
        says="delayed acknowledgements, 103 flows: over the lines the modes are where Figure 2.11(d) has them",
        expected="PSAND in 5 to 15, Feng's and Floyd's scheme in 10 to 20",
        holds=all_of(
            fig2_11.mode(modes, "PSAND", 103).between(5, 15).at("PSAND"),
            *(fig2_11.mode(modes, s, 103).between(10, 20).at(s) for s in ("Feng", "Floyd")),
        ),
        reading="own",
    )
    yield Claim(
        id="why-lines/ns2",
        says="ns-2.35 has the same over the lines of its trace",
        expected="mean queue and P(X=0) of RED and of Floyd's scheme within 10 % and 0.5 points",
        holds=all_of(
            condition.at(f"{scheme}, {n} flows")
            for (scheme, n), (mean, empty) in NS2.items()
            for condition in (
                found("AQS", scheme=scheme, flows=n, acks="each").reads(mean, share=0.1),
                found("empty", scheme=scheme, flows=n, acks="each").reads(empty, low=empty - 0.5, high=empty + 0.5),
            )
        ),
        reading="own",
    )
