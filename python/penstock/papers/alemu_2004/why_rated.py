"""Why what chapter 4 says of the schemes is contradicted: pair by pair, AVQ by packets, LRED over 1 s.

The ratings of Tables 4.2 and 4.3 are orders of many pairs, of which few miss. The thesis leaves open what AVQ
counts and how often LRED measures; the text has one beta for both links, 0.021. Averages are over six loads.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import penstock as ps
from penstock.reproduce.choice import above, at_least, below
from penstock.reproduce.figure import Choice, Claim, Statement, Sweep, Table, by_table, every, some
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Labels
from penstock.scenario.scenario import Document

from . import equal_trips, unequal_trips, why
from .changes import CHANGES, FURTHER, PAIRS, Change, both, queue
from .controllers import AVQS, LREDS, averaged, better, higher, lower, others
from .judge import swept
from .setup import AQS, CONTROLLERS, LONG_RUNS, LU, PLR, R_DESIGN, VQS, C, Topology, load4
from .symbols import Column, ranking

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


def _scenario(scheme: str, flows: int, topology: Topology, change: str) -> Document:
    document = load4(scheme, flows, topology).document()
    SETS[change](document.tree)
    return Document(document.tree)


def _part(schemes: Sequence[str], topology: str, change: str) -> Sweep:
    flows = Choice([3, 103], [3, 13, 28, 53, 78, 103])
    axes: Mapping[str, Sequence[Any] | Choice[Sequence[Any]]] = {
        "scheme": schemes,
        "flows": flows,
        "topology": [topology],
        "change": [change],
    }
    return Sweep(_scenario, axes, seeds=Choice(5, 20))


# The schemes on both links, and some of them changed.
study = (
    _part(CONTROLLERS, "same", "as printed")
    + _part(CONTROLLERS, "diff", "as printed")
    + _part(AVQS, "diff", "packets")
    + _part(LREDS, "diff", "1 s")
    + _part(["LRED"], "diff", "1 s, printed beta")
    + _part(["PSAND"], "diff", "(2, 0.25)")
)

PACKETS = dict.fromkeys(AVQS, "packets")
SLOW = {**PACKETS, **dict.fromkeys(LREDS, "1 s")}
ONE_BETA = {"LRED": "1 s, printed beta", "LRED*": "1 s", "PSAND": "(2, 0.25)"}
STEADY = {**SLOW, "PSAND": "(2, 0.25)"}
"""What is changed of each scheme."""


def _with(changes: Mapping[str, str], holds: Statement, topology: Topology = "diff") -> Statement:
    """A statement on the eight schemes, some of them changed."""

    def chosen(labels: Labels) -> bool:
        own = changes.get(labels["scheme"], "as printed")
        return bool(labels["topology"] == topology and labels["change"] == own)

    return why.among(chosen, holds, "change")


def _pairs(column: Column) -> Iterator[tuple[str, str]]:
    """Who is better than whom, of schemes with neighbouring symbols."""
    for first, second in itertools.pairwise(ranking(column)):
        yield from itertools.product(first, second)


def _but(printed: Mapping[str, Column], name: str, left_out: Callable[[str, str], bool]) -> Statement:
    """The order of a column, without some pairs."""
    return every(*(better(name, a, b) for a, b in _pairs(printed[name]) if not left_out(a, b)))


def _longer(printed: Mapping[str, Column]) -> Statement:
    """Of two schemes the first loses less, or has the shorter queue."""
    return every(
        *(
            some(every(*(averaged(q(scheme=a)) < averaged(q(scheme=b)) for q in (PLR, AQS))))
            for a, b in _pairs(printed["PLR"])
        )
    )


def _smaller_gain(table: Table) -> Condition:
    """With fewer than 28 flows the gain of LRED* is below that of LRED."""
    betas = {n: float(ps.model.lred_beta(n, R_DESIGN["same"], C).phase) for n in table.axis("flows") if n < 28}
    return all_of((Sample(beta) < BETA).at(f"beta, {n}") for n, beta in betas.items())


own = why.own("why-rated")


def _same() -> Iterator[Claim]:
    """With equal round trips."""
    yield own(
        "tab4.2-c2",
        "all pairs but those with AVQ",
        _with({}, _but(equal_trips.PRINTED, "VQS", lambda a, b: b == "AVQ"), "same"),
        "Table 4.2, VQS",
    )
    yield own(
        "tab4.2-c3",
        "a pair that misses wants the scheme with the shorter queue to lose less",
        _with({}, _longer(equal_trips.PRINTED), "same"),
        "Table 4.2, PLR or AQS",
    )
    alike = every(
        (VQS(scheme="LRED") / VQS(scheme="PSAND")).reads(1, share=0.4),
        lower(VQS, "LRED*", ["LRED", "PSAND"]),
        PLR(scheme="LRED*") - PLR(scheme="PSAND") <= 2,
    )
    yield own(
        "fig4.5b-c3",
        "holds from 28 flows on; with fewer LRED* has the smaller gain",
        every(_with({}, swept(alike(flows=at_least(28))), "same"), by_table(_smaller_gain, "beta < 0.021")),
        "as fig4.5b/c3; beta < 0.021",
    )


def _rated() -> Iterator[Claim]:
    """Table 4.3."""
    yield own(
        "tab4.3-c1",
        "all pairs but REM, PSAND: LRED with the printed beta over 1 s, PSAND (2, 0.25)",
        _with(ONE_BETA, _but(unequal_trips.PRINTED, "AQS", lambda a, _: a == "REM")),
        "Table 4.3, AQS",
    )
    yield own(
        "tab4.3-c2",
        "all pairs but PSAND, PI and REM, LRED: AVQ by packets, LRED over 1 s, PSAND (2, 0.25)",
        _with(STEADY, _but(unequal_trips.PRINTED, "VQS", lambda a, b: b == "PI" or a == "REM")),
        "Table 4.3, VQS",
    )
    yield own(
        "tab4.3-c3",
        "AVQ by packets: as tab4.2-c3",
        _with(PACKETS, _longer(unequal_trips.PRINTED)),
        "Table 4.3, PLR or AQS",
    )


def _shown() -> Iterator[Claim]:
    """Figures 4.8 and 4.10."""
    last = above(78)
    yield own(
        "fig4.8b-c2",
        "AVQ by packets: less steady than PSAND, AVQ* steadiest at 103 but for PI",
        _with(
            PACKETS,
            every(
                better("VQS", "PSAND", "AVQ"),
                lower(VQS, "AVQ*", others("AVQ*", "PI"))(flows=last),
                AQS(scheme="PI", flows=last) > 30,
            ),
        ),
        "mean VQS; PI's AQS > 30",
    )
    fewer_lost = every(
        lower(PLR, "PSAND", AVQS)(flows=at_least(53)),
        higher(PLR, "AVQ*", "AVQ")(flows=last),
        lower(LU, "AVQ*", "AVQ")(flows=last),
        (AQS(scheme="PSAND") < AQS(scheme=AVQS) * 0.6)(flows=below(28)),
    )
    yield own(
        "fig4.8c-c2",
        "AVQ by packets: PSAND loses less from 53 flows on, and has a far shorter queue below 28",
        _with(PACKETS, swept(fewer_lost)),
        "as fig4.8c/c2; AQS < 0.6",
    )
    yield own(
        "fig4.8b-c3",
        "AVQ by packets, LRED over 1 s: holds but for REM and AVQ*",
        _with(SLOW, every(better("VQS", "LRED", ["BLUE", "AVQ"]), better("VQS", ["PI", "LRED*", "PSAND"], "LRED"))),
        "mean VQS",
    )
    yield own(
        "fig4.10c-c1",
        "AVQ by packets: holds with AVQ* beside AVQ",
        _with(
            PACKETS,
            every(
                swept(lower(LONG_RUNS, "PSAND", others("PSAND"))(flows=at_least(13))),
                better("LRL>2", others("AVQ", "AVQ*", "PI", "PSAND"), ["AVQ", "AVQ*", "PI"]),
            ),
        ),
        "PSAND's LRL(>2) for N >= 13",
    )


CLAIMS = (*_same(), *_rated(), *_shown())
