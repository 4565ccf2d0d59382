"""Left open by the thesis: PSAND's factor and power by the load, and PSAND under other traffic (Section 2.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Claim, QuickOrFull, Sweep, Table, at_least, every, table_statement
from penstock.results.condition import Condition
from penstock.results.sample import RunSample

from . import panels
from .setup import ADAPTIVE, AQS, EMPTY, OFF, OTHERS, PLR, VQS, claim, psand, red, steady_flows_scenario

FIXED = (1.75, 1.5)
"""Factor and power of the settings (Table 2.1)."""
COEFS, GAMMAS, FLOWS = [1, 1.75, 2.5], [0.25, 0.75, 1.5], [3, 13, 28, 53, 103]
ALLOWED = 0.5
"""How much loss, in points, a steadier queue may cost."""


def _traffic(kind: str) -> Mapping[str, ps.Traffic]:
    """Datagrams at 0.9 of the link; datagrams at a third of it next to 25 transfers; web sessions; half of each."""
    ends: dict[str, Any] = {"from_": "S1", "to": "S3"}

    def datagrams(rate: str, count: int = 10) -> ps.Traffic:
        """Poisson traffic from `count` UDP sources of 1000 B packets."""
        return ps.Poisson(**ends, rate=rate, packet="972B", count=count)

    transfers = ps.Tcp(
        **ends, flavour="sack", profile="ns2", packet="1000B", window=20, min_rto="1s", count=25,
        start={"first": "3.5s", "every": "100ms", "jitter": "100ms"},
    )  # fmt: skip
    pages = ps.Web(
        **ends, flavour="sack", profile="ns2", packet="1000B", window=20, min_rto="1s", sessions=40,
        pages={"exp": "5s"}, start={"uniform": ["0s", "10s"]},
    )  # fmt: skip
    mixes: Mapping[str, Callable[[], Mapping[str, ps.Traffic]]] = {
        "datagrams, 0.9": lambda: {"udp": datagrams("135kbit")},
        "datagrams, 1.2": lambda: {"udp": datagrams("180kbit")},
        "datagrams and transfers": lambda: {"udp": datagrams("50kbit"), "extra": transfers},
        "web": lambda: {"web": pages},
        "web and datagrams": lambda: {"web": pages, "udp": datagrams("50kbit")},
    }
    return mixes[kind]()


KINDS = ["datagrams, 0.9", "datagrams, 1.2", "datagrams and transfers", "web", "web and datagrams"]


def _other(scheme: str, kind: str) -> ps.Scenario:
    basic = steady_flows_scenario(ADAPTIVE[scheme](), 3)
    return ps.Scenario(
        name=f"Alemu, {kind}", duration="100s", links=basic.links, traffic={**_basic(basic, kind), **_traffic(kind)}
    )


def _basic(basic: ps.Scenario, kind: str) -> Mapping[str, ps.Traffic]:
    """Transfers come with three long transfers; datagrams and web pages are alone."""
    return basic.traffic if "transfers" in kind else {}


PAIRS: Mapping[str, QuickOrFull[Sequence[Any]]] = {
    "coef": QuickOrFull([1.75], COEFS),
    "gamma": QuickOrFull([0.25, 1.5], GAMMAS),
    "flows": QuickOrFull([103], FLOWS),
}
SEEDS = QuickOrFull(5, 20)

# Each pair at each load, and a RED that does not adapt; the four schemes under each traffic.
study = (
    Sweep(lambda coef, gamma, flows: steady_flows_scenario(psand(coef, gamma), flows), PAIRS, SEEDS)
    + Sweep(
        lambda flows: steady_flows_scenario(red(min_th=0, max_th=20, max_p=0.75), flows),
        {"flows": PAIRS["flows"]},
        SEEDS,
        labels={"fixed": True},
    )
    + Sweep(_other, {"scheme": list(ADAPTIVE), "kind": QuickOrFull(["web"], KINDS)}, SEEDS)
)


def _halves(table: Table, metric: str, pair: tuple[float, float], flows: int) -> tuple[RunSample, RunSample]:
    """The runs by which a pair is chosen, and those by which it is judged."""
    values = table(metric, coef=pair[0], gamma=pair[1], flows=flows).values
    half = len(values) // 2 if len(values) >= 10 else 0
    return RunSample(values[:half] if half else values), RunSample(values[half:])


def _steadier(table: Table, flows: int) -> Condition:
    """The steadiest pair among those that lose hardly more than the fixed pair, compared with the fixed pair."""

    def first(metric: str, pair: tuple[float, float]) -> float:
        """Mean of a metric of this pair of factor and power, in the first half of the runs."""
        return float(np.mean(_halves(table, metric, pair, flows)[0].values))

    pairs = [(c, g) for c in table.axis("coef") for g in table.axis("gamma")]
    allowed = [pair for pair in pairs if first("PLR", pair) <= first("PLR", FIXED) + ALLOWED]
    best = min(allowed, key=lambda pair: first("VQS", pair))
    own, fixed = (_halves(table, "VQS", pair, flows)[1] for pair in (best, FIXED))
    return (own / fixed <= 0.8).at(f"pair {best}")


def _by_load(flows: int) -> Claim:
    text = f"VQS at most 0.8 of it, chosen among pairs that lose at most {ALLOWED} points more"
    return Claim(
        f"open-psand/load-{flows}",
        f"{flows} flows: the best pair has a steadier queue than the fixed {FIXED}",
        table_statement(partial(_steadier, flows=flows), text),
        reading="own",
        needs={"coef": FIXED[0], "flows": flows},
    )


# Compared with PSAND whose max_p stays at its bound.
FIXED_RED = claim(
    "open-psand/fixed",
    every(*(q(fixed=True) < q(coef=FIXED[0], gamma=FIXED[1]) for q in (AQS, VQS, PLR, EMPTY)))(flows=at_least(13)),
    "AQS, VQS, PLR and P(X=0) below PSAND's at 13 to 103 flows",
    reading="own",
)


def _under(kind: str) -> Iterator[Claim]:
    name = f"open-psand/{kind.replace(', ', '-').replace(' ', '-')}"
    for number, metric, says in (
        (VQS, "VQS", "PSAND's queue is steadier than the three others'"),
        (EMPTY, "empty", "PSAND's queue is less often empty than the three others'"),
        (PLR, "PLR", "PSAND loses less than the three others"),
        (OFF, "target", "PSAND's mean queue is nearest to the target"),
    ):
        holds = number(scheme="PSAND") < number(scheme=OTHERS)
        yield Claim(f"{name}-{metric}", f"{kind}: {says}", holds(kind=kind), reading="own", needs={"kind": kind})


CLAIMS = (*map(_by_load, FLOWS), FIXED_RED, *(own_claim for kind in KINDS for own_claim in _under(kind)))

draw = panels.panel_figure(
    *(panels.Panel("coef", q, "gamma", {"flows": n}, f"{n} flows") for n in (3, 103) for q in ("VQS", "PLR"))
)
