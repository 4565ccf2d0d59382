"""Figure 4: the queue law, theory against simulation (Section II, Equation 2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import BUSY, FLOWS, drops_and_marks, law, of_queue, r_squared, slope
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, Sample, all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table

study = drops_and_marks
measure = of_queue


def expected(by: str, flows: int, p: float) -> float:
    """Equation 2 with the paper's window, that of TCP without timeouts."""
    return float(law(by).queue(flows, p))


def claims(table: Table) -> Iterator[Claim]:
    """Claims c01, c02, c03."""

    def error(by: str, flows: int, p: float) -> Sample:
        asked = expected(by, flows, p)
        return abs(table("q", by=by, flows=flows, p=p) - asked) / max(asked, 50.0)

    low = [p for p in table.axis("p") if p <= 0.2]
    # Below 50 packets the error is no longer in proportion to the law, which then falls faster than the queue can.
    told = {n: [p for p in low if expected("drop", n, p) >= 50] for n in FLOWS}
    yield Claim(
        id="c01",
        says="with marks the simulated queue follows the law",
        expected="within 10 % for p <= 0.2, N = 100, 200, 300",
        because="the model's windows are larger than the senders' from p = 0.02 on; with what those have under way it "
        "fits (fig4)",
        holds=all_of((error("mark", n, p) <= 0.1).at(f"N = {n}, p = {p:g}") for n in FLOWS for p in low),
    )
    yield from _of_senders(table, low)
    for reading, where, grid in (
        ("", "p <= 0.2", dict.fromkeys(FLOWS, low)),
        ("where the law says 50 packets or more", "p <= 0.2 where it does", told),
    ):
        yield Claim(
            id="c02",
            says="with drops the law's error is larger than with marks, and grows with p",
            expected=f"{where}: error(drop) > error(mark), error increasing in p",
            reading=reading,
            because="" if reading else "where the law says nothing or little, so do the runs: neither errs (fig4)",
            holds=all_of(
                *(
                    (error("drop", n, p) > error("mark", n, p)).at(f"N = {n}, p = {p:g}")
                    for n in FLOWS
                    for p in grid[n]
                ),
                *(
                    (error("drop", n, b) > error("drop", n, a)).at(f"N = {n}, p = {a:g} to {b:g}")
                    for n in FLOWS
                    for a, b in itertools.pairwise(grid[n])
                ),
            ),
        )
    yield from _exact_balance(table, told)
    straight = [
        (by, p) for by in ("drop", "mark") for p in table.axis("p")
        if table.has(by=by, p=p) and all(table("q", by=by, flows=n, p=p).mean >= BUSY for n in FLOWS)
    ]  # fmt: skip

    def linear(by: str, p: float, *, measured: bool) -> Iterator[Condition]:
        queues = [table("q", by=by, flows=n, p=p) for n in FLOWS]
        windows = [table("window", by=by, flows=n, p=p) for n in FLOWS]
        window = per_run(np.mean, windows) if measured else Sample(float(law(by).window(p)))
        asked = window / (1 + p) if by == "drop" else window
        yield (per_run(r_squared(FLOWS), queues) >= 0.99).at(f"{by}, p = {p:g}, R^2")
        yield (per_run(slope(FLOWS), queues) / asked).between(0.85, 1.15).at(f"{by}, p = {p:g}, slope / window")

    says = "the queue is linear in N at a fixed p, and its slope is the window"
    asked = "where q > 0 (10 packets): R^2 >= 0.99, slope within 15 % of W / (1 + p), with marks of W"
    yield Claim(
        id="c03", says=says, expected=asked, must_hold=True,
        holds=all_of(one for by, p in straight for one in linear(by, p, measured=True)),
    )  # fmt: skip
    yield Claim(
        id="c03", says=says, expected=asked, reading="W is the model's window, not the measured one",
        holds=all_of(one for by, p in straight for one in linear(by, p, measured=False)),
    )  # fmt: skip


def _of_senders(table: Table, low: Sequence[float]) -> Iterator[Claim]:
    """Another reading of c01: Equation 2 with the window that flows have under way, which leaves its balance alone."""
    around = law("mark").rtld * law("mark").service_rate

    def error(n: int, p: float) -> Sample:
        asked = per_run(lambda window: max(n * window - around, 0.0), table("in_use", by="mark", flows=n, p=p))
        return abs(table("q", by="mark", flows=n, p=p) - asked) / per_run(lambda q: max(q, 50.0), asked)

    yield Claim(
        id="c01",
        says="with marks the simulated queue follows the law",
        reading="what the senders have under way in place of the model's window",
        expected="within 10 % for p <= 0.2, N = 100, 200, 300",
        holds=all_of((error(n, p) <= 0.1).at(f"N = {n}, p = {p:g}") for n in FLOWS for p in low),
    )


def _exact_balance(table: Table, told: dict[int, list[float]]) -> Iterator[Claim]:
    """Another reading of c02: L (1 - p_d) = 1 instead of L - p_d = 1, and windows with timeouts as well."""
    for timeouts, reading in ((False, "load balanced exactly"), (True, "load balanced exactly, windows with timeouts")):
        of = replace(law("drop", timeouts=timeouts), balance="exact")
        errors = {
            (n, p): abs(table("q", by="drop", flows=n, p=p) - float(of.queue(n, p))) / max(float(of.queue(n, p)), 50.0)
            for n in FLOWS
            for p in told[n]
        }
        yield Claim(
            id="c02",
            says="the law fits drops",
            reading=reading,
            expected="within 10 % of the law, same p",
            holds=all_of((error <= 0.1).at(f"N = {n}, p = {p:g}") for (n, p), error in errors.items()),
        )


def draw(shown: Shown) -> Figure:
    """The panel of marks."""
    return curves(
        shown,
        "p",
        "q",
        "flows",
        where={"by": "mark"},
        labels=("probability of a mark", "mean queue (packets)"),
        theory=lambda flows, p: expected("mark", flows, p),
        log="x",
    )
