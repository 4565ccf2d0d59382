"""Possible differences between the thesis' runs and its text: one thing changed in all scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from penstock.reproduce.changes import together, with_queues, with_tcp
from penstock.reproduce.effort import Change
from penstock.scenario.scenario import Document, Scenario, as_document
from penstock.studies.study import Study

DELAYED = "100ms"
"""Timer of ns-2's delayed acknowledgements: the other reading of the receivers (guess 3)."""
AUTOMATIC: Mapping[str, Any] = {"min_th": 6.25, "max_th": 18.75, "w_q": 0.0004}
"""RED as ns-2 has set it by itself since 2001, on the link of chapter 5 (guess 9)."""
AVERAGING = ("red", "ared-feng", "ared-floyd", "psand")
"""Schemes with RED's average and drop function."""
MARKING = (*AVERAGING, "blue", "sred", "rem", "dsred", "green", "avq", "p", "pi", "lred")
"""Schemes that can mark."""


def within(document: Document) -> Document:
    """The rate of datagrams with a code includes redundancy."""
    changed = document
    for name, group in document.tree["traffic"].items():
        if group["kind"] == "fec":
            rate = 500 * group["k"] / (group["k"] + group["h"])
            changed = changed.set(f"traffic.{name}.rate", f"{rate:.6g}kbit")
    return changed


def few(change: Change) -> Change:
    """Only in scenarios with the basic 3 flows alone."""
    return lambda document: change(document) if len(document.tree["traffic"]) == 3 else document


def warm(document: Document) -> Document:
    """Leave out the first 20 s, where nothing is left out yet."""
    return document.set("warmup", "20s") if document.tree.get("warmup", "0s") == "0s" else document


marks = together(with_queues(MARKING, ecn=True), with_tcp(ecn=True))
"""Packets are marked instead of dropped, by the schemes that can."""
LATE, QUICK = with_tcp(delayed_ack=DELAYED), with_tcp(min_rto="200ms")
CHANGES: Mapping[str, Change] = {
    "as printed": lambda document: document,
    "delayed acknowledgements": LATE,
    "timeout 0.2 s": QUICK,
    "delayed acknowledgements, timeout 0.2 s": together(LATE, QUICK),
    "window 8": with_tcp(window=8),
    "each drop by itself": with_queues(AVERAGING, spacing="none"),
    "from 20 s on": warm,
    "TCP of 2001": with_tcp(profile="ns2-2001"),
    "strict": with_queues(AVERAGING, gentle=False),
    "w_q 0.00266": with_queues(AVERAGING, w_q=0.0026631),
}
"""For chapters 2 to 4, by name."""
CITED: Mapping[str, Change] = {**CHANGES, "marks instead of drops": marks}
"""For the claims that chapter 1 cites."""
PAIRS: Mapping[str, Change] = {
    "PSAND (1, 1)": with_queues(("psand",), coef=1, gamma=1),
    "PSAND (2, 0.25)": with_queues(("psand",), coef=2, gamma=0.25),
}
"""Other factors and powers of PSAND, where the text does not name them; the second keeps max_p at its bound."""
OTHERS = ("red", "ared-feng", "ared-floyd")
FURTHER: Mapping[str, Change] = {
    "adaptive REDs by themselves": with_queues(OTHERS, spacing="none"),
    "adaptive REDs to the letter": with_queues(OTHERS, spacing="none", guards=False),
    "ramp of ns-2": with_queues(("psand",), gentle_from="first"),
    "max_p up to 1": with_queues(("psand",), max_p_high=1.0),
    "AVQ by packets": with_queues(("avq",), measure_in="packets", buffer="35p"),
    "LRED over 1 s": with_queues(("lred",), interval="1s"),
    "LRED over 1 s, beta 0.021": with_queues(("lred",), interval="1s", beta=0.021),
    "DSRED up to the buffer": with_queues(("dsred",), max_th=35),
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


def under(name: str, scenario: Scenario | Document) -> Document:
    """A scenario with one thing changed, by its name."""
    return {**CITED, **PAIRS, **OF_CODES, **FURTHER}[name](as_document(scenario))


def changed(study: Study, name: str, seeds: int) -> Study:
    """The study with one thing changed in each scenario, and fewer runs of each cell."""
    return study.changed(partial(under, name)).limited(seeds)
