"""Claims that our runs contradict, and what ns-2 says of each: if it contradicts them too, the finding is the work's.

Each claim is a condition on the numbers of ns-2, as its work's list of claims has it, in one or a few of its cells.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

from penstock.papers.brandauer_2001.setup import redopt_in_packets, thresholds

from .reference import load

Numbers = Callable[..., float]
"""The mean of ns-2 by metric and settings of the cell."""


class Claim(NamedTuple):
    """A claim of a work.

    Attributes:
        work: its alias.
        id: the claim's name in the list of claims.
        file: the reference file.
        holds: whether ns-2 confirms the claim.

    """

    work: str
    id: str
    file: str
    holds: Callable[[Numbers], bool]


@functools.cache
def numbers(file: str) -> Numbers:
    """The numbers of ns-2 in a reference file."""
    cells = load(file)

    def find(metric: str, **settings: str | float) -> float:
        found = [cell for cell in cells if settings.items() <= cell.settings.items()]
        if len(found) != 1:
            raise LookupError(f"{len(found)} cells of {file} have {settings}")
        return found[0].metrics[metric].mean

    return find


AREDS = ("Feng", "Floyd")
OTHERS = ("RED", *AREDS)
LOADS = (8, 28, 103)


def _less_than_others(metric: str, when: str, n: int) -> Callable[[Numbers], bool]:
    """PSAND has less than RED and the adaptive REDs."""

    def holds(ns2: Numbers) -> bool:
        own = ns2(metric, scheme="PSAND", when=when, N=n, max=20)
        return all(own < ns2(metric, scheme=other, when=when, N=n) for other in OTHERS)

    return holds


def _at_each(holds: Callable[..., Callable[[Numbers], bool]], *first: str) -> Callable[[Numbers], bool]:
    return lambda ns2: all(holds(*first, n)(ns2) for n in LOADS)


def _less(ns2: Numbers, other: str) -> float:
    """By how many points PSAND loses less with 28 flows."""
    losses = [ns2("loss", scheme=scheme, when="load", N=28) for scheme in (other, "PSAND")]
    return 100 * (losses[0] - losses[1])


def _uses_most(ns2: Numbers) -> bool:
    """PSAND uses the link best at each number of flows."""
    own = {n: ns2("util", scheme="PSAND", when="load", N=n, max=20) for n in LOADS}
    return all(own[n] > ns2("util", scheme=other, when="load", N=n) for n in LOADS for other in OTHERS)


def _full(ns2: Numbers) -> bool:
    """After the step the adaptive REDs fill the buffer for more than 0.1 % of the time, PSAND for at most 0.1 %."""
    share = {(s, n): ns2("p_full", scheme=s, when="joins", N=n) for s in ("PSAND", *AREDS) for n in (50, 100)}
    return all((p <= 0.001) if scheme == "PSAND" else (p > 0.001) for (scheme, _), p in share.items())


def _red_is_emptiest(ns2: Numbers) -> bool:
    empty = {scheme: ns2("p_empty", scheme=scheme, when="leaves", N=20) for scheme in (*OTHERS, "PSAND")}
    return all(empty["RED"] > empty[other] for other in (*AREDS, "PSAND")) and all(
        empty[other] > empty["PSAND"] for other in AREDS
    )


def _others_are_emptier(ns2: Numbers) -> bool:
    own = ns2("p_empty", scheme="PSAND", when="leaves", N=50)
    return all(ns2("p_empty", scheme=other, when="leaves", N=50) > own for other in OTHERS)


def _best_max_grows(ns2: Numbers) -> bool:
    def shortest(n: int) -> float:
        return min((10.5, 20, 35), key=lambda most: ns2("q_mean", scheme="PSAND", when="load", N=n, max=most))

    return shortest(103) > shortest(3)


def _avq_uses_least(ns2: Numbers) -> bool:
    used = {
        (s, n): ns2("util", scheme=s, when="first", N=n) for s in ("AVQ", "PSAND", "PI", "REM") for n in (8, 53, 103)
    }
    return all(used["AVQ", n] < used["PSAND", n] for n in (8, 53, 103))


def _loses_less_than_avq(ns2: Numbers) -> bool:
    return all(
        ns2("loss", scheme="PSAND", when="first", N=n) < ns2("loss", scheme="AVQ", when="first", N=n)
        for n in (8, 53, 103)
    )


def _red_repairs_more(code: str, flows: int) -> Callable[[Numbers], bool]:
    """After correction RED leaves fewer losses than drop-tail."""

    def holds(ns2: Numbers) -> bool:
        red, tail = (ns2(f"plr_{code}", scheme=s, N=flows, load=1.25, minrto=1.0) for s in ("gRED", "DropTail"))
        return red < tail

    return holds


def _thesis(id: str, holds: Callable[[Numbers], bool], file: str = "thesis_claims") -> Claim:
    return Claim("alemu", id, file, holds)


THESIS = (
    _thesis("fig2.9c/c1", lambda ns2: all(0.7 <= _less(ns2, other) <= 1.7 for other in AREDS)),
    _thesis("fig2.9c/c2", lambda ns2: 0.1 <= _less(ns2, "RED") <= 1.1),
    _thesis("fig2.9c/c4", _at_each(_less_than_others, "loss", "load")),
    _thesis("fig2.10a/c1", _at_each(_less_than_others, "p_empty", "load")),
    _thesis("fig2.10a/c2", _uses_most),
    _thesis("fig2.3-6/c4", _full),
    _thesis("fig2.7/c3", _red_is_emptiest),
    _thesis("fig2.8/c2", _others_are_emptier),
    _thesis("fig3.1a/c1", _best_max_grows),
    _thesis("fig4.6b/c1", _avq_uses_least),
    _thesis("fig4.8c/c2", _loses_less_than_avq),
    _thesis("fig5.4c/c1", _red_repairs_more("16_4", 70), "fec"),
    _thesis("fig5.4d/c1", _red_repairs_more("8_2", 85), "fec"),
)

TAIL, OPT, STD, GENTLE = "TD", "REDopt", "REDstd", "GREDstd"
RED = (OPT, STD, GENTLE)
FLOWS = (16, 64, 128, 256)


def _near_optimal(ns2: Numbers) -> bool:
    """Goodput of 8.4 Mb/s, within 3 %."""
    return all(8.148e6 <= ns2("goodput_bps", scheme=s, flows=n) <= 8.652e6 for s in (TAIL, *RED) for n in FLOWS)


def _light_load(ns2: Numbers) -> bool:
    """With 16 flows REDopt loses half as much UDP as standard RED, and tail-drop is in between."""
    lost = {scheme: ns2("udp_loss", scheme=scheme, flows=16) for scheme in (TAIL, *RED)}
    return all(1.5 <= lost[s] / lost[OPT] <= 2.7 for s in (STD, GENTLE)) and lost[OPT] < lost[TAIL] < lost[STD]


def _alike(ns2: Numbers) -> bool:
    """With 256 flows losses of UDP differ by no more than 15 %."""
    lost = [ns2("udp_loss", scheme=scheme, flows=256) for scheme in (TAIL, *RED)]
    return max(lost) <= 1.15 * min(lost)


def _below_max(ns2: Numbers) -> bool:
    """RED's queue stays below max_th; that of gentle RED with 256 flows is the one in question."""
    return ns2("q_mean_exact", scheme=GENTLE, flows=256) <= thresholds(GENTLE, redopt_in_packets(256))[1]


