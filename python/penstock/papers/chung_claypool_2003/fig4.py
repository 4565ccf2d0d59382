"""Figure 4: the queue law, theory against simulation (Section II, Equation 2)."""

from dataclasses import replace

import penstock as ps
from penstock.reproduce.figure import Claim, Number, Statement, at_most, each_run, every, formula, mean, r_squared
from penstock.results.sample import Sample

from .constant import FLOWS, GRID, against_p, drops_and_marks, in_use, law, line, queue, where_busy, window
from .setup import RTLD, claim, service_rate

study = drops_and_marks
LOW = at_most(0.2)


def expected(by: str, flows: int, p: float) -> float:
    """Equation 2 with the paper's window, that of TCP without timeouts."""
    return float(law(by).queue(flows, p))


def _error(predicted: Number, scale: Number) -> Number:
    return abs(queue - predicted) / scale


def _of_law(of: ps.model.QueueLaw) -> Number:
    """The error of a law in proportion to its queue, or to 50 packets if that is shorter."""
    law_queue = formula(lambda flows, p: float(of.queue(flows, p)), "the law")
    return _error(law_queue, formula(lambda flows, p: max(float(of.queue(flows, p)), 50.0), "the law"))


# Below 50 packets the error is no longer in proportion to the law, which falls faster than the queue can.
LONG_QUEUES = {n: at_most(max(p for p in GRID if p <= 0.2 and expected("drop", n, p) >= 50)) for n in FLOWS}


def _where_long(statement: Statement) -> Statement:
    return every(*(statement(flows=n, p=p) for n, p in LONG_QUEUES.items()))


dropped, marked = _of_law(law("drop"))(by="drop"), _of_law(law("mark"))(by="mark")
larger = every(dropped > marked, dropped.next("p") > dropped)

# Equation 2 with the measured packets in flight in place of the window: only its balance of load remains.
AROUND = RTLD * service_rate()
balance = each_run(
    lambda flows, window: max(flows * window - AROUND, 0.0),
    formula(lambda flows: Sample(float(flows)), "N"),
    in_use,
    text="{} {} - RTLD SR",
)
of_senders = _error(balance, each_run(lambda q: max(q, 50.0), balance, text="{}"))(by="mark")


def _linear(slope: Number) -> Statement:
    """The queue is linear in the number of flows, with `asked` as slope, divided by 1 + p with drops."""
    straight = queue.along("flows", r_squared, "R^2")
    share = formula(lambda by, p: 1 + p if by == "drop" else 1.0, "(1 + p)")
    slopes = (line("flows") / (slope / share)).between(0.85, 1.15)
    return where_busy(every(straight >= 0.99, slopes), "flows")


FITS = "the law fits drops"
ERROR = "within 10 % of the law, same p"
CLAIMS = (
    claim(
        "c01",
        (marked <= 0.1)(p=LOW),
        "within 10 % for p <= 0.2, N = 100, 200, 300",
        others={"the packets in flight in place of the model's window": (of_senders <= 0.1)(p=LOW)},
    ),
    claim(
        "c02",
        larger(p=LOW),
        "p <= 0.2: error(drop) > error(mark), error increasing in p",
        others={"where the law says 50 packets or more": _where_long(larger)},
    ),
    *(
        Claim("c02", FITS, _where_long(_of_law(of)(by="drop") <= 0.1), ERROR, reading=f"load balanced exactly{words}")
        for words, of in (
            ("", replace(law("drop"), balance="exact")),
            (", windows with timeouts", replace(law("drop", timeouts=True), balance="exact")),
        )
    ),
    claim(
        "c03",
        _linear(window.along("flows", mean, "mean")),
        "where q > 0 (10 packets): R^2 >= 0.99, slope within 15 % of W / (1 + p), with marks of W",
        must_hold=True,
        others={
            "W is the model's window, not the measured one": _linear(
                formula(lambda by, p: float(law(by).window(p)), "the model's window")
            )
        },
    ),
)

draw = against_p(
    "flows",
    where={"by": "mark"},
    labels=("probability of a mark", "mean queue (packets)"),
    theory=lambda flows, p: expected("mark", flows, p),
)
