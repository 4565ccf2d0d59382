"""Figure 4: the queue law, theory against simulation (Section II, Equation 2)."""

import math
from dataclasses import replace

import penstock as ps
from penstock.reproduce.figure import (
    Claim,
    Number,
    Statement,
    Table,
    at_most,
    every,
    formula,
    function_per_run,
    mean,
    r_squared,
    slope,
    table_statement,
)
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from .constant import (
    ALIKE,
    BUSY,
    FLOWS,
    GRID,
    drops_and_marks,
    fitted_line,
    in_use,
    law_of_line,
    one_graph_figure,
    queue,
    queue_law,
    where_queue_is_busy,
    window,
)
from .setup import RTLD, claim, service_rate

study = drops_and_marks
LOW = at_most(0.2)


def expected_queue(by: str, flows: int, p: float) -> float:
    """Equation 2 with the paper's window, that of TCP without timeouts."""
    return float(queue_law(by).queue(flows, p))


def _error(predicted: Number, scale: Number) -> Number:
    return abs(queue - predicted) / scale


def _of_law(of: ps.model.QueueLaw) -> Number:
    """The error of a law in proportion to its queue, or to 50 packets if that is shorter."""
    law_queue = formula(lambda flows, p: float(of.queue(flows, p)), "the law")
    return _error(law_queue, formula(lambda flows, p: max(float(of.queue(flows, p)), 50.0), "the law"))


dropped, marked = _of_law(queue_law("drop"))(by="drop"), _of_law(queue_law("mark"))(by="mark")


def _gap(by: str, of: ps.model.QueueLaw) -> Number:
    """The distance of theory and simulation as a share of the graph's height, which is the law at the smallest p."""
    law_queue = formula(lambda flows, p: float(of.queue(flows, p)), "the law")
    height = formula(lambda flows: float(of.queue(flows, GRID[0])), "its largest value")
    return _error(law_queue, height)(by=by)


def _near(by: str, of: ps.model.QueueLaw) -> Statement:
    return (_gap(by, of) <= 0.1)(p=LOW)


def _less_exact(table: Table) -> Condition:
    """Where drops and marks differ (Section IV), drops are farther from the law, and the distance grows with p."""

    def gap(by: str, n: int, p: float) -> RunSample:
        return abs(table("q", by=by, flows=n, p=p) - expected_queue(by, n, p))

    # Equation 1 is for persistent congestion
    congested = {
        n: [p for p in table.axis("p") if p <= 0.2 and table("q", by="drop", flows=n, p=p).mean >= BUSY] for n in FLOWS
    }
    grows = {n: slope({math.log(p): gap("drop", n, p) for p in congested[n]}) for n in FLOWS}
    return all_of(
        *(
            (gap("drop", n, p) > gap("mark", n, p)).at(f"N = {n}, p = {p:g}")
            for n in FLOWS for p in congested[n] if p > ALIKE
        ),
        *((grows[n] > 0).at(f"N = {n}, slope over log p") for n in FLOWS),
    )  # fmt: skip


# Equation 2 with the measured packets in flight instead of the window: only its balance of load remains.
AROUND = RTLD * service_rate()
balance = function_per_run(
    lambda flows, window: max(flows * window - AROUND, 0.0),
    formula(lambda flows: RunSample(float(flows)), "N"),
    in_use,
    text="{} {} - RTLD SR",
)
of_senders = _error(balance, function_per_run(lambda q: max(q, 50.0), balance, text="{}"))(by="mark")


def _linear(asked: Number) -> Statement:
    """The queue is linear in the number of flows, with the slope `asked`, divided by 1 + p with drops."""
    straight = queue.along("flows", r_squared, "R^2")
    share = formula(lambda by, p: 1 + p if by == "drop" else 1.0, "(1 + p)")
    slopes = (fitted_line("flows") / (asked / share)).between(0.85, 1.15)
    return where_queue_is_busy(every(straight >= 0.99, slopes), "flows")


FITS = "the law fits drops"
HEIGHT = "within 10 % of the height of the graph for p <= 0.2, N = 100, 200, 300"
CLAIMS = (
    claim(
        "c01",
        _near("mark", queue_law("mark")),
        HEIGHT,
        others={
            "within 10 % of the law itself": (marked <= 0.1)(p=LOW),
            "the packets in flight in place of the model's window": (of_senders <= 0.1)(p=LOW),
        },
    ),
    claim(
        "c02",
        table_statement(
            _less_exact,
            "p <= 0.2, where q > 0 (10 packets): |q - law| larger than with marks at p > 0.01; grows with log p",
        ),
        others={
            "in proportion to the law, at each step of p": every(
                dropped > marked, dropped.at_next_value("p") > dropped
            )(p=LOW)
        },
    ),
    *(
        Claim("c02", FITS, _near("drop", of), HEIGHT, reading=words)
        for words, of in (
            ("the paper's form", queue_law("drop")),
            ("load balanced exactly", replace(queue_law("drop"), balance="exact")),
            ("load balanced exactly, windows with timeouts", queue_law("drop", timeouts=True)),
        )
    ),
    claim(
        "c03",
        _linear(window.along("flows", mean, "mean")),
        "where q > 0 (10 packets): R^2 >= 0.99, slope within 15 % of W / (1 + p), with marks of W",
        must_hold=True,
        others={
            "W is the model's window, not the measured one": _linear(
                formula(lambda by, p: float(queue_law(by).window(p)), "the model's window")
            )
        },
    ),
)

draw = one_graph_figure(theory=law_of_line)
