"""Why claims of chapter 4 are contradicted: AVQ by packets, LRED over 1 s, pair by pair."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import penstock as ps
from penstock.reproduce.choice import above, at_least, below
from penstock.reproduce.figure import Choice, Claim, Exhibit, Statement, Sweep, Table, by_table, every, some
from penstock.reproduce.shape import swept
from penstock.results.condition import Condition, all_of
from penstock.results.sample import Sample
from penstock.results.table import Labels
from penstock.scenario.scenario import Document

from . import equal_trips, unequal_trips, why
from .changes import under
from .controllers import ALL, AVQS, LREDS, averaged, better, higher, lower, others
from .setup import AQS, BUFFER, CONTROLLERS, GRID, LONG_RUNS, LU, PLR, R_DESIGN, VQS, C, Topology, load4
from .symbols import Column, ranking

COUNTS = {"packets": "refill", "packets, dropped ones too": "charge"}
"""Whether a dropped packet is charged to the virtual queue."""


def _counted(scheme: str, flows: int, counts: str) -> Document:
    document = load4(scheme, flows).document()
    for key, value in (("measure_in", "packets"), ("buffer", f"{BUFFER}p"), ("on_drop", COUNTS[counts])):
        document = document.set(f"links.bottleneck.queue.{key}", value, "vary")
    return document


# The schemes of chapter 4 with equal round trips; AVQ and AVQ* with bytes and with packets.
FLOWS = Choice([3, 53, 103], GRID)


def _counting(counts: str | None, holds: Statement) -> Statement:
    """The statement `holds` about the runs of all schemes in which AVQ and AVQ* count in `counts` (`None`: bytes)."""

    def chosen(labels: Labels) -> bool:
        return bool(labels.get("counts") == (counts if labels["scheme"] in AVQS else None))

    return why.among(chosen, holds, "counts")


def _unsolved(table: Table) -> Condition:
    """AVQ*'s rule as printed gives no alpha below 53 flows."""
    alphas = {
        n: float(ps.model.avq_alpha(n, R_DESIGN["same"], C, reading="printed")) for n in table.axis("flows") if n < 53
    }
    return all_of((Sample(float(alpha != alpha)) >= 1.0).at(f"{n} flows") for n, alpha in alphas.items())


of_avq = why.own("why-avq")
HOLDS = {"fig4.7a/c1": "packets", "fig4.6b/c1": "packets, dropped ones too", "fig4.6c/c1": "packets, dropped ones too"}
KNOWN = {claim.id: claim for claim in (*equal_trips.fig4_6.CLAIMS, *equal_trips.fig4_7.CLAIMS)}

# The thesis gives all lengths in packets, and AVQ's equations leave the unit open. If AVQ counts bytes, as in ns-2,
# short acknowledgements hardly matter. "charge" is AVQ as published, where dropped packets count in the arrival rate.
why_avq = Exhibit(
    "Why the figures of chapter 4 have AVQ otherwise: it may count packets, and its rule gives nothing below 53 flows",
    *(
        of_avq(
            id_,
            _counting(counts, KNOWN[id_].statement),
            KNOWN[id_].expected,
            says=f"AVQ counts {counts}: {KNOWN[id_].says}",
        )
        for id_, counts in HOLDS.items()
    ),
    of_avq(
        "shortest",
        every(
            _counting(None, swept(lower(AQS, "AVQ*", others("AVQ*"))(flows=at_least(23)))),
            by_table(_unsolved, "no solution of (1.18), (1.19) for N < 53"),
        ),
    ),
    study=Sweep(load4, {"scheme": ALL, "flows": FLOWS}, Choice(5, 10), labels={"topology": "same"})
    + Sweep(
        _counted, {"scheme": AVQS, "flows": FLOWS, "counts": list(COUNTS)}, Choice(5, 10), labels={"topology": "same"}
    ),
)


BETA = 0.021
"""The beta that Section 4.3 prints."""
SETS = {
    "as printed": "as printed", "packets": "AVQ by packets", "1 s": "LRED over 1 s",
    "1 s, printed beta": "LRED over 1 s, beta 0.021", "(2, 0.25)": "PSAND (2, 0.25)",
}  # fmt: skip
"""Changes to a scheme with unequal round trips, by the names of `changes`."""


def _changed(scheme: str, flows: int, topology: Topology, change: str) -> Document:
    return under(SETS[change], load4(scheme, flows, topology))


