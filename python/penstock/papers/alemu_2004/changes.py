"""Possible differences between the thesis' runs and its text: one thing changed in all scenarios."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from penstock.scenario.scenario import Document, Scenario
from penstock.studies.study import Study

Tree = dict[str, Any]
Change = Callable[[Tree], None]
DELAYED = "100ms"
"""Timer of ns-2's delayed acknowledgements: the other reading of the receivers (guess 3)."""
AUTOMATIC: Mapping[str, Any] = {"min_th": 6.25, "max_th": 18.75, "w_q": 0.0004}
"""RED as ns-2 has set it by itself since 2001, on the link of chapter 5 (guess 9)."""
AVERAGING = ("red", "ared-feng", "ared-floyd", "psand")
"""Schemes with RED's average and drop function."""
MARKING = (*AVERAGING, "blue", "sred", "rem", "dsred", "green", "avq", "p", "pi", "lred")
"""Schemes that can mark."""


def tcp(**keys: Any) -> Change:
    """Other senders or receivers."""

    def change(tree: Tree) -> None:
        for group in tree["traffic"].values():
            if group["kind"] == "tcp":
                group.update(keys)

    return change


def queue(schemes: tuple[str, ...] = AVERAGING, **keys: Any) -> Change:
    """Other parameters of these schemes."""

    def change(tree: Tree) -> None:
        for own in _queues(tree):
            if own["scheme"] in schemes:
                own.update(keys)

    return change


def within(tree: Tree) -> None:
    """The rate of datagrams with a code includes redundancy."""
    for group in tree["traffic"].values():
        if group["kind"] == "fec":
            group["rate"] = f"{500 * group['k'] / (group['k'] + group['h']):.6g}kbit"


def few(change: Change) -> Change:
    """Only in scenarios with the basic 3 flows alone."""

    def only(tree: Tree) -> None:
        if len(tree["traffic"]) == 3:
            change(tree)

    return only


def marks(tree: Tree) -> None:
    """Packets are marked instead of dropped, by the schemes that can."""
    for own in _queues(tree):
        if own["scheme"] in MARKING:
            own["ecn"] = True
    tcp(ecn=True)(tree)


def warm(tree: Tree) -> None:
    """Leave out the first 20 s, where nothing is left out yet."""
    if tree.get("warmup", "0s") == "0s":
        tree["warmup"] = "20s"


def both(*changes: Change) -> Change:
    """Several changes at once."""

    def change(tree: Tree) -> None:
        for each in changes:
            each(tree)

    return change


def _queues(tree: Tree) -> Iterator[Tree]:
    for link in tree["links"].values():
        own = link.get("queue")
        if isinstance(own, dict):
            yield own


LATE, QUICK = tcp(delayed_ack=DELAYED), tcp(min_rto="200ms")
CHANGES: Mapping[str, Change] = {
    "as printed": lambda tree: None,
    "delayed acknowledgements": LATE,
    "timeout 0.2 s": QUICK,
    "delayed acknowledgements, timeout 0.2 s": both(LATE, QUICK),
    "window 8": tcp(window=8),
    "each drop by itself": queue(spacing="none"),
    "from 20 s on": warm,
    "TCP of 2001": tcp(profile="ns2-2001"),
    "strict": queue(gentle=False),
    "w_q 0.00266": queue(w_q=0.0026631),
}
"""For chapters 2 to 4, by name."""
CITED: Mapping[str, Change] = {**CHANGES, "marks instead of drops": marks}
"""For the claims that chapter 1 cites."""
PAIRS: Mapping[str, Change] = {
    "PSAND (1, 1)": queue(("psand",), coef=1, gamma=1),
    "PSAND (2, 0.25)": queue(("psand",), coef=2, gamma=0.25),
}
"""Other factors and powers of PSAND, where the text does not name them; the second keeps max_p at its bound."""
OTHERS = ("red", "ared-feng", "ared-floyd")
FURTHER: Mapping[str, Change] = {
    "adaptive REDs by themselves": queue(OTHERS, spacing="none"),
    "adaptive REDs to the letter": queue(OTHERS, spacing="none", guards=False),
    "ramp of ns-2": queue(("psand",), gentle_from="first"),
    "max_p up to 1": queue(("psand",), max_p_high=1.0),
    "AVQ by packets": queue(("avq",), measure_in="packets", buffer="35p"),
    "LRED over 1 s": queue(("lred",), interval="1s"),
    "LRED over 1 s, beta 0.021": queue(("lred",), interval="1s", beta=0.021),
    "DSRED up to the buffer": queue(("dsred",), max_th=35),
    "PSAND (1, 1) with 3 flows": few(PAIRS["PSAND (1, 1)"]),
}
"""Of single schemes: RED and the adaptive REDs drop each packet by itself, as the algorithms of chapter 1 have it, and
without ns-2's guards; the ramp above Max starts where max_p was at first; how often LRED measures; from where on DSRED
drops all."""
NAMED = {
    "ch1", "tab2-2", "tab2-3", "fig2-12", "fig2-13", "fig2-14", "fig2-15", "fig2-16", "tab3-1", "fig3-5", "fig3-7",
    "tab3-3", "ch3", "tab5", "fig5-5", "fig5-7", "fig5-8", "fig5-9", "ch5",
}  # fmt: skip
"""Experiments whose text names factor and power, or that have several pairs, or no PSAND."""
OF_CODES: Mapping[str, Change] = {
    "as printed": CHANGES["as printed"],
    "redundancy within the rate": within,
    **{
        name: CHANGES[name]
        for name in ("delayed acknowledgements", "timeout 0.2 s", "TCP of 2001", "strict", "each drop by itself")
    },
}
"""For chapter 5."""


def under(name: str, made: Scenario | Document) -> Document:
    """A scenario with one thing changed, by its name."""
    document = made.document() if isinstance(made, Scenario) else made
    return made_by({**CITED, **PAIRS, **OF_CODES, **FURTHER}[name], document)


def made_by(change: Change, document: Document) -> Document:
    """A copy of a scenario with a change."""
    tree = copy.deepcopy(document.tree)
    change(tree)
    return Document(tree)


def changed(study: Study, name: str, seeds: int) -> Study:
    """The study with one thing changed in each scenario, and fewer runs of each cell."""
    return study.changed(partial(under, name)).limited(seeds)
