"""Why Tables 2.3 and 3.1 are not met: their numbers fit averages over the lines of ns-2's trace of the queue.

ns-2's RED exposes its queue length as a variable, `curq_`. The trace has a line when an arriving packet finds another
length than the packet before: a queue that stays empty, or full, has one line. Claims are decided again with mean,
variance and shares over these lines instead of samples every 10 ms.
"""

from collections.abc import Mapping, Sequence

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Effort, Statement, Sweep, Table, by_table, every
from penstock.results.condition import Condition, all_of
from penstock.results.sample import Sample

from . import loads, measures, table3_1, tables2, traced, why
from .changes import changed
from .judge import NS2
from .setup import ADAPTIVE, AQS, EMPTY, Acks, load

HOLDS: Mapping[str, Mapping[str, list[str]]] = {
    "as printed": {"tab3-1": ["tab3.1/c1", "tab3.1/r4", "tab3.1/r7"]},
    "delayed acknowledgements": {
        "tab2-3": ["tab2.3/c1", "tab2.3/c3"],
        "tab3-1": ["tab3.1/c1", "tab3.1/r1", "tab3.1/r4", "tab3.1/r7"],
    },
    "window 8": {"tab2-3": ["tab2.3/c2"], "tab3-1": ["tab3.1/r1", "tab3.1/r3", "tab3.1/r4", "tab3.1/r7"]},
}
"""Claims that hold over the lines, by further change and by experiment."""
TABLES = {"tab2-3": tables2.SHARES, "tab3-1": table3_1.PRINTED}
"""Tables whose cells within tolerance over the lines are counted."""


def table(effort: Effort) -> Table:
    """Verdicts by claim and change, and the queue of the adaptive schemes over the lines."""
    codes: dict[str, dict[str, Sample]] = {}
    for change, experiments in HOLDS.items():
        for experiment, claims in experiments.items():
            if effort.quick and (change, experiment) != ("delayed acknowledgements", "tab2-3"):
                continue
            other = why.named(experiment)
            runs = changed(other.module.study(effort), change, effort.choose(5, 10)).keeping(traced.over_lines)
            cells = effort.table(runs, measures.kept_numbers)
            verdicts = [cell.decided(cells).decide().verdict for cell in TABLES[experiment]]
            share = Sample(float(verdicts.count("confirmed")))
            codes.setdefault(f"cells of {experiment}", {})[change] = share
            for claim, code in why.verdicts(other, cells).items():
                if claim in claims:
                    codes.setdefault(claim, {})[change] = code
    decided = [({"claim": claim}, of) for claim, of in codes.items()]
    return Table([*decided, *effort.table(BESIDE(effort), measures.kept_numbers).cells], seeds=effort.choose(5, 50))


def _scenario(scheme: str, flows: int, acks: Acks) -> ps.Scenario:
    return load(ADAPTIVE[scheme](), flows, acks=acks)


BESIDE = Sweep(
    _scenario, {"scheme": ["RED", "Floyd"], "flows": [3, 28], "acks": ["each"]}, keep=traced.over_lines
) + Sweep(
    _scenario,
    {"scheme": ["Feng", "Floyd", "PSAND"], "flows": [103], "acks": ["delayed"]},
    seeds=Choice(5, 50),
    keep=traced.over_lines,
)


own = why.own("why-lines")


def _held(change: str, claims: Sequence[str]) -> Claim:
    def holds(table: Table) -> Condition:
        present = [claim for claim in claims if table.has(claim=claim)]
        return all_of((table(change, claim=claim) > 0.5).at(claim) for claim in present)

    name = change.replace(" ", "-")
    says = f"{change}: claims that hold over the lines of ns-2's trace"
    return own(
        name,
        by_table(holds, ", ".join(claims)),
        needs={"claim": claims[0]},
        says=says,
    )


def _cells_met(experiment: str, total: int) -> Claim:
    cells = f"cells of {experiment}"

    def holds(table: Table) -> Condition:
        (met,) = (samples for _, samples in table.where(claim=cells).cells)
        return all_of((met[change] > total / 2).at(change) for change in met if change != "as printed")

    says = f"{cells} within tolerance over the lines"
    text = f"most of {total} with delayed acknowledgements, and with windows of 8 packets"
    return own(
        experiment,
        by_table(holds, text),
        needs={"claim": cells},
        says=says,
    )


def _as_ns2(scheme: str, flows: int) -> Statement:
    queue, empty = NS2[f"lines, {scheme}, {flows}"].values()
    near = every(AQS.reads(queue, share=0.1), EMPTY.reads(empty, empty - 0.5, empty + 0.5))
    return near(scheme=scheme, flows=flows, acks="each")


CLAIMS = (
    *(
        _held(change, [claim for claims in experiments.values() for claim in claims])
        for change, experiments in HOLDS.items()
    ),
    *(_cells_met(experiment, len(printed.cells)) for experiment, printed in TABLES.items()),
    own("modes", loads.with_many("PSAND", flows=103, acks="delayed")),
    own(
        "ns2",
        every(*(_as_ns2(scheme, n) for scheme in ("RED", "Floyd") for n in (3, 28))),
        "mean queue and P(X=0) of RED and of Floyd's scheme within 10 % and 0.5 points",
    ),
)