def _has_a_tail(ns2: Numbers) -> bool:
    """With 256 flows REDopt has more runs of over 10 losses than gentle RED."""
    return any(ns2(f"over_{k}", scheme=OPT, flows=256) > ns2(f"over_{k}", scheme=GENTLE, flows=256) for k in (10, 20))


EVERLASTING = tuple(
    Claim("br", id, "br_claims", holds)
    for id, holds in {
        "c02": _near_optimal,
        "c05": _light_load,
        "c06": _alike,
        "c08": _below_max,
        "c17": _has_a_tail,
    }.items()
)


def _longer_trip_has_less(ns2: Numbers) -> bool:
    """Over three hops with 5000 packets slow flows have 30 to 50 % of their share with tail-drop and with RED."""
    return all(30 <= ns2("slow_pct", network="hops", scheme=scheme, B=5000) <= 50 for scheme in ("DropTail", "gRED"))


def _cross_traffic(ns2: Numbers) -> bool:
    """With tail-drop and 5000 packets the cross traffic has 140 to 160 % of its share and 3 to 7 % are unused."""
    at: dict[str, str | int] = {"network": "hops", "scheme": "DropTail", "B": 5000}
    return 140 <= ns2("fast_pct", **at) <= 160 and 0.93 <= ns2("util", **at) <= 0.97


def _no_more_than_their_share(ns2: Numbers) -> bool:
    """With tail-drop and 5000 packets, flows of 40 ms have at most 105 % of their share."""
    return ns2("fast_pct", network="trips", scheme="DropTail", B=5000) <= 105


def _ten_in_a_queue(ns2: Numbers) -> bool:
    """With ten flows in a queue slow flows lose no more than 5 % of their share."""
    own, shared = (ns2("slow_pct", network="trips", scheme="DRR", B=1000, queues=n, tcp="Reno") for n in (100, 10))
    return own - shared <= 5


def _red_is_poor(ns2: Numbers) -> bool:
    """With 200 packets RED uses at least 5 points less of the link than a queue for each flow."""
    return 100 * (ns2("st.util", scheme="DRR", B=200) - ns2("st.util", scheme="gRED", B=200)) >= 5


LONG = (
    *(
        Claim("kt", id, "kt_claims", holds)
        for id, holds in {
            "c07": _no_more_than_their_share,
            "c14": _longer_trip_has_less,
            "c19": _cross_traffic,
            "c26": _ten_in_a_queue,
        }.items()
    ),
    Claim("kt", "c33", "multirtt", _red_is_poor),
)

CLAIMS = (*THESIS, *EVERLASTING, *LONG)
