"""Why what chapter 4 says of the schemes is contradicted: pair by pair, AVQ by packets, LRED over 1 s.

The ratings of Tables 4.2 and 4.3 are orders of many pairs, of which few miss. The thesis leaves open what AVQ
counts and how often LRED measures; the text has one beta for both links, 0.021. Averages are over six loads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import tab4_2, tab4_3
from penstock.papers.alemu_2004.changes import CHANGES, FURTHER, PAIRS, Change, both, queue
from penstock.papers.alemu_2004.controllers import Eight, others
from penstock.papers.alemu_2004.judge import sweep
from penstock.papers.alemu_2004.measures import Numbers, of_controllers
from penstock.papers.alemu_2004.setup import CONTROLLERS, R_DESIGN, C, Topology, load4
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of, any_of
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

FLOWS = [3, 13, 28, 53, 78, 103]
BETA = 0.021
"""The beta that Section 4.3 prints."""
SETS: Mapping[str, Change] = {
    "as printed": CHANGES["as printed"],
    "packets": FURTHER["AVQ by packets"],
    "1 s": FURTHER["LRED over 1 s"],
    "1 s, printed beta": both(FURTHER["LRED over 1 s"], queue(("lred",), beta=BETA)),
    "(2, 0.25)": PAIRS["PSAND (2, 0.25)"],
}
"""What is changed of a scheme with unequal round trips."""
Pair = tuple[str, str]


def study(effort: Effort) -> Study:
    """The schemes on both links, and some of them changed."""
    flows, seeds = effort.choose([3, 103], FLOWS), effort.choose(5, 20)

    def scenario(scheme: str, flows: int, topology: Topology, change: str) -> Document:
        document = load4(scheme, flows, topology).document()
        SETS[change](document.tree)
        return Document(document.tree)

    def part(schemes: Sequence[str], topology: str, change: str) -> Study:
        axes: Mapping[str, Sequence[Any]] = {
            "scheme": schemes, "flows": flows, "topology": [topology], "change": [change],
        }  # fmt: skip
        return Study(scenario, axes, seeds=seeds)

    return (
        part(CONTROLLERS, "same", "as printed")
        + part(CONTROLLERS, "diff", "as printed")
        + part(["AVQ", "AVQ*"], "diff", "packets")
        + part(["LRED", "LRED*"], "diff", "1 s")
        + part(["LRED"], "diff", "1 s, printed beta")
        + part(["PSAND"], "diff", "(2, 0.25)")
    )


def measure(run: ps.Run) -> Numbers:
    """What the figures show."""
    return of_controllers(run)


def chosen(table: Table, topology: Topology, **changes: str) -> Eight:
    """The eight schemes, some of them changed: AVQ and AVQ*, LRED, LRED* or PSAND."""
    by_scheme = {"AVQ": "avq", "AVQ*": "avq", "LRED": "lred", "LRED*": "lred_n", "PSAND": "psand"}

    def wanted(scheme: str) -> str:
        return changes.get(by_scheme.get(scheme, ""), "as printed")

    return Eight(Table([cell for cell in table.cells if cell[0]["change"] == wanted(cell[0]["scheme"])]), topology)


def pairs(ranking: Sequence[Sequence[str]]) -> list[Pair]:
    """Who is better than whom."""
    return [(a, b) for first, second in itertools.pairwise(ranking) for a in first for b in second]


def claims(table: Table) -> Iterator[Claim]:
    """Equal round trips, then unequal ones."""
    yield from _same(chosen(table, "same"))
    yield from _diff(table)


def _own(name: str, says: str, expected: str, holds: Condition) -> Claim:
    return Claim(id=f"why-rated/{name}", says=says, expected=expected, holds=holds, reading="own")


def _but(
    eight: Eight, metric: str, ranking: Sequence[Sequence[str]], left_out: Callable[[str, str], bool]
) -> Condition:
    return all_of(eight.better(metric, a, b) for a, b in pairs(ranking) if not left_out(a, b))


def _longer(eight: Eight, ranking: Sequence[Sequence[str]]) -> Condition:
    """Of two schemes the first loses less, or has the shorter queue."""
    return all_of(
        any_of(
            (eight.mean("PLR", a) < eight.mean("PLR", b)).at("PLR"),
            (eight.mean("AQS", a) < eight.mean("AQS", b)).at("AQS"),
        ).at(f"{a} and {b}")
        for a, b in pairs(ranking)
    )


def _same(eight: Eight) -> Iterator[Claim]:
    yield _own(
        "tab4.2-c2",
        "all pairs but those with AVQ",
        "Table 4.2, VQS",
        _but(eight, "VQS", tab4_2.RANKS["VQS"], lambda a, b: b == "AVQ"),
    )
    yield _own(
        "tab4.2-c3",
        "a pair that misses wants the scheme with the shorter queue to lose less",
        "Table 4.2, PLR or AQS",
        _longer(eight, tab4_2.RANKS["PLR"]),
    )
    flows = [n for n in eight.flows if n >= 28]
    betas = {n: float(ps.model.lred_beta(n, R_DESIGN["same"], C).phase) for n in eight.flows}
    yield _own(
        "fig4.5b-c3",
        "holds from 28 flows on; with fewer LRED* has the smaller gain",
        "as fig4.5b/c3; beta < 0.021",
        all_of(
            sweep(
                [
                    *(
                        (eight.of("VQS", "LRED", n) / eight.of("VQS", "PSAND", n)).reads(1, share=0.4).at(f"alike, {n}")
                        for n in flows
                    ),
                    *eight.below("VQS", "LRED*", ["LRED", "PSAND"], flows),
                    *(
                        (eight.of("PLR", "LRED*", n) - eight.of("PLR", "PSAND", n) <= 2.0).at(f"PLR, {n}")
                        for n in flows
                    ),
                ]
            ),
            *((Sample(beta) < BETA).at(f"beta, {n}") for n, beta in betas.items() if n < 28),
        ),
    )


def _diff(table: Table) -> Iterator[Claim]:
    packets = chosen(table, "diff", avq="packets")
    slow = chosen(table, "diff", avq="packets", lred="1 s", lred_n="1 s")
    one_beta = chosen(table, "diff", lred="1 s, printed beta", lred_n="1 s", psand="(2, 0.25)")
    steady = chosen(table, "diff", avq="packets", lred="1 s", lred_n="1 s", psand="(2, 0.25)")
    yield _own(
        "tab4.3-c1",
        "all pairs but REM, PSAND: LRED with the printed beta over 1 s, PSAND (2, 0.25)",
        "Table 4.3, AQS",
        _but(one_beta, "AQS", tab4_3.RANKS["AQS"], lambda a, _: a == "REM"),
    )
    yield _own(
        "tab4.3-c2",
        "all pairs but PSAND, PI and REM, LRED: AVQ by packets, LRED over 1 s, PSAND (2, 0.25)",
        "Table 4.3, VQS",
        _but(steady, "VQS", tab4_3.RANKS["VQS"], lambda a, b: b == "PI" or a == "REM"),
    )
    yield _own(
        "tab4.3-c3",
        "AVQ by packets: as tab4.2-c3",
        "Table 4.3, PLR or AQS",
        _longer(packets, tab4_3.RANKS["PLR"]),
    )
    last = [n for n in packets.flows if n > 78]
    yield _own(
        "fig4.8b-c2",
        "AVQ by packets: less steady than PSAND, AVQ* steadiest at 103 but for PI",
        "mean VQS; PI's AQS > 30",
        all_of(
            packets.better("VQS", "PSAND", "AVQ"),
            *packets.below("VQS", "AVQ*", others("AVQ*", "PI"), last),
            *((packets.of("AQS", "PI", n) > 30.0).at(f"PI, {n}") for n in last),
        ),
    )
    few, many = [n for n in packets.flows if n < 28], [n for n in packets.flows if n >= 53]
    yield _own(
        "fig4.8c-c2",
        "AVQ by packets: PSAND loses less from 53 flows on, and has a far shorter queue below 28",
        "as fig4.8c/c2; AQS < 0.6",
        sweep(
            [
                *packets.below("PLR", "PSAND", ["AVQ", "AVQ*"], many),
                *packets.above("PLR", "AVQ*", ["AVQ"], last),
                *packets.below("LU", "AVQ*", ["AVQ"], last),
                *(
                    (packets.of("AQS", "PSAND", n) < packets.of("AQS", s, n) * 0.6).at(f"AQS, {s}, {n}")
                    for s in ("AVQ", "AVQ*")
                    for n in few
                ),
            ]
        ),
    )
    yield _own(
        "fig4.8b-c3",
        "AVQ by packets, LRED over 1 s: holds but for REM and AVQ*",
        "mean VQS",
        all_of(
            *(slow.better("VQS", "LRED", s) for s in ("BLUE", "AVQ")),
            *(slow.better("VQS", s, "LRED") for s in ("PI", "LRED*", "PSAND")),
        ),
    )
    yield _own(
        "fig4.10c-c1",
        "AVQ by packets: holds with AVQ* beside AVQ",
        "PSAND's LRL(>2) for N >= 13",
        all_of(
            sweep(packets.below("LRL>2", "PSAND", others("PSAND"), [n for n in packets.flows if n >= 13])),
            *(
                packets.better("LRL>2", s, bad)
                for bad in ("AVQ", "AVQ*", "PI")
                for s in others("AVQ", "AVQ*", "PI", "PSAND")
            ),
        ),
    )