def _part(schemes: Sequence[str], topology: str, change: str) -> Sweep:
    flows = Choice([3, 103], [3, 13, 28, 53, 78, 103])
    axes: Mapping[str, Sequence[Any] | Choice[Sequence[Any]]] = {
        "scheme": schemes,
        "flows": flows,
        "topology": [topology],
        "change": [change],
    }
    return Sweep(_changed, axes, seeds=Choice(5, 20))


PACKETS = dict.fromkeys(AVQS, "packets")
SLOW = {**PACKETS, **dict.fromkeys(LREDS, "1 s")}
ONE_BETA = {"LRED": "1 s, printed beta", "LRED*": "1 s", "PSAND": "(2, 0.25)"}
STEADY = {**SLOW, "PSAND": "(2, 0.25)"}
"""Changes by scheme."""


def _with(changes: Mapping[str, str], holds: Statement, topology: Topology = "diff") -> Statement:
    """A statement on the eight schemes, some of them changed."""

    def chosen(labels: Labels) -> bool:
        own = changes.get(labels["scheme"], "as printed")
        return bool(labels["topology"] == topology and labels["change"] == own)

    return why.among(chosen, holds, "change")


def _pairs(column: Column) -> Iterator[tuple[str, str]]:
    """Pairs of schemes with neighbouring symbols, the better one first."""
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
        "tab4.2-c2", _with({}, _but(equal_trips.PRINTED, "VQS", lambda a, b: b == "AVQ"), "same"), "Table 4.2, VQS"
    )
    yield own("tab4.2-c3", _with({}, _longer(equal_trips.PRINTED), "same"), "Table 4.2, PLR or AQS")
    alike = every(
        (VQS(scheme="LRED") / VQS(scheme="PSAND")).reads(1, share=0.4),
        lower(VQS, "LRED*", ["LRED", "PSAND"]),
        PLR(scheme="LRED*") - PLR(scheme="PSAND") <= 2,
    )
    yield own(
        "fig4.5b-c3",
        every(_with({}, swept(alike(flows=at_least(28))), "same"), by_table(_smaller_gain, "beta < 0.021")),
        "as fig4.5b/c3; beta < 0.021",
    )


def _rated() -> Iterator[Claim]:
    """Table 4.3."""
    yield own(
        "tab4.3-c1", _with(ONE_BETA, _but(unequal_trips.PRINTED, "AQS", lambda a, _: a == "REM")), "Table 4.3, AQS"
    )
    yield own(
        "tab4.3-c2",
        _with(STEADY, _but(unequal_trips.PRINTED, "VQS", lambda a, b: b == "PI" or a == "REM")),
        "Table 4.3, VQS",
    )
    yield own("tab4.3-c3", _with(PACKETS, _longer(unequal_trips.PRINTED)), "Table 4.3, PLR or AQS")


def _figures() -> Iterator[Claim]:
    """Figures 4.8 and 4.10."""
    last = above(78)
    yield own(
        "fig4.8b-c2",
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
    yield own("fig4.8c-c2", _with(PACKETS, swept(fewer_lost)), "as fig4.8c/c2; AQS < 0.6")
    yield own(
        "fig4.8b-c3",
        _with(SLOW, every(better("VQS", "LRED", ["BLUE", "AVQ"]), better("VQS", ["PI", "LRED*", "PSAND"], "LRED"))),
        "mean VQS",
    )
    yield own(
        "fig4.10c-c1",
        _with(
            PACKETS,
            every(
                swept(lower(LONG_RUNS, "PSAND", others("PSAND"))(flows=at_least(13))),
                better("LRL>2", others("AVQ", "AVQ*", "PI", "PSAND"), ["AVQ", "AVQ*", "PI"]),
            ),
        ),
        "PSAND's LRL(>2) for N >= 13",
    )


# Each column of Tables 4.2 and 4.3 orders many pairs of schemes, of which few are contradicted. The thesis does not say
# whether AVQ counts packets or bytes nor how often LRED measures, and has one beta for both links, 0.021. Averages are
# over six loads.
why_rated = Exhibit(
    "Why what chapter 4 says of the schemes is contradicted: pair by pair, AVQ by packets, LRED over 1 s",
    *_same(),
    *_rated(),
    *_figures(),
    # The schemes on both links, and some of them changed.
    study=_part(CONTROLLERS, "same", "as printed")
    + _part(CONTROLLERS, "diff", "as printed")
    + _part(AVQS, "diff", "packets")
    + _part(LREDS, "diff", "1 s")
    + _part(["LRED"], "diff", "1 s, printed beta")
    + _part(["PSAND"], "diff", "(2, 0.25)"),
)
